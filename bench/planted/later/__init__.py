"""A second family of planted worlds, written later and reported apart: other ways of the same eight causes.

`twists` says what is got wrong and how such a world differs, `floor` is a picking floor that can be so, `played` plays
it, `planted` keeps it. Records, truth and scores are those of the first family.
"""
