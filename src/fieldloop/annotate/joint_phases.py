"""Phases from the speed of an arm and the movements of its fingers, where no pose of the tool is known.

Without a pose, height and distance are unknown: pre-grasp is a part of approach here, lift and place are parts of
transport.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.annotate.grips import Hold, measure_travel
from fieldloop.annotate.limbs import Limb
from fieldloop.annotate.motion import Floats, find_move_onset


@dataclass(frozen=True, slots=True)
class Edge:
    """A boundary: a (fractional) grid index and how clear it is, 0 to 1."""

    at: float
    clear: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A labelled stretch between two edges."""

    label: str
    begin: Edge
    end: Edge

    @property
    def clear(self) -> float:
        """How clear its less clear edge is."""
        return min(self.begin.clear, self.end.clear)


def find_joint_phases(limb: Limb, hold: Hold, begin: int, end: int, numbers: Mapping[str, float]) -> list[Piece]:
    """Return the phases of one hold between two grid indices; none is clearer than the hold."""
    pieces = _cut_at_edges(limb, hold, begin, end, numbers)
    return [Piece(p.label, _limit_clearness(p.begin, hold), _limit_clearness(p.end, hold)) for p in pieces]


def _limit_clearness(edge: Edge, hold: Hold) -> Edge:
    return Edge(edge.at, min(edge.clear, hold.sureness))


def _cut_at_edges(limb: Limb, hold: Hold, begin: int, end: int, numbers: Mapping[str, float]) -> list[Piece]:
    fingers = hold.sureness
    if hold.from_start and hold.opening is not None:
        start = _find_start(limb, begin, hold.opening, numbers)
        return [Piece("transport", start, Edge(hold.opening, fingers)), *_cut_release(limb, hold, end, numbers)]
    start = _find_start(limb, begin, hold.closing, numbers)
    closing = Edge(hold.closing, fingers)
    until = end if hold.opening is None else int(hold.opening)
    lift = _find_departure(limb.speed, hold.gripped, hold.closed, until, limb.hz, numbers)
    reached = begin > 0 or measure_travel(limb, 0, int(hold.closing)) >= numbers["approach_least"]
    pieces = [Piece("approach", start, closing)] if reached and closing.at - start.at >= 1 else []
    if lift is None and measure_travel(limb, hold.closed, until) >= numbers["carry_share"]:
        lift = Edge(float(hold.closed), numbers["cut_clear"])  # the arm never paused to grip
    if lift is None:
        return [*pieces, Piece("grasp", closing, Edge(float(until), numbers["cut_clear"]))]
    pieces.append(Piece("grasp", closing, lift))
    if hold.opening is None:
        return [*pieces, Piece("transport", lift, Edge(float(end), numbers["cut_clear"]))]
    pieces.append(Piece("transport", lift, Edge(hold.opening, fingers)))
    return [*pieces, *_cut_release(limb, hold, end, numbers)]


def _cut_release(limb: Limb, hold: Hold, end: int, numbers: Mapping[str, float]) -> list[Piece]:
    assert hold.opening is not None
    opening = Edge(hold.opening, hold.sureness)
    away = _find_departure(limb.speed, hold.opening, hold.opened or int(hold.opening), end, limb.hz, numbers)
    if away is None:
        return [Piece("release", opening, Edge(float(end), numbers["cut_clear"]))]
    rest = _find_rest(limb, away, end, numbers)
    return [Piece("release", opening, away), Piece("retract", away, rest)]


def _find_start(limb: Limb, begin: int, closing: float, numbers: Mapping[str, float]) -> Edge:
    """Return where the arm starts to move before the fingers close; the beginning where it moves already."""
    here = limb.speed[begin : max(int(closing), begin + 1)]
    moving = here > numbers["still_share"]
    if not moving.any():
        return Edge(closing, 0.0)
    first = int(np.argmax(moving))
    if first <= 1:
        return Edge(float(begin), numbers["cut_clear"])
    reach = max(2, round(numbers["rise_s"] * limb.hz))
    at = begin + _find_onset(limb.speed[begin : begin + first + reach + 1], numbers)
    return Edge(at, _measure_contrast(limb.speed, begin + first, limb.hz, numbers))


def _find_departure(
    speed: Floats, begin: float, settled: int, end: int, hz: float, numbers: Mapping[str, float]
) -> Edge | None:
    """Return where the arm moves on after its fingers moved: at the dip of its speed that the greatest rise follows.

    The dip lies between `begin`, where the fingers are on their way, and a moment after they settled.
    """
    first, late = int(begin), min(end, settled + max(1, round(numbers["settle_s"] * hz)))
    here = speed[first : end + 1]
    if len(here) < 2 or late <= first:  # noqa: PLR2004 - a rise needs two samples
        return None
    dips = [k for k in range(late - first + 1) if _is_dip(here, k)] or [int(np.argmin(here[: late - first + 1]))]
    reach = max(2, round(numbers["rise_s"] * hz))
    rises = [float(here[k : k + reach + 1].max() - here[k]) for k in dips]
    best = int(np.argmax(rises))
    dip, rise = dips[best], rises[best]
    top = rise + float(here[dip])
    if top < numbers["still_share"] or rise < numbers["rise_share"] * top:
        return None
    leaves = dip + _find_onset(here[dip : dip + reach + 1] - here[dip], numbers)
    return Edge(max(first + leaves, begin), min(1.0, rise / top))


def _find_onset(speed: Floats, numbers: Mapping[str, float]) -> float:
    return find_move_onset(speed, 0, len(speed), numbers) or 0.0


def _is_dip(speed: Floats, index: int) -> bool:
    before = speed[index - 1] if index else np.inf
    return bool(speed[index] <= before and index + 1 < len(speed) and speed[index] < speed[index + 1])


def _find_rest(limb: Limb, away: Edge, end: int, numbers: Mapping[str, float]) -> Edge:
    """Return where the arm comes to rest, or the end of the stretch."""
    moving = np.flatnonzero(limb.speed[int(away.at) : end + 1] > numbers["still_share"])
    last = int(away.at) + (int(moving[-1]) if len(moving) else 0)
    return Edge(float(end), numbers["cut_clear"]) if last >= end - 1 else Edge(last + 1.0, numbers["rest_clear"])


def _measure_contrast(speed: Floats, index: int, hz: float, numbers: Mapping[str, float]) -> float:
    """Return how much faster the arm is after an index than before, 0 to 1."""
    reach = max(2, round(numbers["contrast_s"] * hz))
    before, after = speed[max(index - reach, 0) : max(index, 1)], speed[index : index + reach]
    top = float(after.max(initial=0.0))
    return float(np.clip(1 - before.min() / top, 0, 1)) if top > 0 and len(before) else 0.0
