"""Rows of a table that look like one attempt written twice: a robot does one thing at a time."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

Robot = tuple[str, str]
"""Its site and its name."""


def find_doubled_rows(outcomes: Sequence[Outcome], file: str, settings: Section) -> Iterator[Note]:
    """Count rows that repeat the robot, time, article and outcome of another row; the reader decides what to do.

    Rows that name their attempt are judged together anyway. A clock that knows only minutes gives several attempts one
    time: then they are alike no more often than any two rows of that robot, and nothing is said.
    """
    timed = [outcome for outcome in outcomes if outcome.at_ns and not outcome.attempt]
    robots = defaultdict[Robot, Counter[Hashable]](Counter)
    moments = defaultdict[tuple[Robot, int], Counter[Hashable]](Counter)
    for outcome in timed:
        robots[_make_robot_key(outcome)][_make_result_key(outcome)] += 1
        moments[_make_robot_key(outcome), outcome.at_ns][_make_result_key(outcome)] += 1
    alike = {
        robot: _count_equal_pairs(counts) / max(math.comb(counts.total(), 2), 1) for robot, counts in robots.items()
    }
    same = due = spread = 0.0
    for (robot, _), counts in moments.items():
        pairs, chance = math.comb(counts.total(), 2), alike[robot]
        same, due, spread = (
            same + _count_equal_pairs(counts),
            due + pairs * chance,
            spread + pairs * chance * (1.0 - chance),
        )
    if same - due > settings.number("doubled_errors") * math.sqrt(spread):
        again = list(_find_repeats(timed))
        yield note("ingest.repeated_rows", file=file, repeated=len(again), rows=len(outcomes), first=again[0].id)


def _make_robot_key(outcome: Outcome) -> Robot:
    return outcome.site, outcome.robot


def _make_result_key(outcome: Outcome) -> Hashable:
    return outcome.item, outcome.succeeded, outcome.stratum


def _count_equal_pairs(counts: Counter[Hashable]) -> int:
    return sum(math.comb(count, 2) for count in counts.values())


def _find_repeats(outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """The rows that say what an earlier one said."""
    seen = set()
    for outcome in outcomes:
        row = (_make_robot_key(outcome), outcome.at_ns, _make_result_key(outcome))
        if row in seen:
            yield outcome
        seen.add(row)
