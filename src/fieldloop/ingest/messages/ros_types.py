"""ROS 2 message types: which numbers of a known type make up a stream, and what every other type flattens to."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

LONGEST_ARRAY = 64  # longer arrays (scans, clouds, maps) are no signal; they stay in the log and are named in a note


class Layout(NamedTuple):
    """A type whose numbers after the header are `doubles` float64 in a row, and those that make up its stream."""

    doubles: int
    columns: tuple[str, ...]
    picks: tuple[int, ...]
    unit: str


WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
LAYOUTS = {
    "geometry_msgs/msg/WrenchStamped": Layout(6, WRENCH, tuple(range(6)), "N, N·m"),
    "geometry_msgs/msg/PoseStamped": Layout(7, POSE, tuple(range(7)), "m"),
    # orientation 4 + covariance 9, angular velocity 3 + 9, linear acceleration 3 + 9
    "sensor_msgs/msg/Imu": Layout(37, ("ax", "ay", "az", "gx", "gy", "gz"), (25, 26, 27, 13, 14, 15), "m/s², rad/s"),
}
JOINT_STATE = "sensor_msgs/msg/JointState"
IMAGE, COMPRESSED_IMAGE = "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"
ARRAYS = {f"std_msgs/msg/{name}MultiArray" for name in ("Float64", "Float32", "Int64", "Int32", "Int16", "Int8")}


def flatten(message: Any, left_out: set[str], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number of a decoded message under its dotted name, in the order the type declares.

    Stamps, text and long arrays are passed over; the names of long arrays are added to `left_out`.
    """
    for name, value in vars(message).items() if hasattr(message, "__dict__") else ():
        path = f"{prefix}{name}"
        if name in ("header", "__msgtype__") or name.isupper() or isinstance(value, str | bytes):
            continue  # names in capitals are constants of the type
        if isinstance(value, bool | int | float | np.generic):
            yield path, float(value)
        elif isinstance(value, list | np.ndarray):
            yield from _array(path, value, left_out)
        elif hasattr(value, "__msgtype__") and value.__msgtype__ != "builtin_interfaces/msg/Time":
            yield from flatten(value, left_out, f"{path}.")


def stamp_of(message: Any) -> tuple[int | None, str]:
    """Return the sensing stamp and the frame of a message's header, where it has one."""
    header = getattr(message, "header", None)
    stamp = getattr(header, "stamp", None)
    if stamp is None:
        return None, ""
    return stamp.sec * 1_000_000_000 + stamp.nanosec, str(getattr(header, "frame_id", ""))


def _array(path: str, values: Any, left_out: set[str]) -> Iterator[tuple[str, float]]:
    if len(values) > LONGEST_ARRAY or (len(values) and not isinstance(values[0], bool | int | float | np.generic)):
        left_out.add(path)
        return
    for index, value in enumerate(values):
        yield f"{path}[{index}]", float(value)
