"""Confidence of a regression policy: from the novelty of a scene and the disagreement of the ensemble members."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.protocol import Section

NEIGHBOURS = 3  # part of the reference policy: known scenes whose mean distance counts


@dataclass(frozen=True, slots=True, eq=False)
class Familiar:
    """Scenes that were learnt from, and what counts as a usual distance from them and a usual disagreement.

    Confidence is level ** (strangeness²): 1 for a scene seen before, `level` at the edge of what is usual.
    """

    scenes: Floats
    usual_distance: float
    usual_disagreement: float
    usual_strangeness: float
    level: float


def fit(scenes: Floats, held: Floats, answers: Floats, episodes: int, settings: Section) -> Familiar:
    """Scale confidence so that the asked share of scenes like the held-out ones will reach the asked level.

    The quantile is taken a little higher the fewer demonstrations were held out, as split conformal prediction does
    (Vovk et al. 2005): the share then holds for the next scene, not only for those at hand.
    """
    level = settings.number("confident_level")
    share = min(settings.number("confident_share") * (episodes + 1) / episodes, 1.0)
    away, apart = distance(scenes, held), disagreement(answers)
    usual = (float(np.quantile(away, share)) + 1e-9, float(np.quantile(apart, share)) + 1e-9)
    strange = np.hypot(away / usual[0], apart / usual[1])
    return Familiar(scenes, *usual, float(np.quantile(strange, share)), level)


def judge(familiar: Familiar, inputs: Floats, answers: Floats) -> Floats:
    """Return a confidence between 0 and 1 for each row of inputs and the members' answers to it."""
    away = distance(familiar.scenes, inputs) / familiar.usual_distance
    apart = disagreement(answers) / familiar.usual_disagreement
    strangeness = np.hypot(away, apart) / familiar.usual_strangeness
    return np.asarray(familiar.level ** (strangeness**2))


def distance(scenes: Floats, inputs: Floats) -> Floats:
    """Return the mean distance to the nearest known scenes."""
    squared = (inputs**2).sum(axis=1)[:, None] + (scenes**2).sum(axis=1) - 2 * inputs @ scenes.T
    nearest = np.sort(np.maximum(squared, 0.0), axis=1)[:, : min(NEIGHBOURS, len(scenes))]
    return np.asarray(np.sqrt(nearest).mean(axis=1))


def disagreement(answers: Floats) -> Floats:
    """Return how far the members' scaled answers lie apart, over all outputs."""
    return np.asarray(np.sqrt(answers.var(axis=0).mean(axis=1)))
