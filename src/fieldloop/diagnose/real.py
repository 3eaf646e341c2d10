"""Is the loss real? Days that differ, small counts and what the baseline does not know count against it."""

from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.joint import Joint, fit_jointly
from fieldloop.diagnose.search import Search
from fieldloop.diagnose.table import Floats, Table
from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import difference

TINY = 1e-9


@dataclass(frozen=True)
class Diffuse:
    """What is lost over all rows, with its standard error."""

    effect: float
    error: float

    @property
    def score(self) -> float:
        """The loss in standard errors."""
        return self.effect / self.error

    @property
    def chance(self) -> float:
        """How likely a loss this clear is if there is none."""
        from scipy.special import ndtr

        return float(ndtr(-self.score))


def diffuse_of(search: Search, columns: Floats, covered: Floats, settings: Section) -> Diffuse:
    """Test the first column, which holds everywhere, beside the others on covered rows."""
    fitted = fit_jointly(columns, search.after.success, search.expected, covered)
    variance = variances(search, fitted, columns, covered)[0] + settings.number("ordinary_shift") ** 2
    return Diffuse(-float(fitted.coefficients[0]), float(np.sqrt(variance)))


def variances(search: Search, fitted: Joint, columns: Floats, covered: Floats) -> Floats:
    """Of every coefficient: single episodes, days that differ, and what the baseline does not know."""
    weights = fitted.weights * covered
    inverse = np.linalg.inv(columns.T @ (weights[:, None] * columns) + TINY * np.eye(columns.shape[1]))
    lean = weights[:, None] * (columns @ inverse)
    clusters = search.after.clusters
    days = np.column_stack([np.bincount(clusters, column) for column in lean.T])
    unknown = search.design.T @ lean
    shared = search.day_spread**2 * (days**2).sum(axis=0)
    return np.asarray(np.diag(inverse) + shared + np.einsum("ij,ij->j", unknown, search.covariance @ unknown))


def drop_of(before: Table, after: Table, day_spread: float, settings: Section) -> Diffuse:
    """The bare drop, whatever the mix: as a rate, with days that differ in its error."""
    rate = float((before.success.sum() + after.success.sum()) / (len(before) + len(after)))
    wobble = max(rate * (1.0 - rate), 1.0 / (len(before) + len(after)))
    days = np.bincount(after.clusters) / len(after)
    variance = wobble / len(before) + wobble / len(after)
    variance += wobble**2 * (day_spread**2 * float(days @ days) + settings.number("ordinary_shift") ** 2)
    return Diffuse(float(before.success.mean() - after.success.mean()), float(np.sqrt(variance)))


def bounds(before: tuple[int, int], after: tuple[int, int], settings: Section) -> tuple[float, float]:
    """The interval of a loss that nothing shows to be one."""
    return difference.interval(before, after, settings.number("confidence"))


def without_loss(before: tuple[int, int], after: tuple[int, int], settings: Section) -> tuple[Status, tuple[str, ...]]:
    """Where no loss is shown. PASSED: shown to be negligible. CANNOT_TELL: that neither, with what is missing."""
    negligible = settings.number("negligible_loss")
    if difference.lower_bound(after, before, 1.0 - settings.number("alpha")) > -negligible:
        return Status.PASSED, ()
    reason = (
        f"{after[0]} of {after[1]} after {before[0]} of {before[1]} may be chance, and a loss of "
        f"{100 * negligible:.0f} points is still possible; record more outcomes"
        f"{' of the baseline' if before[1] < after[1] else ''}."
    )
    return Status.CANNOT_TELL, (reason,)


def missing(before: int, after: int) -> str:
    """Say which outcomes there are none of; '' where there are both."""
    what = "baseline (gate or laboratory)" if not before else "production" if not after else ""
    return f"There are no {what} outcomes of this policy that its judges agree on; record them." if what else ""
