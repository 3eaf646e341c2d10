"""Motions: what the joints really do, as a smooth function of time that can be asked at any moment."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np

from bench.timing_truth.arms import Arm, Limb
from fieldloop.errors import UnknownName
from fieldloop.geometry import chain as kin
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.motion import compute_move_progress

DENSE_HZ = 500.0
MARGIN_S = 1.0
"""Motion is known so long before the first and behind the last frame."""
OPEN_M, SHUT_M = 0.08, 0.035
GRIP_S = 0.25
"""The arm waits so long while its fingers close or open."""
TURN_RAD = 0.7
"""The hand is turned this far to either side at most; its last joint turns it about the tool."""
ROLL_M_PER_RAD = 0.12
"""A radian of turning takes as long as so many metres."""
VIA = 7
"""Places on a straight line at which the joints are solved for."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Joint angles (n × joints) and finger openings (n × limbs) on a dense grid, splined between."""

    times_s: Floats
    joints_rad: Floats
    opening_m: Floats

    def spline(self) -> Callable[[Any], Floats]:
        """Return the joints as a function of time."""
        from scipy.interpolate import CubicSpline

        between: Callable[[Any], Floats] = CubicSpline(self.times_s, self.joints_rad)
        return between


@dataclass(frozen=True, slots=True)
class Style:
    """How an operator moves: mean tool speed (m/s), share of stops with a pause, tremor (rad), unsteadiness of pace."""

    speed: tuple[float, float]
    pauses: float = 0.0
    tremor_rad: tuple[float, float] = (0.0, 0.0)
    unsteady: float = 0.0


STYLES: Mapping[str, Style] = {
    "pick": Style((0.18, 0.45), pauses=0.5, tremor_rad=(0.0, 0.0008)),
    "teleop": Style((0.10, 0.30), pauses=0.6, tremor_rad=(0.0005, 0.002), unsteady=0.6),
    "slow10": Style((0.10, 0.10)),
    "slow6": Style((0.06, 0.06)),
    "slow3": Style((0.03, 0.03)),
}
OTHERS = ("periodic", "joystick", "still")
MOTIONS = (*STYLES, *OTHERS)


def motion(arm: Arm, name: str, seconds: float, rng: np.random.Generator, *, straight: bool) -> Motion:
    """Draw a motion by name; `straight` moves the tool along lines, otherwise joints go their own shortest way."""
    if name not in MOTIONS:
        raise UnknownName("motion", name, MOTIONS)
    times = np.arange(round((seconds + 2 * MARGIN_S) * DENSE_HZ) + 1) / DENSE_HZ - MARGIN_S
    parts, openings = [], []
    for limb, room in zip(arm.limbs, arm.rooms, strict=True):
        if name in STYLES:
            joints, opening = _picks(limb, room, STYLES[name], times, rng, straight=straight)
        else:
            joints, opening = _FREE[name](limb, room, times, rng), np.full(len(times), OPEN_M)
        parts.append(joints)
        openings.append(opening)
    return Motion(times, np.concatenate(parts, axis=1), np.stack(openings, axis=1))


def _picks(
    limb: Limb,
    room: tuple[Floats, Floats],
    style: Style,
    times: Floats,
    rng: np.random.Generator,
    *,
    straight: bool,
) -> tuple[Floats, Floats]:
    """Pick and place over and over: above, down, close, up, across, down, open, up."""
    pace = times - times[0]
    if style.unsteady:
        rate = 1 + style.unsteady * np.tanh(wander(rng, len(times), 1.2, 1)[:, 0])
        pace = np.concatenate([[0.0], np.cumsum(rate[:-1])]) / DENSE_HZ
    joints, opening = np.empty((len(times), len(limb.rest_rad))), np.full(len(times), OPEN_M)
    (low, high), last = room, np.arange(joints.shape[1]) == joints.shape[1] - 1
    here = limb.reach(rng.uniform(low, high), limb.rest_rad)
    here_m = kin.compute_tool_pose(limb.chain, here)[:3, 3]
    begin, grip, turn, share = 0.0, OPEN_M, 0.0, np.linspace(0, 1, VIA)[:, None]
    for place_m, shut, next_turn in _stops(low, high, rng):
        there = limb.reach(place_m, here)
        via = here + share * (there - here)
        if straight:
            line = limb.reach(here_m + share * (place_m - here_m), via, steps=15)
            via = line + (1 - share) * (here - line[0])  # what the last move left over is taken along, not jumped over
        way = kin.compute_tool_pose(limb.chain, via)[:, :3, 3]
        turns = turn + share * (next_turn - turn)
        length = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()) + ROLL_M_PER_RAD * abs(next_turn - turn)
        end = begin + max(length / rng.uniform(*style.speed), 0.3)
        moving = pace >= begin
        joints[moving] = _along(via + turns * last, compute_move_progress(pace[moving], begin, end))
        target = SHUT_M if shut else OPEN_M
        closed = end + (GRIP_S if target != grip else 0.0)
        opening[moving] = grip + (target - grip) * compute_move_progress(pace[moving], end, closed)
        here, here_m, grip, turn = via[-1], way[-1], target, next_turn
        begin = closed + (rng.uniform(0.1, 0.5) if rng.random() < style.pauses else 0.0)
        if begin > pace[-1]:
            break
    size = rng.uniform(*style.tremor_rad)
    return joints + size * wander(rng, len(times), 6.0, joints.shape[1]), opening


