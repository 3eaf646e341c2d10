"""Checks of the variety of approach directions in a batch."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import group_by_task
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Note, Subject, note

ENOUGH = 600  # all pairs of 600 show the distribution; all pairs of every episode would cost its square
DOWN = np.asarray([0.0, 0.0, -1.0])


@check(
    "batch.approach_directions",
    unit="directions",
    needs=("episodes", "imprints"),
)
def count_approach_directions(batch: Batch) -> Iterator[Measurement]:
    """From how many clearly different directions were items approached, per task?

    A direction within `same_deg` of a more frequent one counts as the same. A direction taken in fewer than `min_share`
    of the episodes is not counted.
    """
    same, least = (batch.read_parameter("batch.approach_directions", name) for name in ("same_deg", "min_share"))
    for task, directions, lost in _group_directions_by_task(batch, "batch.approach_directions"):
        if directions is None:
            yield Measurement(Subject(aspect=task), UNKNOWN, cannot_tell=lost)
        else:
            found = _count_distinct_directions(_subsample_evenly(directions), math.cos(math.radians(same)), least)
            yield Measurement(Subject(aspect=task), float(found), note("check.in_episodes", episodes=len(directions)))


@check(
    "batch.approach_diversity",
    unit="deg",
    needs=("episodes", "imprints"),
)
def measure_approach_diversity(batch: Batch) -> Iterator[Measurement]:
    """How many degrees apart are two approaches of one task, typically?

    The median angle between two episodes drawn at random.
    """
    for task, directions, lost in _group_directions_by_task(batch, "batch.approach_diversity"):
        if directions is None:
            yield Measurement(Subject(aspect=task), UNKNOWN, cannot_tell=lost)
            continue
        mean = directions.mean(axis=0)
        some = _subsample_evenly(directions)
        angles = np.degrees(np.arccos(np.clip(some @ some.T, -1.0, 1.0)))[np.triu_indices(len(some), 1)]
        down = math.degrees(math.acos(float(np.clip(mean @ DOWN / max(float(np.linalg.norm(mean)), 1e-12), -1, 1))))
        place = note("check.angle_from_down", down_deg=down, episodes=len(directions))
        yield Measurement(Subject(aspect=task), float(np.median(angles)), place)


def find_approach_direction(batch: Batch, episode: Episode) -> NDArray[np.float64] | None:
    """Return the unit vector of an episode's approach; None where it is unknown."""
    for _, taken in batch.find_imprint(episode.id).list_arrays_under("approach"):
        vector = taken.astype(np.float64)
        if vector.shape == (3,) and np.all(np.isfinite(vector)) and np.linalg.norm(vector) > 0.0:
            return np.asarray(vector / np.linalg.norm(vector))
    return None


def measure_angle_from_down(batch: Batch, episode: Episode) -> float | None:
    """Return the angle in degrees between an episode's approach and straight down."""
    vector = find_approach_direction(batch, episode)
    return None if vector is None else math.degrees(math.acos(float(np.clip(vector @ DOWN, -1.0, 1.0))))


def _group_directions_by_task(
    batch: Batch, check_name: str
) -> Iterator[tuple[str, NDArray[np.float64] | None, Note | None]]:
    """Yield each task with its directions; None and the reason where no protocol applies or too few are known."""
    fewest = batch.read_parameter(check_name, "min_episodes")
    for task, episodes in group_by_task(batch).items():
        vectors = [v for v in (find_approach_direction(batch, e) for e in episodes) if v is not None]
        if len(episodes) < fewest or not vectors:
            continue
        if not any(e.protocol for e in episodes):
            yield task, None, note("check.episodes_name_no_protocol")
        elif len(vectors) < fewest:
            yield task, None, note("check.few_approaches", shown=len(vectors), episodes=len(episodes))
        else:
            yield task, np.stack(vectors), None


def _subsample_evenly(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take an evenly spaced sample, large enough to show the distribution; all pairs would cost too much."""
    return np.asarray(directions[np.linspace(0, len(directions) - 1, min(len(directions), ENOUGH)).astype(int)])


def _count_distinct_directions(directions: NDArray[np.float64], max_angle_deg: float, min_share: float) -> int:
    """Take the direction with most others around it, remove these, and repeat until too few are left."""
    left, count = directions, 0
    while len(left) and len(left) >= min_share * len(directions):
        near = left @ left.T >= max_angle_deg
        at = int(np.argmax(near.sum(axis=1)))
        if near[at].sum() < min_share * len(directions):
            break
        count += 1
        left = left[~near[at]]
    return count
