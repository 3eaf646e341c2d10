"""A release as files that other libraries read: one module a format."""

from fieldloop.release.writers.lerobot import Written, write_lerobot

__all__ = ["Written", "write_lerobot"]
