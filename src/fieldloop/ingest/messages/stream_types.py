"""Well-known message types: what they carry, in which unit, and under which short names."""

from collections.abc import Mapping
from typing import NamedTuple

from fieldloop.model.stream import StreamKind


class StreamType(NamedTuple):
    """`columns` maps a number's path in the message to its short name; where it is empty, every number is kept."""

    kind: StreamKind
    unit: str
    columns: Mapping[str, str]


def _map_vector_columns(path: str, axes: str) -> dict[str, str]:
    return {f"{path}.{axis}": name for axis, name in zip("xyzw", axes.split(), strict=False)}


def _map_pose_columns(path: str, position: str = "position", orientation: str = "orientation") -> dict[str, str]:
    return _map_vector_columns(f"{path}{position}", "x y z") | _map_vector_columns(
        f"{path}{orientation}", "qx qy qz qw"
    )


def _map_wrench_columns(path: str) -> dict[str, str]:
    return _map_vector_columns(f"{path}force", "fx fy fz") | _map_vector_columns(f"{path}torque", "tx ty tz")


POSE_COLUMNS = ("x", "y", "z", "qx", "qy", "qz", "qw")
_FORCE, _POSE = StreamKind.FORCE_TORQUE, StreamKind.POSE
_IMU = _map_vector_columns("linear_acceleration", "ax ay az") | _map_vector_columns("angular_velocity", "gx gy gz")
STREAM_TYPES = {
    "geometry_msgs/msg/Wrench": StreamType(_FORCE, "N, N·m", _map_wrench_columns("")),
    "geometry_msgs/msg/WrenchStamped": StreamType(_FORCE, "N, N·m", _map_wrench_columns("wrench.")),
    "sensor_msgs/msg/Imu": StreamType(StreamKind.IMU, "m/s², rad/s", _IMU),
    "geometry_msgs/msg/Pose": StreamType(_POSE, "m", _map_pose_columns("")),
    "geometry_msgs/msg/PoseStamped": StreamType(_POSE, "m", _map_pose_columns("pose.")),
    "geometry_msgs/msg/PoseWithCovariance": StreamType(_POSE, "m", _map_pose_columns("pose.")),
    "geometry_msgs/msg/PoseWithCovarianceStamped": StreamType(_POSE, "m", _map_pose_columns("pose.pose.")),
    "geometry_msgs/msg/PoseArray": StreamType(_POSE, "m", {}),
    "geometry_msgs/msg/Transform": StreamType(_POSE, "m", _map_pose_columns("", "translation", "rotation")),
    "geometry_msgs/msg/TransformStamped": StreamType(_POSE, "m", _map_pose_columns("transform.", "translation",
    "rotation")),
    "tf2_msgs/msg/TFMessage": StreamType(_POSE, "m", {}),
    "tf/msg/tfMessage": StreamType(_POSE, "m", {}),
    "foxglove.PoseInFrame": StreamType(_POSE, "m", _map_pose_columns("pose.")),
    "foxglove.FrameTransform": StreamType(_POSE, "m", _map_pose_columns("", "translation", "rotation")),
}  # fmt: skip
