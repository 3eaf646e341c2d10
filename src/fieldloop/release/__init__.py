"""Freeze a release: an immutable selection of sound episodes with its split, its shares and its datasheet.

`assemble_release` freezes one, `compare_sides` compares two; `writers` export it into common formats.
"""

from fieldloop.release.assemble import Terms, assemble_release, compute_labels_id, compute_release_id
from fieldloop.release.contents import count_contents
from fieldloop.release.difference import Side, compare_sides, make_release_side
from fieldloop.release.fixes import apply_fixes, select_fixes

__all__ = [
    "Side",
    "Terms",
    "apply_fixes",
    "assemble_release",
    "compare_sides",
    "compute_labels_id",
    "compute_release_id",
    "count_contents",
    "make_release_side",
    "select_fixes",
]
