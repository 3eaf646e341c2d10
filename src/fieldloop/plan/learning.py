"""Learning curves to plot: how failure of the strata with the largest gain is expected to fall."""

from collections.abc import Sequence

import numpy as np

from fieldloop.model.learning import LearningCurve
from fieldloop.model.plan import Coverage, PlanScore, Quota
from fieldloop.plan.curves import Curve
from fieldloop.plan.gain import Gain
from fieldloop.plan.possible import draw_curves, draw_hazard
from fieldloop.plan.strata import Floats, make_table
from fieldloop.protocol import Section

SHOWN = 6  # curves in one drawing
POINTS = 25  # points that make a smooth line
FURTHER = 4.0
"""Curves extend to this multiple of what is in hand and planned, so that one sees where they flatten."""


def compute_learning_curves(
    coverages: Sequence[Coverage],
    quotas: Sequence[Quota],
    settings: Section,
    scores: Sequence[PlanScore] = (),
    elsewhere: Sequence[Coverage] = (),
) -> tuple[LearningCurve, ...]:
    """Compute expected failure against a stratum's demonstrations, for the quotas with the largest gain.

    The other strata of a plan teach it too; here only its own demonstrations grow, from none to several times what the
    plan adds. The band is an interval at the level of `confidence`, from draws of how fast demonstrations teach and of
    how much can be learnt.
    """
    place = {covered.stratum: row for row, covered in enumerate(coverages)}
    wanted = [q for q in sorted(quotas, key=lambda q: -q.gain) if q.stratum in place][:SHOWN]
    if not wanted:
        return ()
    gain = Gain(make_table(coverages, elsewhere, settings.number("elsewhere_worth")), settings, scores)
    return tuple(_compute_curve(gain, place[quota.stratum], quota) for quota in wanted)


def _compute_curve(gain: Gain, row: int, quota: Quota) -> LearningCurve:
    now, planned = float(gain.table.demonstrations[row]), float(quota.demonstrations)
    points = np.linspace(0.0, FURTHER * (now + planned), POINTS)
    # a fixed seed gives the same curve each time
    rng = np.random.default_rng(row)
    worlds = [
        _compute_failure_rate(gain, row, points - now, curve, rng)
        for curve in draw_curves(gain, int(gain.settings.number("draws")), rng)
    ]
    expected = _compute_failure_rate(gain, row, points - now, gain.curve, None)
    level = gain.settings.number("confidence")
    low, high = np.quantile(worlds, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    ends = np.minimum(low, expected), np.maximum(high, expected)
    drawn = [tuple(map(float, each)) for each in (points, expected, *ends)]
    return LearningCurve(quota.stratum, drawn[0], drawn[1], drawn[2], drawn[3], now, planned)


def _compute_failure_rate(gain: Gain, row: int, more: Floats, curve: Curve, rng: np.random.Generator | None) -> Floats:
    """Return failure with so many more demonstrations (fewer where negative), expected or drawn at random."""
    hazard = np.full(len(more), gain.why.lasting[row])
    for part, sizes, errors, shown in zip(gain.parts, gain.why.removable, gain.why.errors, gain.shown, strict=True):
        at = part.codes[row]
        size, error = float(sizes[at]), float(errors[at])
        there = size if rng is None else float(draw_hazard(size, error, rng))
        # at most what was shown can be taken away
        hazard += there * curve.compute_remaining_share_after_more(np.asarray(shown[at]), np.maximum(more, -shown[at]))
    return np.asarray(-np.expm1(-hazard))
