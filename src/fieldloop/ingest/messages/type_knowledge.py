"""What the type of a ROS message says about its topic: bookkeeping, a known measurement, or unknown."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.stream_types import STREAM_TYPES
from fieldloop.model.stream import StreamKind

BOOKKEEPING_PACKAGES = {
    "rosgraph_msgs", "rcl_interfaces", "diagnostic_msgs", "lifecycle_msgs", "bond", "dynamic_reconfigure",
    "action_msgs", "actionlib_msgs", "rosbag2_interfaces", "statistics_msgs", "visualization_msgs", "roscpp",
    "type_description_interfaces", "service_msgs",
}  # fmt: skip
"""Packages of messages about programs, not about a robot: logs, settings, drawings, simulation time."""

KNOWN_PACKAGES = {"sensor_msgs", "geometry_msgs", "nav_msgs", "tf2_msgs", "tf", "std_msgs", "foxglove", "foxglove_msgs"}
"""Packages whose messages define what each number means."""

GENERIC_PACKAGES = {"std_msgs", "example_interfaces", ""}
"""Packages of bare numbers: only the topic's name can say what they mean."""

JOINT_KINDS = (StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT)
JOINT_WORDS = {"joint", "joints", "qpos", "qvel", "arm"}
UNTIMED_KINDS = (StreamKind.ACTION, StreamKind.POSE, StreamKind.HAND_POSE, StreamKind.GRIPPER)
"""Kinds that are sent when something changes, or sent again by their publisher: their topics promise no rate."""


def package_of(type_: str) -> str:
    """Return the package of a type, '' where its name has none.

    >>> package_of("sensor_msgs/msg/Imu"), package_of("foxglove.PoseInFrame"), package_of("State")
    ('sensor_msgs', 'foxglove', '')
    """
    package = type_.partition("/")[0] if "/" in type_ else type_.rpartition(".")[0]
    return package.partition(".")[0]


def is_bookkeeping(type_: str) -> bool:
    """Is a message of this type about programs rather than about a robot?"""
    return package_of(type_) in BOOKKEEPING_PACKAGES


def defines_meaning(type_: str) -> bool:
    """Does the type itself define what its numbers mean?

    >>> defines_meaning("nav_msgs/msg/Odometry"), defines_meaning("std_msgs/msg/Float64")
    (True, False)
    """
    package = package_of(type_)
    return type_ in STREAM_TYPES or (package in KNOWN_PACKAGES and package not in GENERIC_PACKAGES)


def kind_by_words(type_: str, words: set[str], by_name: StreamKind) -> StreamKind:
    """Return the kind that the words of a topic's name imply, as far as its type allows.

    A type that defines its meaning is a command or nothing else by name: the odometry of a velocity controller is not
    a joint's velocity. Any other type is of a joint only where a word says joint.

    >>> kind_by_words("nav_msgs/msg/Odometry", {"velocity", "odom"}, StreamKind.JOINT_VELOCITY)
    <StreamKind.OTHER: 'other'>
    >>> kind_by_words("std_msgs/msg/Float64MultiArray", {"joint", "velocity"}, StreamKind.JOINT_VELOCITY)
    <StreamKind.JOINT_VELOCITY: 'joint_velocity'>
    """
    if is_bookkeeping(type_) or by_name in (StreamKind.RGB, StreamKind.DEPTH):
        return StreamKind.OTHER
    if defines_meaning(type_):
        return by_name if by_name is StreamKind.ACTION else StreamKind.OTHER
    if by_name in JOINT_KINDS and not words & JOINT_WORDS:
        return StreamKind.OTHER
    return by_name


def is_input(topic: str) -> bool:
    """Does a topic lead into a device, or out of a controller? What it carries is then commanded, not measured.

    >>> is_input("servo/in/state"), is_input("controller/out/servo_positions"), is_input("servo/out/state")
    (True, True, False)
    """
    parts = topic.lower().strip("/").split("/")
    return "in" in parts or ("out" in parts and "controller" in parts[: parts.index("out")])


def is_never_set(values: NDArray[Any]) -> bool:
    """Is every number zero or missing? Publishers leave fields that they do not measure at zero or NaN.

    >>> is_never_set(np.zeros((3, 2))), is_never_set(np.full((3, 1), np.nan)), is_never_set(np.ones((3, 2)))
    (True, True, False)
    """
    return bool(len(values)) and not np.nan_to_num(values, nan=0.0).any()
