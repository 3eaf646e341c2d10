"""Do chains lose precision along the way? Deviations of each step against the baseline's at the same step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.table import Floats, Table
from fieldloop.model.policy import Outcome

SMALLEST_M = 1e-5
FEWEST = 30


@dataclass(frozen=True)
class Chain:
    """How much farther off the first and the last step ended than in the baseline (logarithms), and its growth.

    `score` is the growth along the chain in standard errors; `quick` the correlation of the last step's excess with
    the pace of the attempt, None where cycle times were not logged.
    """

    first: float
    last: float
    score: float
    attempts: int
    quick: float | None

    def grows(self, clear: float) -> bool:
        """Is the start about right, and does precision get lost from there on?"""
        return self.score > clear and self.last > 2.0 * max(self.first, 0.0)


def chain_of(before: Table, after: Table, clean: NDArray[np.bool_]) -> Chain | None:
    """Follow the chains of the rows that nothing else explains; None where steps or deviations were not logged."""
    usual = _usual(before.outcomes)
    chosen = [o for o, kept in zip(after.outcomes, clean.tolist(), strict=True) if kept]
    pairs = [(o, excess) for o in chosen if len(excess := _excess(o, usual)) > 1]
    if len(pairs) < FEWEST:
        return None
    slopes = np.array([_slope(np.array(excess)) for _, excess in pairs])
    error = max(float(slopes.std()), 1e-9) / np.sqrt(len(slopes))
    last = np.array([e[-1] for _, e in pairs])
    first = float(np.mean([e[0] for _, e in pairs]))
    return Chain(
        first, float(last.mean()), float(slopes.mean() / error), len(pairs), _pace([o for o, _ in pairs], last)
    )


def _slope(excess: Floats) -> float:
    """Least-squares growth from the first step to the last."""
    centred = np.linspace(-0.5, 0.5, len(excess))
    return float(centred @ excess / (centred @ centred))


def _usual(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The baseline's mean logarithm of the deviation at each step."""
    seen: dict[str, list[float]] = {}
    for outcome in outcomes:
        for step in outcome.steps:
            if step.deviation_m is not None:
                seen.setdefault(step.name, []).append(_log(step.deviation_m))
    return {name: float(np.mean(values)) for name, values in seen.items() if len(values) >= FEWEST}


def _excess(outcome: Outcome, usual: dict[str, float]) -> list[float]:
    steps = [(s.name, s.deviation_m) for s in outcome.steps if s.deviation_m is not None]
    return [_log(deviation) - usual[name] for name, deviation in steps if name in usual]


def _log(deviation_m: float) -> float:
    return float(np.log(max(abs(deviation_m), SMALLEST_M)))


def _pace(outcomes: Sequence[Outcome], last: Floats) -> float | None:
    timed = [(1.0 / o.cycle_s, excess) for o, excess in zip(outcomes, last.tolist(), strict=True) if o.cycle_s]
    if len(timed) < FEWEST or np.std([pace for pace, _ in timed]) == 0.0:
        return None
    return float(np.corrcoef(np.array(timed).T)[0, 1])
