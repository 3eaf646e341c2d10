"""RLDS and TFDS datasets as TFRecord files."""

from fieldloop.ingest.readers.rlds.reader import RldsReader

__all__ = ["RldsReader"]
