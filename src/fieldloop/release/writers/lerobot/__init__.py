"""LeRobot v3.0 datasets."""

from fieldloop.release.writers.lerobot.dataset import write_lerobot

__all__ = ["write_lerobot"]
