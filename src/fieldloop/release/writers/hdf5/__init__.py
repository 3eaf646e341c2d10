"""HDF5 in robomimic's layout."""

from fieldloop.release.writers.hdf5.dataset import write_hdf5

__all__ = ["write_hdf5"]
