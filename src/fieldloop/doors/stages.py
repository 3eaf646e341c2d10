"""The stage of the loop that each command belongs to: headings of `--help`, tags of the API."""

from itertools import groupby

from fieldloop.loop.catalogue import USE_CASES, UseCase

STAGES = {
    "Prepare": ("init", "audit", "protocol", "plan", "collect"),
    "Data": ("ingest", "check", "look", "calibrate", "taxonomy", "annotate", "agree", "supply"),
    "Ship": ("release", "convert", "train", "policy", "gate"),
    "Run": ("serve", "guard", "monitor", "rollout", "diagnose", "incident", "trace", "evidence"),
    "House": ("home", "simulate", "token", "doctor", "up", "demo", "completion"),
}
LAST = "House"


def get_stage(command: str) -> str:
    """Return the stage of a command; one that is not listed belongs to the last.

    >>> get_stage("plan show"), get_stage("gate"), get_stage("something new")
    ('Prepare', 'Ship', 'House')
    """
    first = command.partition(" ")[0]
    return next((stage for stage, commands in STAGES.items() if first in commands), LAST)


def group_by_family(cases: tuple[UseCase, ...] = USE_CASES) -> dict[str, tuple[UseCase, ...]]:
    """Group use cases by their first word, in the catalogue's order: `plan` with `plan show`."""
    ordered = sorted(cases, key=_get_sort_key)
    return {word: tuple(group) for word, group in groupby(ordered, key=lambda case: case.command.partition(" ")[0])}


def _get_sort_key(use_case: UseCase) -> tuple[int, int]:
    first = use_case.command.partition(" ")[0]
    stage = list(STAGES).index(get_stage(first))
    return stage, STAGES[list(STAGES)[stage]].index(first) if first in STAGES[list(STAGES)[stage]] else len(USE_CASES)
