"""A pick whose phases are known because they were written down first, with noise, jitter and gaps on demand."""

import numpy as np

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.taxonomy import PHASES

SECONDS = (1.4, 0.7, 0.45, 0.8, 1.1, 0.8, 0.35, 1.0)
HOME, ITEM, TOTE = (0.45, 0.0, 0.45), (0.55, 0.2, 0.12), (0.45, -0.3, 0.06)
CARRY_M = 0.42
START_NS = 1_700_000_000_000_000_000


def least_jerk(s):
    """Progress of a practised hand."""
    return s**3 * (10 - 15 * s + 6 * s * s)


def cosine(s):
    """Progress with a cosine's speed: it begins more abruptly."""
    return (1 - np.cos(np.pi * s)) / 2


def even(s, ramp=0.25):
    """Progress of a drive with a trapezoid of speed: even in the middle, ramps at the ends."""
    top = 1 / (1 - ramp)
    middle = np.clip(s, ramp, 1 - ramp)
    early, late = np.minimum(s, ramp), np.maximum(s, 1 - ramp) - (1 - ramp)
    return top * (early**2 / (2 * ramp) + (middle - ramp) + late - late**2 / (2 * ramp))


LAWS = {"least jerk": least_jerk, "cosine": cosine, "even": even}


def edges(tempo=1.0, pre_roll_s=1.2):
    """Return when each phase begins, and when the last ends, in seconds."""
    return pre_roll_s + np.concatenate([[0.0], np.cumsum(SECONDS)]) / tempo


def place(t, e, hover=0.09, law="least jerk"):
    """Return where the tool is."""

    def go(begin, end):
        return LAWS[law](np.clip((t - begin) / (end - begin), 0, 1))

    a, b, c, d, f, g, h, i, j = e
    home, item, tote = np.array(HOME), np.array(ITEM), np.array(TOTE)
    level = home[:2] + np.outer(go(a, a + 0.8 * (b - a)), item[:2] - home[:2])
    level = level + np.outer(go(f, g), tote[:2] - item[:2]) + np.outer(go(i + 0.2 * (j - i), j), home[:2] - tote[:2])
    high = home[2] + (item[2] + hover - home[2]) * go(a + 0.3 * (b - a), b) - hover * go(b, c)
    high = high + (CARRY_M - item[2]) * go(d, f) + (tote[2] - CARRY_M) * go(g, h)
    return np.column_stack([level, high + (home[2] - tote[2]) * go(i, i + 0.7 * (j - i))])


def fingers(t, e, asked=0.065, held=0.043, speed=0.2):
    """Return the opening: a change on the way, closing, holding, opening."""
    shut, wide = e[2], e[6]
    at = [e[0] + 0.2, e[0] + 0.6, shut, shut + (asked - held) / speed, wide, wide + (0.08 - held) / speed]
    return np.interp(t, at, [0.08, asked, asked, held, held, 0.08])


def force(t, e, asked=0.065, held=0.043, speed=0.2, grip_n=12.0):
    """Return the grip force."""
    touch = e[2] + (asked - held) / speed
    return grip_n * (1 - np.exp(-np.clip(t - touch, 0, None) / 0.05)) * np.exp(-np.clip(t - e[6], 0, None) / 0.02)


def stream(name, kind, unit, hz, end_s, values, rng, jitter_s=0.001):
    t = np.arange(0, end_s, 1 / hz)
    t = np.sort(t + rng.normal(0, jitter_s, len(t)))
    stamps = START_NS + np.round(t * NS_PER_S).astype(np.int64)
    return Stream(name, kind, unit, {ClockKind.HEADER: stamps}, values(t), nominal_hz=hz)


def staged(
    seed=0, tempo=1.0, tool_noise_m=0.0, width_noise_m=0.0, hz=100.0, hover=0.09, law="least jerk", *, effort=True
):
    """Return a recording of one pick and the nine times (ns) at which its phases begin and end."""
    rng = np.random.default_rng(seed)
    e = edges(tempo)

    def noisy(values, deviation):
        return values + rng.normal(0, 1, values.shape) * deviation

    def pose(t):
        return np.column_stack([noisy(place(t, e, hover, law), tool_noise_m), np.tile([1.0, 0, 0, 0], (len(t), 1))])

    def width(t):
        return noisy(fingers(t, e), width_noise_m)[:, None]

    def pressed(t):
        return noisy(force(t, e), 0.1)[:, None]

    wanted = [("tool", StreamKind.POSE, "m", pose), ("gripper", StreamKind.GRIPPER, "m", width)]
    wanted += [("gripper/effort", StreamKind.GRIPPER, "N", pressed)] if effort else []
    streams = {name: stream(name, kind, unit, hz, e[-1] + 2.2, made, rng) for name, kind, unit, made in wanted}
    return Recording(Episode("e1", "e1", "staged"), streams), START_NS + np.round(e * NS_PER_S).astype(np.int64)


def proposed_edges(spans):
    """Return the nine times of a whole proposal."""
    assert [s.label for s in spans] == list(PHASES)
    return np.array([spans[0].start_ns, *(s.end_ns for s in spans)])
