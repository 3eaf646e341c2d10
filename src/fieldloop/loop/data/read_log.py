"""Open a log to work with its recordings as arrays, under a mapping file where one is given."""

from pathlib import Path

from fieldloop.ingest import OpenLog, open_log
from fieldloop.loop.data.mapping import find_mapping_in_force


def read_log(path: Path, mapping: Path | None = None) -> OpenLog:
    """Open a log file, a dataset folder or a folder of logs; the format is recognised by content."""
    return open_log(path, find_mapping_in_force(None, mapping))
