"""A log becomes Recordings: any format in, nothing lost, what cannot be read is named with its place.

`open_log(path)` looks at the bytes, picks a reader and hands out recordings one at a time.
"""

from fieldloop.ingest.log import OpenLog, open_log
from fieldloop.ingest.mapping import LogMapping, parse_mapping, propose
from fieldloop.ingest.reader import Reader

__all__ = ["LogMapping", "OpenLog", "Reader", "open_log", "parse_mapping", "propose"]
