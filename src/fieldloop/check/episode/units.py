"""Do streams that tell of one motion agree on its size? Degrees for radians and millimetres for metres do not."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.arms import arms, joints_of
from fieldloop.check.episode.contact import opening
from fieldloop.check.episode.follow import NotComparable, paired_columns, placed
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.signal import FEWEST, NO_RATE, Floats, Signal, paced, signals, zeroed
from fieldloop.check.episode.speeds import median_of_three, unwrapped
from fieldloop.check.episode.tool import tool
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import MM_PER_M, NS_PER_S, StreamKind
from fieldloop.stats.quantile import median

UNKNOWN = float("nan")
UNITS = "motion.units"
DEG_PER_RAD = 180 / np.pi
SUSPECTS = {DEG_PER_RAD: "degrees beside radians", MM_PER_M: "millimetres beside metres"}
NEAR = 1.3
"""A ratio this near to a conversion is taken for it, and named."""


@check(
    UNITS,
    unit="× off",
    needs=("streams",),
    advice="Declare the right unit in the mapping, and take the log in again.",
)
def units(case: Case) -> Iterator[Measurement]:
    """By which factor do streams that tell of one motion disagree about its size?

    Velocities summed up must give the way of their positions; commanded joints swing as far as those that follow them;
    a tool's way over its joints' turn is a lever no longer than an arm; fingers open no wider than a gripper. 57.3
    betrays degrees, 1000 betrays millimetres. Commands may be scaled by right: of them only that is told.
    """
    for position in signals(case, StreamKind.JOINT_POSITION):
        for velocity in signals(case, StreamKind.JOINT_VELOCITY):
            if _partners(position, velocity):
                yield _velocity(case, position, velocity)
        for command in signals(case, StreamKind.ACTION, unit=position.stream.unit):
            yield from _command(case, command, position)
    for arm in arms(case):
        pose, joints = tool(case, arm), joints_of(case, arm)
        if pose is not None and joints is not None:
            yield _lever(case, pose, joints)
        wide = opening(case, arm)
        if wide is not None and wide[0].stream.unit == "m" and np.isfinite(wide[1]).any():
            factor = float(np.nanmax(np.abs(wide[1]))) / case.parameter(UNITS, "widest_m")
            yield Measurement(wide[0].name, max(1.0, factor), "than the widest gripper opens" if factor > 1 else "")


def _partners(position: Signal, velocity: Signal) -> bool:
    """Do both tell of the same joints? By their names, or by coming in one message."""
    same_shape = position.values.shape == velocity.values.shape
    if not same_shape or not np.array_equal(position.times_ns, velocity.times_ns):
        return False
    return position.columns == velocity.columns


def _velocity(case: Case, position: Signal, velocity: Signal) -> Measurement:
    subject = f"{velocity.name}{PAIR}{position.name}"
    if not (paced(position.stream) and paced(velocity.stream)):
        return Measurement(subject, UNKNOWN, cannot_tell=NO_RATE)
    if movement(case) is None:
        return Measurement(subject, UNKNOWN, cannot_tell=still(case))
    gone, summed = _ways(case, position, velocity)
    moving = (gone.std(axis=0) > 0) & (summed.std(axis=0) > 0)
    if not moving.any():
        return Measurement(subject, UNKNOWN, cannot_tell="its joints do not move.")
    gone, summed = gone[:, moving], summed[:, moving]
    agreement = (gone * summed).sum(axis=0) / np.sqrt((gone**2).sum(axis=0) * (summed**2).sum(axis=0))
    agreeing = agreement > case.parameter(UNITS, "min_agreement")
    if not agreeing.any():
        said = f"velocities do not follow from the positions (correlation {float(np.nanmax(agreement)):.2f})."
        return Measurement(subject, UNKNOWN, cannot_tell=said)
    ratios = np.sqrt((summed[:, agreeing] ** 2).sum(axis=0) / (gone[:, agreeing] ** 2).sum(axis=0))
    ratio = median(ratios)
    factor = max(ratio, 1 / ratio)
    which = "velocities too large" if ratio > 1 else "velocities too small"
    return Measurement(subject, factor, f"({which}{_suspect(factor)})")


def _command(case: Case, command: Signal, position: Signal) -> Iterator[Measurement]:
    """Compare how far commanded and real joints swing, where they swing together."""
    inside = command.between(int(position.times_ns[0]), int(position.times_ns[-1]))
    when_ns = command.times_ns[inside]
    try:
        ours, theirs = paired_columns(command, position)
    except NotComparable:
        return
    if len(when_ns) < FEWEST:
        return
    asked, done = zeroed(command.values[inside][:, ours]), placed(position, theirs, when_ns)
    asked, done = asked - asked.mean(axis=0), done - done.mean(axis=0)
    sizes = np.sqrt((asked**2).sum(axis=0)), np.sqrt((done**2).sum(axis=0))
    together = (asked * done).sum(axis=0) > case.parameter(UNITS, "min_agreement") * sizes[0] * sizes[1]
    if not together.any():
        return
    ratio = median(sizes[0][together] / sizes[1][together])
    factor, which = max(ratio, 1 / ratio), "commands too large" if ratio > 1 else "commands too small"
    if factor < NEAR:
        yield Measurement(f"{command.name}{PAIR}{position.name}", factor)
    elif suspect := _suspect(factor):
        yield Measurement(f"{command.name}{PAIR}{position.name}", factor, f"({which}{suspect})")


def _ways(case: Case, position: Signal, velocity: Signal) -> tuple[Floats, Floats]:
    """Return the way over windows: of the positions, and of the velocities summed up."""
    times_s = (position.times_ns - position.times_ns[0]) / NS_PER_S
    steps_s = np.diff(times_s)[:, None]
    rates = zeroed(velocity.values)
    summed = np.vstack([np.zeros(rates.shape[1]), np.cumsum((rates[1:] + rates[:-1]) / 2 * steps_s, axis=0)])
    angles = median_of_three(zeroed(unwrapped(case, position.values)))
    window_s = float(case.protocol.setting("episode.moving_window_s"))
    reach = min(max(1, round(window_s / position.period_s)), len(angles) - 1)
    return angles[reach:] - angles[:-reach], summed[reach:] - summed[:-reach]


def _lever(case: Case, pose: Signal, joints: Signal) -> Measurement:
    """Compare how far tool and joints got from their beginning: no arm has a lever of fifty metres."""
    subject = f"{pose.name}{PAIR}{joints.name}"
    away_m = _farthest(pose.values[:, :3])
    turned = _farthest(unwrapped(case, joints.values))
    if turned < case.parameter(UNITS, "least_turn_rad"):
        return Measurement(subject, UNKNOWN, cannot_tell="the joints hardly move.")
    factor = away_m / turned / case.parameter(UNITS, "longest_lever_m")
    return Measurement(subject, max(1.0, factor), "farther than an arm of that turn reaches" if factor > 1 else "")


def _farthest(values: Floats) -> float:
    known = values[np.isfinite(values).all(axis=1)]
    return float(np.sqrt(((known - known[0]) ** 2).sum(axis=1)).max()) if len(known) else 0.0


def _suspect(factor: float) -> str:
    for conversion, words in SUSPECTS.items():
        if conversion / NEAR < factor < conversion * NEAR:
            return f": {words}"
    return ""
