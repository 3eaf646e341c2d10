"""The pose stream of each arm's tool."""

from fieldloop.check.case import Case
from fieldloop.check.signals.arms import is_tool_name, select_signals_of_arm
from fieldloop.check.signals.signal import Signal, find_signals
from fieldloop.model.note import note
from fieldloop.model.stream import StreamKind

PLACE = ("x", "y", "z")
NO_TOOL = note("check.no_tool_pose")


def find_tool_pose(case: Case, arm: str = "") -> Signal | None:
    """Return the tool's pose: the stream with its name, or the only pose in metres beside an arm's joints.

    With several arms: that of the named arm, else of the first.
    """
    return case.compute_once(("tool", arm), lambda: _select_tool_pose(case, arm))


def _select_tool_pose(case: Case, arm: str) -> Signal | None:
    metric_poses = [one for one in find_signals(case, StreamKind.POSE, unit="m") if one.columns[:3] == PLACE]
    poses = select_signals_of_arm(metric_poses, arm)
    named = [one for one in poses if is_tool_name(one.name)]
    if named:
        return named[0]
    # a single pose may be a vehicle's unless the recording has joints
    armed = any(True for _ in case.find_streams(StreamKind.JOINT_POSITION))
    return poses[0] if len(poses) == 1 and armed else None
