"""Confidence of a regression policy: from the variance that its processes state, scaled on what was demonstrated."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True, eq=False)
class Familiar:
    """Variances that are usual for a demonstrated scene, and how far their mean may exceed them.

    Confidence is level ** (strangeness²): 1 for a scene without doubt, `level` at the edge of what is usual.
    """

    usual_variance: Floats
    usual_strangeness: float
    level: float


def fit_confidence(variances: Floats, settings: Section) -> Familiar:
    """Scale confidence so that the asked share of scenes like those demonstrated will reach the asked level.

    `variances` are those of demonstrations left out in turn. The quantile is taken a little higher the fewer there are,
    as conformal prediction does (Vovk et al. 2005): the share then holds for the next scene too.
    """
    count, usual = len(variances), variances.mean(axis=0)
    share = min(settings.number("confident_share") * (count + 1) / count, 1.0)
    strange = compute_relative_uncertainty(usual, variances)
    return Familiar(usual, float(np.quantile(strange, share)), settings.number("confident_level"))


def compute_confidence(familiar: Familiar, variances: Floats) -> Floats:
    """Return a confidence between 0 and 1 for each row of variances."""
    strange = compute_relative_uncertainty(familiar.usual_variance, variances) / familiar.usual_strangeness
    return np.asarray(familiar.level ** (strange**2))


def compute_relative_uncertainty(usual_variances: Floats, variances: Floats) -> Floats:
    """Return how uncertain the answers are against what is usual, over all outputs."""
    return np.asarray(np.sqrt((variances / usual_variances).mean(axis=1)))
