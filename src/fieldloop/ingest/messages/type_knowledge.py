"""What the type of a ROS message says about its topic: bookkeeping, a known measurement, or unknown."""

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

BARE_TYPES = {"geometry_msgs/msg/Vector3", "geometry_msgs/msg/Vector3Stamped"}
"""Types of a known package that are three bare numbers: a force, a field, a speed or an error."""

JOINT_KINDS = (StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT)
JOINT_WORDS = {"joint", "joints", "qpos", "qvel", "arm"}
UNTIMED_KINDS = (StreamKind.ACTION, StreamKind.POSE, StreamKind.HAND_POSE, StreamKind.GRIPPER)
"""Kinds that are sent when something changes, or sent again by their publisher: their topics promise no rate."""


def get_type_package(type_: str) -> str:
    """Return the package of a type, '' where its name has none.

    >>> get_type_package("sensor_msgs/msg/Imu"), get_type_package("foxglove.PoseInFrame"), get_type_package("State")
    ('sensor_msgs', 'foxglove', '')
    """
    package = type_.partition("/")[0] if "/" in type_ else type_.rpartition(".")[0]
    return package.partition(".")[0]


def is_bookkeeping_type(type_: str) -> bool:
    """Is a message of this type about programs rather than about a robot?"""
    return get_type_package(type_) in BOOKKEEPING_PACKAGES


def type_defines_meaning(type_: str) -> bool:
    """Does the type itself define what its numbers mean?

    >>> type_defines_meaning("nav_msgs/msg/Odometry"), type_defines_meaning("std_msgs/msg/Float64")
    (True, False)
    >>> type_defines_meaning("geometry_msgs/msg/Vector3Stamped")
    False
    """
    if type_ in BARE_TYPES:
        return False
    package = get_type_package(type_)
    return type_ in STREAM_TYPES or (package in KNOWN_PACKAGES and package not in GENERIC_PACKAGES)


def infer_kind_from_words(type_: str, words: set[str], kind_by_name: StreamKind) -> StreamKind:
    """Return the kind that the words of a topic's name imply, as far as its type allows.

    A type that defines its meaning is a command or nothing else by name: the odometry of a velocity controller is not
    a joint's velocity. Any other type is of a joint only where a word says joint.

    >>> infer_kind_from_words("nav_msgs/msg/Odometry", {"velocity", "odom"}, StreamKind.JOINT_VELOCITY)
    <StreamKind.OTHER: 'other'>
    >>> infer_kind_from_words("std_msgs/msg/Float64MultiArray", {"joint", "velocity"}, StreamKind.JOINT_VELOCITY)
    <StreamKind.JOINT_VELOCITY: 'joint_velocity'>
    """
    if is_bookkeeping_type(type_) or kind_by_name in (StreamKind.RGB, StreamKind.DEPTH):
        return StreamKind.OTHER
    if type_defines_meaning(type_) or type_ in BARE_TYPES:
        return kind_by_name if kind_by_name is StreamKind.ACTION else StreamKind.OTHER
    if kind_by_name in JOINT_KINDS and not words & JOINT_WORDS:
        return StreamKind.OTHER
    return kind_by_name


def is_command_topic(topic: str) -> bool:
    """Does a topic lead into a device, or out of a controller? What it carries is then commanded, not measured.

    >>> (is_command_topic("servo/in/state"), is_command_topic("controller/out/servo_positions"),
    ...  is_command_topic("servo/out/state"))
    (True, True, False)
    """
    parts = topic.lower().strip("/").split("/")
    return "in" in parts or ("out" in parts and "controller" in parts[: parts.index("out")])
