"""Do chains lose precision? Deviations of the steps, along the chain and with how far it had to move."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose import gaps
from fieldloop.diagnose.numerals import percent, several
from fieldloop.diagnose.table import Floats, Table
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

SMALLEST_M = 1e-5
"""A deviation of nothing has no logarithm; no arm ends nearer than this."""


@dataclass(frozen=True)
class Chain:
    """How much farther off the first and the last step ended than in the baseline (logarithms), and its growth.

    `score` is the growth along the chain in standard errors. `moved` says how clearly a step ends the farther off the
    farther or faster it had to move, in standard errors beyond the ordinary: pictures or answers that are late miss by
    what was travelled meanwhile. None where no such number was logged.
    """

    first: float
    last: float
    score: float
    attempts: int
    moved: float | None

    def grows(self, settings: Section) -> bool:
        """Is the start about right, and does precision get lost from there on?"""
        grown = self.last > settings.number("chain_growth") * max(self.first, 0.0)
        return self.score > settings.number("clear_errors") and grown

    def drags(self, settings: Section) -> bool:
        """Does it miss by more the farther it moved?"""
        return self.moved is not None and self.moved > settings.number("clear_errors")

    def suspicious(self, settings: Section) -> bool:
        """Does anything point to pictures that are late? Where movement was logged it must show there."""
        return self.drags(settings) if self.moved is not None else self.grows(settings)

    def log_odds(self, settings: Section) -> float:
        """Suspicion that pictures are late, though nobody verified it."""
        score = self.moved if self.moved is not None else self.score
        return min(settings.number("unverified_odds") + score**2 / 2.0, settings.number("measured_odds"))

    def words(self, settings: Section) -> str:
        """What was seen, in words."""
        said = []
        if self.grows(settings):
            first, last = (percent(float(np.expm1(step)), signed=True) for step in (self.first, self.last))
            said.append(
                f"Chains lose precision along the way: the first step ends {first} off against the baseline, the last "
                f"{last}, in {several(self.attempts, 'attempt')}."
            )
        if self.drags(settings) and self.moved is not None:
            said.append(f"Steps miss by more the farther they moved ({self.moved:.1f} standard errors).")
        return " ".join(said)


def chain_of(before: Table, after: Table, clean: NDArray[np.bool_], settings: Section) -> Chain | None:
    """Follow the chains of clean rows; None where steps or deviations were not logged often enough."""
    fewest = settings.number("min_chain_attempts")
    usual = _usual(before.outcomes, fewest)
    kept = np.flatnonzero(clean)
    pairs = [(k, excess) for k in kept.tolist() if len(excess := _excess(after.outcomes[k], usual)) > 1]
    if len(pairs) < fewest:
        return None
    slopes = np.array([_slope(np.array(excess)) for _, excess in pairs])
    error = max(float(slopes.std()), 1e-9) / np.sqrt(len(slopes))
    first, last = (float(np.mean([excess[at] for _, excess in pairs])) for at in (0, -1))
    return Chain(first, last, float(slopes.mean() / error), len(pairs), _moved(after, kept, settings))


def ordinary_answers(before: Table, after: Table, usual: float, slower: float) -> NDArray[np.bool_]:
    """Rows of production whose answers were no slower than usual in the baseline: late answers drag as pictures do."""
    slow = np.zeros(len(after), dtype=bool)
    for name, values in after.numbers.items():
        known = before.numbers.get(name)
        if gaps.of_factor(name) is Gap.INFRASTRUCTURE and known is not None:
            slow |= values > slower * np.nanquantile(known, usual)
    return ~slow


def _moved(after: Table, kept: NDArray[np.int64], settings: Section) -> float | None:
    """Rank correlation of the first step's deviation with what was moved, beyond the ordinary, in standard errors."""
    ordinary, fewest = settings.number("ordinary_drag"), settings.number("min_chain_attempts")
    missed = _first(after, kept)
    found = [
        (told[0] - ordinary) / np.hypot(told[1], ordinary)
        for name, values in after.numbers.items()
        if gaps.of_factor(name) is Gap.TIMING and (told := _correlation(values[kept], missed, fewest)) is not None
    ]
    return float(max(found)) if found else None


def _first(table: Table, kept: NDArray[np.int64]) -> Floats:
    steps = [table.outcomes[k].steps for k in kept.tolist()]
    return np.array([s[0].deviation_m if s and s[0].deviation_m is not None else np.nan for s in steps])


def _correlation(one: Floats, two: Floats, fewest: float) -> tuple[float, float] | None:
    from scipy.stats import rankdata

    both = np.isfinite(one) & np.isfinite(two)
    if both.sum() < fewest or np.ptp(one[both]) == 0.0 or np.ptp(two[both]) == 0.0:
        return None
    alike = np.corrcoef(rankdata(one[both]), rankdata(two[both]))[0, 1]
    return float(np.arctanh(np.clip(alike, -0.99, 0.99))), 1.0 / np.sqrt(both.sum() - 3.0)


def _slope(excess: Floats) -> float:
    """Least-squares growth from the first step to the last."""
    centred = np.linspace(-0.5, 0.5, len(excess))
    return float(centred @ excess / (centred @ centred))


def _usual(outcomes: Sequence[Outcome], fewest: float) -> dict[str, float]:
    """The baseline's mean logarithm of the deviation at each step."""
    seen: dict[str, list[float]] = {}
    for outcome in outcomes:
        for step in outcome.steps:
            if step.deviation_m is not None:
                seen.setdefault(step.name, []).append(_log(step.deviation_m))
    return {name: float(np.mean(values)) for name, values in seen.items() if len(values) >= fewest}


def _excess(outcome: Outcome, usual: dict[str, float]) -> list[float]:
    steps = [(s.name, s.deviation_m) for s in outcome.steps if s.deviation_m is not None]
    return [_log(deviation) - usual[name] for name, deviation in steps if name in usual]


def _log(deviation_m: float) -> float:
    return float(np.log(max(abs(deviation_m), SMALLEST_M)))
