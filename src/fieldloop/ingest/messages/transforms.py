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


def poses_in(message: Any) -> Iterator[FramePose]:
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


def collect(message: Any, index: int, collector: Collector, unwrap: Callable[[int], int]) -> None:
    """Put every transform of a message into the group of its child frame; `unwrap` mends the sign of its stamps."""
    for pose in poses_in(message):
        collector.add((pose.child or "unnamed", POSE_COLUMNS), index, pose.pose, unwrap(pose.stamp_ns), pose.parent)
