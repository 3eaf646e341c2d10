"""The five ROS 2 messages a log of ours holds, and their CDR form (little endian, as ROS 2 writes them)."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

NS_PER_S = 1_000_000_000
LITTLE_ENDIAN = b"\x00\x01\x00\x00"  # encapsulation: plain CDR, little endian, no options
UNKNOWN_COVARIANCE = (0.0,) * 9

_RULE = "=" * 80
_HEADER = f"{_RULE}\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
_TIME = f"{_RULE}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
_VECTOR = f"{_RULE}\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
_POINT = f"{_RULE}\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
_QUATERNION = f"{_RULE}\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"
_WRENCH = f"{_RULE}\nMSG: geometry_msgs/Wrench\ngeometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n"
_POSE = f"{_RULE}\nMSG: geometry_msgs/Pose\ngeometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"


@dataclass(frozen=True, slots=True)
class JointState:
    """Joints by name: positions (rad, or m for a gripper), velocities and efforts where there are any."""

    names: tuple[str, ...]
    position: Sequence[float]
    velocity: Sequence[float] = ()
    effort: Sequence[float] = ()
    frame_id: str = ""

    TYPE = "sensor_msgs/msg/JointState"
    SCHEMA = (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n"
        f"{_HEADER}{_TIME}"
    )

    def payload(self, stamp_ns: int) -> bytes:
        """Return the message as CDR."""
        counts = (len(self.position), len(self.velocity), len(self.effort))
        layout, words = _make_joint_layout(self.frame_id, self.names, counts)
        return layout.pack(
            *_make_stamp_prefix(stamp_ns),
            *words,
            counts[0],
            *self.position,
            counts[1],
            *self.velocity,
            counts[2],
            *self.effort,
        )


@dataclass(frozen=True, slots=True)
class CompressedImage:
    """A picture as a camera driver compressed it: format `jpeg`, or `16UC1; png` for depth in millimetres."""

    format: str
    data: bytes
    frame_id: str = ""

    TYPE = "sensor_msgs/msg/CompressedImage"
    SCHEMA = f"std_msgs/Header header\nstring format\nuint8[] data\n{_HEADER}{_TIME}"

    def payload(self, stamp_ns: int) -> bytes:
        """Return the message as CDR."""
        layout, words = _make_layout(self.frame_id, ("s", self.format), ("I", 1))
        return layout.pack(*_make_stamp_prefix(stamp_ns), *words, len(self.data)) + self.data


@dataclass(frozen=True, slots=True)
class WrenchStamped:
    """Force (N) and torque (N·m) in the frame of the sensor: fx fy fz tx ty tz."""

    wrench: Sequence[float]
    frame_id: str = ""

    TYPE = "geometry_msgs/msg/WrenchStamped"
    SCHEMA = f"std_msgs/Header header\ngeometry_msgs/Wrench wrench\n{_HEADER}{_TIME}{_WRENCH}{_VECTOR}"

    def payload(self, stamp_ns: int) -> bytes:
        """Return the message as CDR."""
        layout, words = _make_layout(self.frame_id, ("d", 6))
        return layout.pack(*_make_stamp_prefix(stamp_ns), *words, *self.wrench)


@dataclass(frozen=True, slots=True)
class Imu:
    """Specific force (m/s²) and turn rate (rad/s) in the frame of the sensor: ax ay az gx gy gz.

    No orientation is estimated: its first covariance is -1, as REP 145 asks.
    """

    reading: Sequence[float]
    frame_id: str = ""

    TYPE = "sensor_msgs/msg/Imu"
    SCHEMA = (
        "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
        "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
        "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n"
        f"{_HEADER}{_TIME}{_QUATERNION}{_VECTOR}"
    )

    def payload(self, stamp_ns: int) -> bytes:
        """Return the message as CDR."""
        layout, words = _make_layout(self.frame_id, ("d", 37))
        ax, ay, az, gx, gy, gz = self.reading
        no_orientation = (0.0, 0.0, 0.0, 1.0, -1.0, *UNKNOWN_COVARIANCE[1:])
        turn = (gx, gy, gz, *UNKNOWN_COVARIANCE)
        return layout.pack(
            *_make_stamp_prefix(stamp_ns), *words, *no_orientation, *turn, ax, ay, az, *UNKNOWN_COVARIANCE
        )


@dataclass(frozen=True, slots=True)
class PoseStamped:
    """A pose in the frame named by `frame_id`: x y z qx qy qz qw (m)."""

    pose: Sequence[float]
    frame_id: str = ""

    TYPE = "geometry_msgs/msg/PoseStamped"
    SCHEMA = f"std_msgs/Header header\ngeometry_msgs/Pose pose\n{_HEADER}{_TIME}{_POSE}{_POINT}{_QUATERNION}"

    def payload(self, stamp_ns: int) -> bytes:
        """Return the message as CDR."""
        layout, words = _make_layout(self.frame_id, ("d", 7))
        return layout.pack(*_make_stamp_prefix(stamp_ns), *words, *self.pose)


Message = JointState | CompressedImage | WrenchStamped | Imu | PoseStamped


def _make_stamp_prefix(stamp_ns: int) -> tuple[bytes, int, int]:
    return (LITTLE_ENDIAN, *divmod(int(stamp_ns), NS_PER_S))


Field = tuple[str, str | int]


@lru_cache(maxsize=256)
def _make_layout(frame_id: str, *fields: Field) -> tuple[struct.Struct, tuple[int | bytes, ...]]:
    """Return the layout behind the stamp, and the values in it that never change (lengths and letters of strings).

    CDR aligns every primitive to its own size, counted from the end of the encapsulation header. A field is
    ("s", text), ("I", count) or ("d", count); strings must come before the numbers.
    """
    shape, at = "<4siI", 8
    words: list[int | bytes] = []
    for kind, value in (("s", frame_id), *fields):
        size = 8 if kind == "d" else 4
        gap = -at % size
        if kind == "s":
            letters = str(value).encode() + b"\x00"
            shape, at = f"{shape}{gap}xI{len(letters)}s", at + gap + 4 + len(letters)
            words += [len(letters), letters]
        elif value:  # an empty sequence is not aligned: there is nothing to align
            shape, at = f"{shape}{gap}x{value}{kind}", at + gap + size * int(value)
    return struct.Struct(shape), tuple(words)


@lru_cache(maxsize=256)
def _make_joint_layout(
    frame_id: str, names: tuple[str, ...], counts: tuple[int, int, int]
) -> tuple[struct.Struct, tuple[int | bytes, ...]]:
    """Return the layout of a JointState: the list of names is constant, the three lists of numbers follow."""
    numbers: tuple[Field, ...] = tuple(field for count in counts for field in (("I", 1), ("d", count)))
    layout, words = _make_layout(frame_id, ("I", 1), *(("s", name) for name in names), *numbers)
    return layout, (*words[:2], len(names), *words[2:])
