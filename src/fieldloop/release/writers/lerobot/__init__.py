"""LeRobot v3.0 datasets."""

from fieldloop.release.writers.lerobot.dataset import write_lerobot
from fieldloop.release.writers.lerobot.files import Limits

__all__ = ["Limits", "write_lerobot"]
