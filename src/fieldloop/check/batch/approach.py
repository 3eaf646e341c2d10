"""From how many sides was the thing approached? A policy that has seen one side knows one side."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import by_task
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement

ENOUGH = 600
DOWN = np.asarray([0.0, 0.0, -1.0])


@check(
    "batch.approach_directions",
    unit="directions",
    needs=("episodes", "imprints"),
    advice="Have the next episodes come from other sides.",
)
def approach_directions(batch: Batch) -> Iterator[Measurement]:
    """From how many clearly different directions were things approached, per task?

    Directions within `same_deg` of a commoner one count as that one; a direction that fewer than `min_share` of the
    episodes took is an accident, not a practice.
    """
    same, least = (batch.parameter("batch.approach_directions", name) for name in ("same_deg", "min_share"))
    for task, directions, lost in _by_task(batch, "batch.approach_directions"):
        if directions is None:
            yield Measurement(task, math.nan, cannot_tell=lost)
        else:
            found = _count(_some(directions), math.cos(math.radians(same)), least)
            yield Measurement(task, float(found), f"in {len(directions)} episodes")


@check(
    "batch.approach_diversity",
    unit="deg",
    needs=("episodes", "imprints"),
    advice="Have the next episodes come from further aside.",
)
def approach_diversity(batch: Batch) -> Iterator[Measurement]:
    """How many degrees apart are two approaches of one task, typically?

    The median angle between two episodes drawn at random.
    """
    for task, directions, lost in _by_task(batch, "batch.approach_diversity"):
        if directions is None:
            yield Measurement(task, math.nan, cannot_tell=lost)
            continue
        mean = directions.mean(axis=0)
        some = _some(directions)
        angles = np.degrees(np.arccos(np.clip(some @ some.T, -1.0, 1.0)))[np.triu_indices(len(some), 1)]
        down = math.degrees(math.acos(float(np.clip(mean @ DOWN / max(float(np.linalg.norm(mean)), 1e-12), -1, 1))))
        place = f"(on average {down:.0f}° from straight down, {len(directions)} episodes)"
        yield Measurement(task, float(np.median(angles)), place)


def approach(batch: Batch, episode: Episode) -> NDArray[np.float64] | None:
    """Return the unit vector along which an episode came into contact, None where it could not be told."""
    for _, taken in batch.imprint(episode.id).under("approach"):
        vector = taken.astype(np.float64)
        if vector.shape == (3,) and np.all(np.isfinite(vector)) and np.linalg.norm(vector) > 0.0:
            return np.asarray(vector / np.linalg.norm(vector))
    return None


def angle_from_down(batch: Batch, episode: Episode) -> float | None:
    """Return the angle in degrees between an episode's approach and straight down."""
    vector = approach(batch, episode)
    return None if vector is None else math.degrees(math.acos(float(np.clip(vector @ DOWN, -1.0, 1.0))))


def _by_task(batch: Batch, name: str) -> Iterator[tuple[str, NDArray[np.float64] | None, str]]:
    """Yield each task with its directions; None, and why, where it cannot be held to a protocol or shows too few."""
    fewest = batch.parameter(name, "min_episodes")
    for task, episodes in by_task(batch).items():
        vectors = [v for v in (approach(batch, e) for e in episodes) if v is not None]
        if len(episodes) < fewest or not vectors:
            continue
        if not any(e.protocol for e in episodes):
            yield task, None, "The episodes do not name a protocol that they were collected by."
        elif len(vectors) < fewest:
            yield task, None, f"Only {len(vectors)} of {len(episodes)} episodes show how they came into contact."
        else:
            yield task, np.stack(vectors), ""


def _some(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take as many, evenly spaced, as show a distribution; all pairs of thousands would show no more."""
    return np.asarray(directions[np.linspace(0, len(directions) - 1, min(len(directions), ENOUGH)).astype(int)])


def _count(directions: NDArray[np.float64], same: float, least: float) -> int:
    """Take the direction with most others around it, put these aside, and go on until too few are left."""
    left, found = directions, 0
    while len(left) and len(left) >= least * len(directions):
        near = left @ left.T >= same
        at = int(np.argmax(near.sum(axis=1)))
        if near[at].sum() < least * len(directions):
            break
        found += 1
        left = left[~near[at]]
    return found
