"""Judge a success rate against a required rate: high enough, too low, or undecided."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fieldloop.evaluate.looks import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.stats import binomial


class Rule(NamedTuple):
    """The required rate and the planned number of trials."""

    required: float
    planned: int


class Judged(NamedTuple):
    """What a requirement's trials say: the verdict, and the counts and bounds that it rests on."""

    status: Status
    successes: int
    trials: int
    low: float
    high: float


def judge_rate(name: str, rule: Rule, succeeded: Sequence[bool], looks: Looks) -> GateTest:
    """Judge trials, in order of time, against a required rate, at the last complete look."""
    look = looks.count_complete_looks((len(succeeded), rule.planned))
    judged = _judge_trials(rule, succeeded, look, looks)
    more, near = (0, False) if judged.status is not Status.CANNOT_TELL else _count_more(rule, succeeded, look, looks)
    return GateTest(
        name=name,
        required=note("evaluate.rate_required", rate=rule.required, level=looks.get_level(look), planned=rule.planned),
        status=judged.status,
        successes=judged.successes,
        trials=judged.trials,
        low=judged.low,
        high=judged.high,
        more_trials=more,
        message=_write_rate_message(judged, rule, more, len(succeeded) - judged.trials, near=near),
    )


def judge_look(successes: int, trials: int, required: float, level: float) -> Judged:
    """Judge counts at a look: the rule stated in the package docstring."""
    low = binomial.compute_lower_bound(successes, trials, level)
    high = binomial.compute_upper_bound(successes, trials, level)
    status = Status.FAILED if high < required else Status.PASSED if low >= required else Status.CANNOT_TELL
    return Judged(status, successes, trials, low, high)


def _judge_trials(rule: Rule, succeeded: Sequence[bool], look: int, looks: Looks) -> Judged:
    judged, everything = None, sum(succeeded)
    if look:
        counted = look * rule.planned
        judged = judge_look(sum(succeeded[:counted]), counted, rule.required, looks.get_level(look))
    if judged is None or judged.status is Status.CANNOT_TELL:
        missing, level = (look + 1) * rule.planned - len(succeeded), looks.get_level(look + 1)
        at_best = judge_look(everything + missing, (look + 1) * rule.planned, rule.required, level)
        so_far = judge_look(everything, len(succeeded), rule.required, level)
        if at_best.status is Status.FAILED:  # the next look fails whatever the missing trials bring
            return so_far._replace(status=Status.FAILED)
        judged = judged or so_far._replace(status=Status.CANNOT_TELL)
    return judged


def _count_more(rule: Rule, succeeded: Sequence[bool], look: int, looks: Looks) -> tuple[int, bool]:
    """Return how many more trials would decide at the observed rate, and whether none of the looks ahead would."""
    ahead = looks.list_next_looks(look, rule.planned)
    rate = sum(succeeded) / len(succeeded) if succeeded else 1.0
    for number in ahead:
        trials, level = number * rule.planned, looks.get_level(number)
        least, most = math.floor(rate * trials + 1e-9), math.ceil(rate * trials - 1e-9)
        passes = judge_look(least, trials, rule.required, level).status is Status.PASSED
        if passes or judge_look(most, trials, rule.required, level).status is Status.FAILED:
            return trials - len(succeeded), False
    return ahead[-1] * rule.planned - len(succeeded), True


def _write_rate_message(judged: Judged, rule: Rule, more_trials: int, waiting: int, *, near: bool) -> Note:
    if not judged.trials:
        return note("evaluate.not_tried", trials=more_trials)
    details = [note("evaluate.waiting", waiting=waiting, planned=rule.planned)] if waiting else []
    if more_trials:
        details.append(note("evaluate.more_near_limit" if near else "evaluate.more", more=more_trials))
    return note(
        "evaluate.rate", *details, successes=judged.successes, trials=judged.trials,
        share=judged.successes / judged.trials, required=rule.required, low=judged.low, high=judged.high,
    )  # fmt: skip
