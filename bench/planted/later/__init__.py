"""A second family of planted worlds, written later and reported separately: other variants of the same eight causes.

`twists` defines the faults and how such a world differs, `floor` is the picking floor with a twist, `played` runs it,
`planted` caches it. Records, truth and scores are those of the first family.
"""
