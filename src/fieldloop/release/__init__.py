"""Freeze a release: an immutable selection of sound episodes with its split, its shares and its datasheet.

`assemble` freezes, `diff` tells two apart, `datasheet` describes one; `writers` put it into other people's formats.
"""

from fieldloop.release.assemble import Terms, assemble, labels_id
from fieldloop.release.datasheet import datasheet
from fieldloop.release.difference import ReleaseDiff, diff
from fieldloop.release.fixes import accepted, mend

__all__ = ["ReleaseDiff", "Terms", "accepted", "assemble", "datasheet", "diff", "labels_id", "mend"]
