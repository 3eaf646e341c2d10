"""Where the tool was: the one stream of poses that is known to be the tool's, of each arm."""

from fieldloop.check.case import Case
from fieldloop.check.episode.arms import is_tool, of_arm
from fieldloop.check.episode.signal import Signal, signals
from fieldloop.model.stream import StreamKind

PLACE = ("x", "y", "z")
NO_TOOL = "no stream tells the tool's pose in metres."


def tool(case: Case, arm: str = "") -> Signal | None:
    """Return the tool's pose: the stream with its name, or the only pose in metres beside an arm's joints.

    Where there are several arms, of the one that is named, or of the first.
    """
    return case.keep(("tool", arm), lambda: _find(case, arm))


def _find(case: Case, arm: str) -> Signal | None:
    found = [one for one in signals(case, StreamKind.POSE, unit="m") if one.columns[:3] == PLACE]
    poses = of_arm(found, arm)
    named = [one for one in poses if is_tool(one.name)]
    if named:
        return named[0]
    # a lone pose may as well be a vehicle's, unless the recording is an arm's
    armed = any(True for _ in case.streams(StreamKind.JOINT_POSITION))
    return poses[0] if len(poses) == 1 and armed else None
