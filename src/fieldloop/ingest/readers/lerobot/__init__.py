"""LeRobot datasets."""

from fieldloop.ingest.readers.lerobot.reader import LeRobotReader

__all__ = ["LeRobotReader"]
