"""RLDS datasets as TFDS reads them."""

from fieldloop.release.writers.rlds.dataset import write_rlds

__all__ = ["write_rlds"]
