"""Where the tool was: the one stream of poses that is known to be the tool's."""

from fieldloop.check.case import Case
from fieldloop.check.episode.signal import Signal, signals
from fieldloop.model.stream import StreamKind

PLACE = ("x", "y", "z")
TOOL_WORDS = ("tool", "tcp", "eef", "end_effector", "ee_pose", "gripper")
NO_TOOL = "no stream tells the tool's pose in metres."


def tool(case: Case) -> Signal | None:
    """Return the tool's pose: the stream with its name, or the only pose in metres beside an arm's joints."""
    return case.keep("tool", lambda: _find(case))  # type: ignore[no-any-return] # kept as made


def _find(case: Case) -> Signal | None:
    poses = [one for one in signals(case, StreamKind.POSE, unit="m") if one.columns[:3] == PLACE]
    named = [one for one in poses if any(word in one.name.lower() for word in TOOL_WORDS)]
    if named:
        return named[0]
    # a lone pose may as well be a vehicle's, unless the recording is an arm's
    armed = any(True for _ in case.streams(StreamKind.JOINT_POSITION))
    return poses[0] if len(poses) == 1 and armed else None
