"""MCAP logs: every stream with every sample and every clock it has, nothing resampled."""

from fieldloop.release.writers.mcap.log import write_log
from fieldloop.release.writers.mcap.logs import write_mcap, write_whole_log
from fieldloop.release.writers.mcap.pictures import Compression

__all__ = ["Compression", "write_log", "write_mcap", "write_whole_log"]
