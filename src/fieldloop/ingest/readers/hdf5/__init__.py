"""HDF5 files: robomimic, ALOHA and ACT, D4RL, Minari, and whatever else holds rows."""

from fieldloop.ingest.readers.hdf5.reader import Hdf5Reader

__all__ = ["Hdf5Reader"]
