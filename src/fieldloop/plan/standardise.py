"""Standardise success before and after to one mix, from logs whose mixes differ and whose strata are mostly small.

Failure's log odds in a stratum are a sum over its levels, its pairs of levels and itself, and so is what changed from
before to after. Strata with few attempts are shrunk towards what they share with others. The fit is then weighted by
the shares of one mix: more traffic at an easy site changes the attempts but not the odds, so it does not count as a
gain.
"""

import math
from collections.abc import Sequence

import numpy as np

from fieldloop.plan.parts import Part
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section

FREE = 10.0
"""Spread of the overall odds and of their change: an uninformative prior."""


def compare_at_equal_mix(
    table: Table, attempts: Floats, failures: Floats, parts: Sequence[Part], settings: Section
) -> tuple[float, float]:
    """Return the success gained on the table's mix, and its standard error; infinite without attempts on one side.

    `attempts` and `failures` have one row per stratum and two columns: before and after.
    """
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix, diags, hstack, vstack
    from scipy.sparse.linalg import LinearOperator, cg

    share = table.exposure
    if not share.sum() > 0.0 or not attempts.sum(axis=0).all():
        return 0.0, math.inf
    strata, rows = len(table), np.arange(len(table))
    shapes = [(np.zeros(strata, dtype=np.intp), 1), *((part.codes, part.size) for part in parts)]
    indicators = hstack([csr_matrix((np.ones(strata), (rows, codes)), (strata, size)) for codes, size in shapes])
    # half the change on each side, so that the prior treats before and after alike
    odds = csr_matrix(vstack([hstack([indicators, -0.5 * indicators]), hstack([indicators, 0.5 * indicators])]))
    spread = np.concatenate(
        [_list_prior_spreads(parts, settings, name) for name in ("score_spread", "score_change_spread")]
    )
    scaled = csr_matrix(odds @ diags(spread))
    tries, fails = attempts.T.ravel(), failures.T.ravel()

    def compute_penalty_and_gradient(at: Floats) -> tuple[float, Floats]:
        line = scaled @ at
        loss = np.sum(tries * np.logaddexp(0.0, line) - fails * line) + 0.5 * at @ at
        return float(loss), scaled.T @ (tries * _convert_odds_to_rate(line) - fails) + at

    mode = minimize(
        compute_penalty_and_gradient, np.zeros(len(spread)), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    ).x
    rate = _convert_odds_to_rate(scaled @ mode)
    slope = rate * (1.0 - rate)
    weight = np.concatenate([share, -share]) / share.sum()
    toward = scaled.T @ (weight * slope)
    bend = LinearOperator(
        (len(mode), len(mode)), matvec=lambda way: scaled.T @ (tries * slope * (scaled @ way)) + way, dtype=float
    )
    solved, unfinished = cg(bend, toward, rtol=1e-6, maxiter=2000)
    error = math.inf if unfinished else math.sqrt(max(float(toward @ solved), 0.0))
    return float(weight @ rate), error


def _convert_odds_to_rate(odds: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(odds))


def _list_prior_spreads(parts: Sequence[Part], settings: Section, name: str) -> Floats:
    """Return the spread of each column: the variance split over levels, pairs and strata like transfer."""
    shares = {part.reach: settings.number(f"{part.reach}_share") for part in parts}
    alike = {reach: sum(part.reach is reach for part in parts) for reach in shares}
    whole, total = settings.number(name), sum(shares.values())
    each = [np.full(part.size, whole * math.sqrt(shares[part.reach] / total / alike[part.reach])) for part in parts]
    return np.concatenate([np.full(1, FREE), *each])