def _stops(low: Floats, high: Floats, rng: np.random.Generator) -> Iterator[tuple[Floats, bool, float]]:
    """Yield places (m) with whether the fingers shut there and how the hand is turned, without end."""
    for shut in cycle((True, False)):
        x, y = rng.uniform(low[:2], high[:2])
        above, turn = rng.uniform(0.5 * (low[2] + high[2]), high[2]), float(rng.uniform(-TURN_RAD, TURN_RAD))
        yield np.array([x, y, above]), not shut, turn
        yield np.array([x, y, low[2]]), shut, turn
        yield np.array([x, y, rng.uniform(0.6, 1.0) * (above - low[2]) + low[2]]), shut, turn


def _along(via: Floats, share: Floats) -> Floats:
    """Follow the joints of a move through its solved places, smoothly."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(np.linspace(0, 1, len(via)), via)(share))


def _periodic(limb: Limb, room: tuple[Floats, Floats], times: Floats, rng: np.random.Generator) -> Floats:
    """Swing to and fro between two places at one frequency."""
    first, second = limb.reach(rng.uniform(*room, (2, 3)), limb.rest_rad)
    phase = 2 * np.pi * rng.uniform(0.4, 0.9) * times + rng.uniform(0, 2 * np.pi)
    return np.asarray(first + (0.5 + 0.5 * np.sin(phase))[:, None] * (second - first))


def _joystick(limb: Limb, room: tuple[Floats, Floats], times: Floats, rng: np.random.Generator) -> Floats:
    """Push a stick this way and that: speeds that jump, rounded by the controller within a twentieth of a second."""
    low, high = room
    place, stops = rng.uniform(low, high), [0.0]
    at = [place]
    while stops[-1] < times[-1] - times[0]:
        lasts = rng.uniform(0.3, 1.2)
        push = rng.choice([0.0, 1.0], p=[0.25, 0.75]) * rng.uniform(-0.25, 0.25, 3)
        place = np.clip(place + push * lasts, low, high)
        stops.append(stops[-1] + lasts)
        at.append(place)
    knots = limb.reach(np.array(at), limb.rest_rad)
    ways = np.stack([np.interp(times - times[0], stops, column) for column in knots.T], axis=1)
    round_off = np.exp(-np.arange(0, 0.3, 1 / DENSE_HZ) / 0.05)
    padded = np.concatenate([np.repeat(ways[:1], len(round_off) - 1, axis=0), ways])
    kernel = round_off / round_off.sum()
    return np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=1)


def _still(limb: Limb, room: tuple[Floats, Floats], times: Floats, rng: np.random.Generator) -> Floats:
    return np.tile(limb.reach(rng.uniform(*room), limb.rest_rad), (len(times), 1))


_FREE: Mapping[str, Callable[[Limb, tuple[Floats, Floats], Floats, np.random.Generator], Floats]] = {
    "periodic": _periodic,
    "joystick": _joystick,
    "still": _still,
}


def wander(rng: np.random.Generator, count: int, cut_hz: float, columns: int, hz: float = DENSE_HZ) -> Floats:
    """Return noise of unit size in the long run, without anything quicker than `cut_hz`."""
    from scipy.signal import butter, freqz_sos, sosfiltfilt

    low_pass = butter(2, cut_hz, fs=hz, output="sos")
    size = np.sqrt(np.mean(np.abs(freqz_sos(low_pass)[1]) ** 4))  # forwards and backwards: the filter acts twice
    spare = int(3 * hz / cut_hz)
    rough = rng.standard_normal((count + 2 * spare, columns))
    return np.asarray(sosfiltfilt(low_pass, rough, axis=0)[spare : spare + count] / size)
