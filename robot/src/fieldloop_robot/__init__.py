"""What fieldloop needs on the robot: guard, lease, spool, wire codec, policy client, recorder.

The guard needs NumPy alone; wire, client and recorder need the extra `[io]`. Nothing here imports fieldloop.
"""


class RobotError(Exception):
    """Base of this distribution's errors; the message states what, where and what to do."""
