"""Rows of a table that look like one attempt written twice: a robot does one thing at a time."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, note
from fieldloop.model.outcome_columns import OutcomeColumns
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

Numbered = NDArray[np.int64]
MOST_CODES = 2**62
"""Codes of several columns are numbered anew before they exceed 64 bits."""


def find_doubled_rows(outcomes: Sequence[Outcome], file: str, settings: Section) -> Iterator[Note]:
    """Count rows that repeat the robot, time, article and outcome of another row; the reader decides what to do.

    Rows that name their attempt are judged together anyway. A clock that knows only minutes gives several attempts one
    time: then they are alike no more often than any two rows of that robot, and nothing is said.
    """
    rows, robot, at_ns, result = _number_rows(outcomes)
    moment = _number_pairs(robot, at_ns)
    of_robot, of_moment = np.bincount(robot), np.bincount(moment)
    # an equal pair is two rows of one robot with one result
    equal = _number_pairs(robot, result)
    alike = np.zeros(len(of_robot))
    np.add.at(alike, robot[np.unique(equal, return_index=True)[1]], _count_pairs(np.bincount(equal)))
    chance = (alike / np.maximum(_count_pairs(of_robot), 1.0))[robot[np.unique(moment, return_index=True)[1]]]
    pairs = _count_pairs(of_moment)
    due, spread = float(pairs @ chance), float(pairs @ (chance * (1.0 - chance)))
    repeated = _number_pairs(moment, result)
    if float(_count_pairs(np.bincount(repeated)).sum()) - due > settings.number("doubled_errors") * math.sqrt(spread):
        again = np.setdiff1d(np.arange(len(rows)), np.unique(repeated, return_index=True)[1])
        first = outcomes[int(rows[again[0]])].id
        yield note("ingest.repeated_rows", file=file, repeated=len(again), rows=len(outcomes), first=first)


def _number_rows(outcomes: Sequence[Outcome]) -> tuple[Numbered, Numbered, Numbered, Numbered]:
    """Return rows that have a time and no name of their attempt, with the number of their robot, time and result."""
    if isinstance(outcomes, OutcomeColumns):
        rows = np.flatnonzero((outcomes.at_ns > 0) & outcomes.texts["attempt"].mark([""]))
        kept = outcomes.take(rows)
        robot = _number_pairs(*(kept.texts[name].codes for name in ("site", "robot")))
        columns = [kept.texts["item"], *kept.conditions.values()]
        result, count = kept.succeeded.astype(np.int64) + 1, 3
        for column in columns:
            if count * len(column.names) > MOST_CODES:
                result = np.unique(result, return_inverse=True)[1].ravel()
                count = len(result)
            result, count = result * len(column.names) + column.codes, count * len(column.names)
        return rows, robot, kept.at_ns, result
    timed = [(at, outcome) for at, outcome in enumerate(outcomes) if outcome.at_ns and not outcome.attempt]
    return (
        np.array([at for at, _ in timed], dtype=np.int64),
        _number_keys(((one.site, one.robot) for _, one in timed), len(timed)),
        np.array([one.at_ns for _, one in timed], dtype=np.int64),
        _number_keys(((one.item, one.succeeded, one.stratum) for _, one in timed), len(timed)),
    )


def _number_keys(keys: Iterable[Hashable], count: int) -> Numbered:
    place: dict[Hashable, int] = {}
    return np.fromiter((place.setdefault(key, len(place)) for key in keys), np.int64, count)


def _number_pairs(first: NDArray[np.generic], second: NDArray[np.generic]) -> Numbered:
    """Number the pairs that occur."""
    one, other = (np.unique(part, return_inverse=True)[1].ravel().astype(np.int64) for part in (first, second))
    return np.unique(one * (int(other.max(initial=0)) + 1) + other, return_inverse=True)[1].ravel().astype(np.int64)


def _count_pairs(counts: NDArray[np.generic]) -> NDArray[np.float64]:
    """Count the pairs among so many rows."""
    several = counts.astype(np.float64)
    return np.asarray(several * (several - 1.0) / 2.0)
