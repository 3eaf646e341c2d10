"""How smoothly the arm moved: a rate, so that a long episode is not rougher than a short one."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.signal import NO_RATE, Signal, paced, signals
from fieldloop.check.episode.speeds import unwrapped, windowed
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, StreamKind

UNKNOWN = float("nan")
ROUGHNESS = "motion.roughness"


@check(
    ROUGHNESS,
    unit="1/s",
    needs=("joints",),
    advice="Look for tremor, a loose wire or a controller that hunts; smooth nothing before the cause is known.",
)
def rough(case: Case) -> Iterator[Measurement]:
    """How roughly did the arm move?

    How much the joints' velocity changes in a second, over how large it is, both as root mean square while the robot
    moves. A motion of one frequency has 2π times that frequency, whatever its size and however long it lasts.
    """
    for one in signals(case, StreamKind.JOINT_POSITION, unit="rad"):
        if not paced(one.stream):
            yield Measurement(one.name, UNKNOWN, cannot_tell=NO_RATE)
        elif movement(case) is None:
            yield Measurement(one.name, UNKNOWN, cannot_tell=still(case))
        elif one.period_s > case.parameter(ROUGHNESS, "window_s"):
            yield Measurement(one.name, UNKNOWN, cannot_tell="it is sampled too seldom to show tremor.")
        else:
            value = roughness(case, one)
            reason = "" if np.isfinite(value) else "its joints do not move."
            yield Measurement(one.name, value, cannot_tell=reason)


def roughness(case: Case, one: Signal) -> float:
    """Return the rms acceleration over the rms speed while the robot moves, in 1/s; NaN where nothing moves."""
    return float(case.keep(("roughness", one.name), lambda: _roughness(case, one)))


def _roughness(case: Case, one: Signal) -> float:
    moved = movement(case)
    if moved is None:
        return UNKNOWN
    inside = one.between(moved.onset_ns, moved.offset_ns)
    part = Signal(one.stream, one.times_ns[inside], one.values[inside], one.period_s)
    if len(part.times_ns) < 8:  # noqa: PLR2004 - two differences and something to average
        return UNKNOWN
    made = windowed(part, unwrapped(case, part.values), case.parameter(ROUGHNESS, "window_s"))
    reach = max(1, len(part.times_ns) - len(made.times_ns))
    if len(made.times_ns) <= reach:
        return UNKNOWN
    span_s = (made.times_ns[reach:] - made.times_ns[:-reach]) / NS_PER_S
    change = (made.velocity[reach:] - made.velocity[:-reach]) / np.maximum(span_s, part.period_s / 2)[:, None]
    size = float(np.sqrt((made.velocity**2).sum(axis=1).mean()))
    return float(np.sqrt((change**2).sum(axis=1).mean())) / size if size > 0 else UNKNOWN
