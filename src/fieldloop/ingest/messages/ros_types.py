"""ROS message types with special treatment, and the flattening of all others."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fieldloop.ingest.messages.decoded import Decoded
from fieldloop.model.stream import NS_PER_S

LONGEST_ARRAY = 64  # longer arrays (scans, clouds, maps) are not signals; they stay in the log and are listed in a note
LONGEST_SIGNAL = 4096  # of types that are nothing but a list of numbers
JOINT_STATE = "sensor_msgs/msg/JointState"
IMAGE, COMPRESSED_IMAGE = "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"
CAMERA_INFO = "sensor_msgs/msg/CameraInfo"
TRANSFORMS = {"tf2_msgs/msg/TFMessage", "tf/msg/tfMessage"}
ARRAYS = {
    f"std_msgs/msg/{name}MultiArray"
    for name in ("Float64", "Float32", "Int64", "Int32", "Int16", "Int8", "UInt64", "UInt32", "UInt16", "UInt8")
}
STAMPS = ("stamp", "timestamp")
SENSED = ("header.stamp", *STAMPS)
SILENT = ("header", "structure_needs_at_least_one_member")  # the latter fills messages that hold nothing
USED_TEXTS = ("frame_id", "child_frame_id")  # texts that are used elsewhere than as numbers
Fields = Mapping[str, Any]


def format_ros2_type_name(name: str) -> str:
    """Return a type's name as ROS 2 writes it.

    >>> format_ros2_type_name("sensor_msgs/Imu"), format_ros2_type_name("sensor_msgs/msg/Imu")
    ('sensor_msgs/msg/Imu', 'sensor_msgs/msg/Imu')
    """
    package, _, rest = name.partition("/")
    return f"{package}/msg/{rest}" if rest and "/" not in rest else name


def get_max_array_length(name: str) -> int:
    """How many numbers may an array of this type have to count as a signal?"""
    return LONGEST_SIGNAL if name == JOINT_STATE or name in ARRAYS or name in TRANSFORMS else LONGEST_ARRAY


def flatten_message(
    message: Any, fields: Fields, decoded: Decoded, max_array_length: int = LONGEST_ARRAY, prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield every number of a decoded message under its dotted name, in the order the type declares.

    Stamps, texts and long arrays are passed over; texts and where long arrays stood are noted in `decoded`. `fields`
    are the definitions of all types: an object of a type carries its constants too.
    """
    for name, _ in fields[message.__msgtype__][1]:
        path, value = f"{prefix}{name}", getattr(message, name)
        if name in SILENT:
            continue
        if isinstance(value, str | bytes):
            if name not in USED_TEXTS:
                decoded.note_text(path, value if isinstance(value, str) else repr(value))
            continue
        if isinstance(value, bool | int | float | np.generic):
            yield path, value
        elif isinstance(value, list | np.ndarray):
            yield from _flatten_array(path, value, fields, decoded, max_array_length)
        elif value.__msgtype__ != "builtin_interfaces/msg/Time":
            yield from flatten_message(value, fields, decoded, max_array_length, f"{path}.")


def read_stamp_and_frame(message: Any) -> tuple[int | None, str]:
    """Return the sensing stamp and the frame of a message, where it has them: in its header, or as fields."""
    header = getattr(message, "header", message)
    stamp: Any = next((found for name in STAMPS if (found := getattr(header, name, None)) is not None), None)
    if not (hasattr(stamp, "sec") and hasattr(stamp, "nanosec")):
        return None, str(getattr(header, "frame_id", ""))
    return stamp.sec * NS_PER_S + stamp.nanosec, str(getattr(header, "frame_id", ""))


def _flatten_array(
    path: str, values: Any, fields: Fields, decoded: Decoded, max_array_length: int
) -> Iterator[tuple[str, Any]]:
    if not len(values) or (isinstance(values[0], str) and not any(values)):  # empty texts leave nothing out
        return
    numbers = isinstance(values[0], bool | int | float | np.generic)
    geometry = str(getattr(values[0], "__msgtype__", "")).startswith("geometry_msgs/")
    if len(values) > max_array_length or not (numbers or geometry):
        decoded.left_out.add(path)
        return
    for index, value in enumerate(values):
        if numbers:
            yield f"{path}[{index}]", value
        else:
            yield from flatten_message(value, fields, decoded, max_array_length, f"{path}[{index}].")
