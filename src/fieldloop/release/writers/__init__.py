"""A release as files that other libraries read: one module a format."""

from fieldloop.release.writers.hdf5 import write_hdf5
from fieldloop.release.writers.lerobot import write_lerobot
from fieldloop.release.writers.mcap import write_mcap
from fieldloop.release.writers.pairing import Pair
from fieldloop.release.writers.rlds import write_rlds
from fieldloop.release.writers.written import Written

__all__ = ["Pair", "Written", "write_hdf5", "write_lerobot", "write_mcap", "write_rlds"]
