"""Freeze a release: an immutable selection of sound episodes with its split, its shares and its datasheet.

`assemble` freezes, `diff` compares two, `datasheet` describes one; `writers` export it into common formats.
"""

from fieldloop.release.assemble import Terms, assemble, labels_id
from fieldloop.release.difference import ReleaseDiff, diff
from fieldloop.release.fixes import accepted_fixes, apply_fixes

__all__ = ["ReleaseDiff", "Terms", "accepted_fixes", "apply_fixes", "assemble", "diff", "labels_id"]
