"""What fieldloop needs on the robot: guard, lease, spool, wire codec, policy client, recorder.

The guard needs NumPy alone; wire, client and recorder need the extra `[io]`. Nothing here knows of the big side.
"""


class RobotError(Exception):
    """Base of what this distribution raises on purpose; the message says what, where and what to do."""
