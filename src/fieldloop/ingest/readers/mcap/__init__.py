"""MCAP logs."""

from fieldloop.ingest.readers.mcap.reader import McapReader

__all__ = ["McapReader"]
