"""ROS bags: the single files of ROS 1, and the folders and SQLite files of ROS 2."""

from fieldloop.ingest.readers.rosbag.ros1_reader import Ros1Reader
from fieldloop.ingest.readers.rosbag.rosbag2_reader import Rosbag2Reader

__all__ = ["Ros1Reader", "Rosbag2Reader"]
