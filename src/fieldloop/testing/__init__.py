"""For tests, ours and those of plug-in authors: synthetic episodes, injuries, and contracts of plug-ins.

`synthetic` makes healthy recordings, `injuries` hurts them one check at a time; `check_reader`, `check_writer`, `store`
and `shelf` test an implementation against its contract.
"""

from fieldloop.testing.reader import check_reader
from fieldloop.testing.writer import check_writer

__all__ = ["check_reader", "check_writer"]
