"""Fit additive hazards of reasons to fail, shrunk towards a prior where little was tried.

An attempt succeeds if no reason strikes: success is exp(-h), and h is the sum of the hazards of the present reasons.
Hazards cannot be negative. The fit is the maximum a posteriori under normal priors truncated at zero, so a reason that
was seldom tried stays near the usual value. Downwards a prior is at least a share of its size wide, because a reason
may always turn out to be negligible after a few good attempts.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.strata import Floats

LEAST = 1e-6
"""A hazard of zero would make the first failure impossible."""

STEPS = 200
"""Enough for the fit to converge: on the picking floor 300 and 1000 give the same rates to four digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """One family of reasons: which of them each observed row has, how strongly, what is usual and how far they vary."""

    codes: NDArray[np.intp]
    strength: Floats
    usual: Floats
    spread: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Hazards:
    """For each family the hazard of each reason, and the standard error it is left with.

    `surprise` is the negative log posterior, to compare fits of the same rows.
    """

    sizes: tuple[Floats, ...]
    errors: tuple[Floats, ...]
    surprise: float


def fit_hazards(reasons: Sequence[Reason], attempts: Floats, failures: Floats, doubt: float) -> Hazards:
    """Fit hazards to attempts and failures by row; `doubt` is the downward width of a prior, as a share of its size.

    >>> kind = Reason(np.asarray([0, 1]), np.ones(2), usual=np.full(2, 0.5), spread=np.full(2, 9.0))
    >>> found = fit_hazards([kind], np.asarray([1000.0, 1000.0]), np.asarray([100.0, 600.0]), 0.5)
    >>> (1.0 - np.exp(-found.sizes[0])).round(3).tolist()
    [0.1, 0.6]
    """
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    starts = np.concatenate([[0], np.cumsum([len(reason.usual) for reason in reasons])])
    sizes = np.concatenate([reason.usual for reason in reasons])
    spreads = np.concatenate([reason.spread for reason in reasons])
    cut = [slice(a, b) for a, b in itertools.pairwise(starts)]
    if not len(attempts):
        return Hazards(tuple(sizes[c] for c in cut), tuple(spreads[c] for c in cut), 0.0)
    columns = np.stack([reason.codes + start for reason, start in zip(reasons, starts[:-1], strict=True)], axis=1)
    # what no row has keeps its prior: most strata of a large map were never tried
    seen, columns = np.unique(columns, return_inverse=True)
    usual, spread = sizes[seen], spreads[seen]
    strengths = np.stack([reason.strength for reason in reasons], axis=1)
    edges = np.arange(len(attempts) + 1) * len(reasons)
    # scaled by their spread, all reasons look alike to the optimiser, which then needs few steps
    scaled = strengths.ravel() * spread[columns.ravel()]
    present = csr_matrix((scaled, columns.ravel(), edges), (len(attempts), len(seen)))
    absent = csr_matrix(present.T)
    middle = usual / spread
    downwards = (spread / np.maximum(spread, doubt * usual)) ** 2

    def compute_penalty_and_gradient(tried: Floats) -> tuple[float, Floats]:
        hazard = present @ tried + LEAST
        struck = -np.expm1(-hazard)
        away = tried - middle
        pull = np.where(away < 0.0, downwards, 1.0) * away
        loss = np.sum((attempts - failures) * hazard - failures * np.log(struck)) + 0.5 * np.sum(pull * away)
        return float(loss), absent @ (attempts - failures / struck) + pull

    bounds = [(0.0, None)] * len(usual)
    answer = minimize(
        compute_penalty_and_gradient, middle, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS}
    )
    sizes[seen] = answer.x * spread
    information = attempts / np.expm1(present @ answer.x + LEAST)
    spreads[seen] = spread * (1.0 + absent.multiply(absent) @ information) ** -0.5
    return Hazards(tuple(sizes[c] for c in cut), tuple(spreads[c] for c in cut), float(answer.fun))
