"""Freeze a release: an immutable selection of sound episodes with its split, its shares and its datasheet.

`assemble_release` freezes one, `compare_releases` compares two; `writers` export it into common formats.
"""

from fieldloop.release.assemble import Terms, assemble_release, compute_labels_id
from fieldloop.release.difference import ReleaseDiff, compare_releases
from fieldloop.release.fixes import apply_fixes, select_fixes

__all__ = [
    "ReleaseDiff",
    "Terms",
    "apply_fixes",
    "assemble_release",
    "compare_releases",
    "compute_labels_id",
    "select_fixes",
]
