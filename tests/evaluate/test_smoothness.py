"""Jumps, turns and jitter of chunks: known motions give known numbers, and their limits are gate lines."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.evaluate.looks import Looks
from fieldloop.evaluate.smoothness import COSINE, JITTER, JUMP, judge_smoothness, measure_chunks, parse_chunks
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import default_operations

GATE = default_operations()["gate"]
LOOKS = Looks.from_settings(GATE)
SMOOTH = ((JUMP, 1.0), (COSINE, 1.0), (JITTER, 0.1))


def line(start, step, rows):
    return np.asarray(start) + np.arange(rows)[:, None] * np.asarray(step)


def outcomes(facts, amount=60):
    one = Outcome("o", "p", Stratum(), Stage.GATE, "s", "r", 0, True, "me", scenario="base")
    return [dataclasses.replace(one, id=f"o{n}", at_ns=n, facts=facts) for n in range(amount)]


def test_a_jump_is_counted_in_usual_steps():
    facts = dict(measure_chunks([line([0, 0], [1, 0], 5), line([9, 0], [1, 0], 5)]))
    assert facts == {JUMP: pytest.approx(5.0), COSINE: pytest.approx(1.0), JITTER: pytest.approx(0.0)}


def test_a_command_that_turns_back_has_a_negative_cosine():
    facts = dict(measure_chunks([line([0, 0], [1, 0], 4), line([4, 0], [-1, 0], 4)]))
    assert facts[COSINE] == pytest.approx(-1.0)


def test_jitter_is_the_change_of_the_step():
    zigzag = np.array([[0.0], [1.0], [0.0], [1.0], [0.0]])
    assert dict(measure_chunks([zigzag]))[JITTER] == pytest.approx(2.0)
    assert set(dict(measure_chunks([zigzag]))) == {JITTER}, "one chunk has no boundary"


@given(st.floats(0.01, 100), st.integers(0, 50))
def test_units_do_not_matter(scale, seed):
    rng = np.random.default_rng(seed)
    chunks = [np.cumsum(rng.normal(0, 1, (6, 3)), axis=0) for _ in range(4)]
    one, other = (dict(measure_chunks([factor * c for c in chunks])) for factor in (1.0, scale))
    assert one == {name: pytest.approx(value, rel=1e-6) for name, value in other.items()}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[[0,0]]]", "at least two commands"), ("[]", "at least two commands"),
        ("[[[0,0],[1,1]],[[0],[1]]]", "same number of values"), ("[[[0,0],[0,0]]]", "never move"),
        ("nonsense", "JSON list of chunks"), ("[[[0],[1,2]]]", "JSON list of chunks"), ("7", "JSON list of chunks"),
        ("[[[0],[NaN]]]", "not finite"),
    ],
)  # fmt: skip
def test_bad_chunks_are_refused(text, problem):
    with pytest.raises(BadInput, match=problem):
        measure_chunks(parse_chunks(text))


def judged(made, *, chunked=False):
    return {t.name: t for t in judge_smoothness(made, GATE, LOOKS, chunked=chunked)}


def test_a_policy_without_chunks_needs_no_line():
    assert not judged(outcomes(()))


def test_a_chunked_policy_that_reports_nothing_cannot_be_judged():
    found = judged(outcomes(()), chunked=True)
    assert {t.status for t in found.values()} == {Status.CANNOT_TELL}
    assert len(found) == 3
    assert {t.message.code for t in found.values()} == {"evaluate.smoothness_not_given"}


def test_smooth_trials_pass_and_a_jerky_policy_fails_by_the_line_that_shows_it():
    assert {t.status for t in judged(outcomes(SMOOTH), chunked=True).values()} == {Status.PASSED}
    jerky = judged(outcomes(((JUMP, 9.0), *SMOOTH[1:])), chunked=True)
    assert {n: t.status for n, t in jerky.items()} == {
        "chunk boundary jump": Status.FAILED, "chunk boundary velocity": Status.PASSED, "chunk jitter": Status.PASSED,
    }  # fmt: skip
    assert jerky["chunk boundary jump"].message["worst"] == 9.0
