"""A release as files that other libraries read: one module a format."""

from fieldloop.release.writers.lerobot import write_lerobot
from fieldloop.release.writers.written import Written

__all__ = ["Written", "write_lerobot"]
