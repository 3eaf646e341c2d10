"""Moving frames: each child frame of a TFMessage is a group of poses with its own timestamps."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fieldloop.ingest.messages.decoded import Collector
from fieldloop.ingest.messages.stream_types import POSE_COLUMNS
from fieldloop.model.stream import NS_PER_S


class FramePose(NamedTuple):
    """Where a child frame is seen from its parent, at a time (ns)."""

    parent: str
    child: str
    stamp_ns: int
    pose: tuple[float, ...]


def extract_frame_poses(message: Any) -> Iterator[FramePose]:
    """Yield every transform of a decoded TFMessage."""
    for entry in message.transforms:
        move, turn = entry.transform.translation, entry.transform.rotation
        stamp = entry.header.stamp
        yield FramePose(
            entry.header.frame_id.strip("/"),
            entry.child_frame_id.strip("/"),
            stamp.sec * NS_PER_S + stamp.nanosec,
            (move.x, move.y, move.z, turn.x, turn.y, turn.z, turn.w),
        )


def collect_transforms(
    message: Any, message_index: int, collector: Collector, fix_stamp_sign: Callable[[int], int]
) -> None:
    """Put every transform of a message into the group of its child frame; `fix_stamp_sign` corrects stamps."""
    for pose in extract_frame_poses(message):
        collector.add_row(
            (pose.child or "unnamed", POSE_COLUMNS),
            message_index,
            pose.pose,
            fix_stamp_sign(pose.stamp_ns),
            pose.parent,
        )
