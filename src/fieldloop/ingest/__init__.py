"""Read logs of any format as Recordings; what cannot be read becomes a defect with its place.

`open_log(path)` picks a reader by content and yields recordings one at a time.
"""

from fieldloop.ingest.log import OpenLog, open_log
from fieldloop.ingest.mapping import LogMapping, parse_mapping, propose_mapping
from fieldloop.ingest.reader import Reader

__all__ = ["LogMapping", "OpenLog", "Reader", "open_log", "parse_mapping", "propose_mapping"]
