"""LeRobot's policy type `fieldloop`: each observation goes to a fieldloop server, which answers a chunk of actions."""

from lerobot_policy_fieldloop.configuration_fieldloop import FieldloopConfig

__all__ = ["FieldloopConfig"]
