"""Do chains of steps lose precision? Deviations along the chain, and by how far each step had to move."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.explanations.behaviour import first_deviations
from fieldloop.diagnose.explanations.columns import Columns
from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.model.diagnosis import Role
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

SMALLEST_M = 1e-5
"""Smaller deviations count as this: zero has no logarithm, and no arm is more precise."""


@dataclass(frozen=True)
class Chain:
    """Excess deviation of the first and the last step over the baseline (log ratios), and its growth.

    `score` is the growth along the chain in standard errors. `moved` is the correlation of a step's deviation with how
    far or fast it had to move, in standard errors beyond the ordinary: a late frame or answer misses by the distance
    travelled meanwhile. None where no such number was logged.
    """

    first: float
    last: float
    score: float
    attempts: int
    moved: float | None

    def loses_precision(self, settings: Section) -> bool:
        """Is the first step about right, and is precision lost from there on?"""
        grown = self.last > settings.number("chain_growth") * max(self.first, 0.0)
        return self.score > settings.number("clear_errors") and grown

    def misses_more_with_travel(self, settings: Section) -> bool:
        """Does it miss by more the farther it moves?"""
        return self.moved is not None and self.moved > settings.number("clear_errors")

    def suggests_late_frames(self, settings: Section) -> bool:
        """Does anything point to late frames? Where movement was logged, it must show there."""
        return self.misses_more_with_travel(settings) if self.moved is not None else self.loses_precision(settings)

    def log_odds(self, settings: Section) -> float:
        """Return the prior log-odds that frames are late, where lag was not verified."""
        score = self.moved if self.moved is not None else self.score
        return min(settings.number("unverified_odds") + score**2 / 2.0, settings.number("measured_odds"))

    def notes(self, settings: Section) -> tuple[Note, ...]:
        """State what was seen along the chain."""
        notes = []
        if self.loses_precision(settings):
            first, last = (float(np.expm1(step)) for step in (self.first, self.last))
            notes.append(note("diagnose.chain_loses_precision", first=first, last=last, attempts=self.attempts))
        if self.misses_more_with_travel(settings) and self.moved is not None:
            notes.append(note("diagnose.misses_grow_with_travel", errors=self.moved))
        return tuple(notes)


def chain_of(
    before: Table, after: Table, clean: NDArray[np.bool_], columns: Columns, settings: Section
) -> Chain | None:
    """Follow the chains of clean rows; None where steps or deviations were not logged often enough."""
    fewest = settings.number("min_chain_attempts")
    usual = _usual_log_deviations(before.outcomes, fewest) if before.logs_steps else {}
    if not usual or not after.logs_steps:
        return None
    kept = np.flatnonzero(clean)
    pairs = [(k, excess) for k in kept.tolist() if len(excess := _excess(after.outcomes[k], usual)) > 1]
    if len(pairs) < fewest:
        return None
    slopes = np.array([_slope(np.array(excess)) for _, excess in pairs])
    error = max(float(slopes.std()), 1e-9) / np.sqrt(len(slopes))
    first, last = (float(np.mean([excess[at] for _, excess in pairs])) for at in (0, -1))
    moved = _correlate_with_movement(after, kept, columns, settings)
    return Chain(first, last, float(slopes.mean() / error), len(pairs), moved)


def rows_with_usual_latency(
    before: Table, after: Table, columns: Columns, usual: float, slower: float
) -> NDArray[np.bool_]:
    """Mark rows of production whose answers were not slower than usual: late answers have the effect of late frames."""
    slow = np.zeros(len(after), dtype=bool)
    for name, values in after.numbers.items():
        known = before.numbers.get(name)
        if columns.role(name) is Role.LATENCY and known is not None:
            slow |= values > slower * np.nanquantile(known, usual)
    return ~slow


def _correlate_with_movement(
    after: Table, kept: NDArray[np.int64], columns: Columns, settings: Section
) -> float | None:
    """Rank-correlate the first step's deviation with its movement; in standard errors beyond the ordinary."""
    ordinary, fewest = settings.number("ordinary_drag"), settings.number("min_chain_attempts")
    missed = first_deviations(after)[kept]
    beyond_ordinary = [
        (related[0] - ordinary) / np.hypot(related[1], ordinary)
        for name, values in after.numbers.items()
        if columns.role(name) is Role.PACE and (related := _correlation(values[kept], missed, fewest))
    ]
    return float(max(beyond_ordinary)) if beyond_ordinary else None


def _correlation(first: Floats, second: Floats, fewest: float) -> tuple[float, float] | None:
    from scipy.stats import rankdata

    both = np.isfinite(first) & np.isfinite(second)
    if both.sum() < fewest or np.ptp(first[both]) == 0.0 or np.ptp(second[both]) == 0.0:
        return None
    alike = np.corrcoef(rankdata(first[both]), rankdata(second[both]))[0, 1]
    return float(np.arctanh(np.clip(alike, -0.99, 0.99))), 1.0 / np.sqrt(both.sum() - 3.0)


def _slope(excess: Floats) -> float:
    """Fit the growth from the first step to the last by least squares."""
    centred = np.linspace(-0.5, 0.5, len(excess))
    return float(centred @ excess / (centred @ centred))


def _usual_log_deviations(outcomes: Sequence[Outcome], fewest: float) -> dict[str, float]:
    """Return the baseline's mean log deviation of each step."""
    seen: dict[str, list[float]] = {}
    for outcome in outcomes:
        for step in outcome.steps:
            if step.deviation_m is not None:
                seen.setdefault(step.name, []).append(_log_deviation(step.deviation_m))
    return {name: float(np.mean(values)) for name, values in seen.items() if len(values) >= fewest}


def _excess(outcome: Outcome, usual: dict[str, float]) -> list[float]:
    steps = [(s.name, s.deviation_m) for s in outcome.steps if s.deviation_m is not None]
    return [_log_deviation(deviation) - usual[name] for name, deviation in steps if name in usual]


def _log_deviation(deviation_m: float) -> float:
    return float(np.log(max(abs(deviation_m), SMALLEST_M)))
