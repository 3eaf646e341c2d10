"""How smoothly a policy moves that answers in chunks: jumps and turns where a chunk begins, jitter within chunks.

The measures need no unit: they are multiples of the usual step, the median distance between commands within chunks.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.evaluate.looks import Looks
from fieldloop.evaluate.rates import Rule, judge_rate
from fieldloop.model.decision import GateTest
from fieldloop.model.note import note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

JUMP, COSINE, JITTER = "boundary_jump_steps", "boundary_cosine", "jitter_steps"
"""Facts of an outcome: the largest jump at a boundary, the mean cosine there, the mean jitter within chunks."""
LIMITS = (
    (JUMP, "max_boundary_jump", "evaluate.max_boundary_jump", 1),
    (COSINE, "min_boundary_cosine", "evaluate.min_boundary_cosine", -1),
    (JITTER, "max_jitter", "evaluate.max_jitter", 1),
)
"""Each fact with its setting, the sentence of what is required, and 1 where more is worse."""
TESTS = {JUMP: "chunk boundary jump", COSINE: "chunk boundary velocity", JITTER: "chunk jitter"}
LEAST_ROWS = 2
Floats = NDArray[np.float64]


def measure_chunks(chunks: Sequence[Floats]) -> tuple[tuple[str, float], ...]:
    """Measure the executed chunks of one attempt, each with one row for each command; at least two rows each.

    >>> straight = [np.array([[0.0], [1.0], [2.0]]), np.array([[3.0], [4.0]])]
    >>> dict(measure_chunks(straight)) == {"boundary_jump_steps": 1.0, "boundary_cosine": 1.0, "jitter_steps": 0.0}
    True
    """
    if not chunks or any(c.ndim != 2 or len(c) < LEAST_ROWS or c.shape[1:] != chunks[0].shape[1:] for c in chunks):  # noqa: PLR2004 - rows and columns
        raise BadInput("Chunks need at least two commands each, with the same number of values in every command.")
    if not all(np.isfinite(c).all() for c in chunks):
        raise BadInput("A chunk holds a number that is not finite.")
    steps = [np.diff(c, axis=0) for c in chunks]
    usual = float(np.median(np.concatenate([np.linalg.norm(s, axis=1) for s in steps])))
    if usual <= 0:
        raise BadInput("The commands never move, so that nothing can be measured about how smoothly they do.")
    bends = [np.linalg.norm(np.diff(s, axis=0), axis=1) for s in steps if len(s) > 1]
    facts = [(JITTER, float(np.mean(np.concatenate(bends)) / usual))] if bends else []
    if len(chunks) > 1:
        across = [after[0] - before[-1] for before, after in pairwise(chunks)]
        turns = [_compute_cosine(before[-1], after[0]) for before, after in pairwise(steps)]
        facts = [(JUMP, float(max(np.linalg.norm(a) for a in across) / usual)), (COSINE, float(np.mean(turns))), *facts]
    return tuple(facts)


def parse_chunks(text: str) -> list[Floats]:
    """Read chunks from JSON: a list of chunks, each a list of commands, each a list of numbers."""
    try:
        return [np.asarray(chunk, dtype=float) for chunk in json.loads(text)]
    except (TypeError, ValueError) as wrong:
        raise BadInput(
            "Chunks are a JSON list of chunks, each a list of commands, such as [[[0,0],[0,1]],[[0,2],[0,3]]]."
        ) from wrong


def judge_smoothness(
    outcomes: Iterable[Outcome], settings: Section, looks: Looks, *, chunked: bool
) -> tuple[GateTest, ...]:
    """Judge which share of trials stays within each limit; one without chunks needs only what it reports."""
    ordered = sorted(outcomes, key=lambda o: (o.at_ns, o.id))
    rule = Rule(settings.number("smooth_min_rate"), int(settings["smooth_trials"]))
    tests = []
    for fact, limit_name, code, sign in LIMITS:
        limit = settings.number(limit_name)
        values = [value for o in ordered if (value := o.get_fact(fact)) is not None]
        if values or chunked:
            within = [sign * value <= sign * limit for value in values]
            worst = (max if sign > 0 else min)(values) if values else None
            tests.append(_make_limit_test(judge_rate(TESTS[fact], rule, within, looks), code, limit, rule, worst))
    return tuple(tests)


def _make_limit_test(test: GateTest, code: str, limit: float, rule: Rule, worst: float | None) -> GateTest:
    """Put the limit in place of success, which the rates state."""
    level = test.required["level"]
    required = note(code, limit=limit, rate=rule.required, level=level)
    if worst is None:
        return replace(test, required=required, message=note("evaluate.smoothness_not_given", trials=rule.planned))
    message = note(
        "evaluate.smoothness", *test.message.details, within=test.successes, trials=test.trials, worst=worst,
        low=test.low, high=test.high, required=rule.required,
    )  # fmt: skip
    return replace(test, required=required, message=message)


def _compute_cosine(one: Floats, other: Floats) -> float:
    """Return the cosine between two steps; one that does not move turns nowhere."""
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths > 0 else 1.0
