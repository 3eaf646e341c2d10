"""The guard never allows what it cannot judge, and a tighter limit never allows more."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.protocol import default_operations
from fieldloop_robot import guard
from fieldloop_robot.guard import Answer, Cause, GuardLimits, GuardState, Instruction, LimitsRefused, Reading

RAW = {
    "min_confidence": 0.7,
    "max_consecutive_failures": 5,
    "max_joint_step": 0.25,
    "max_force": 40.0,
    "max_stale_ms": 200.0,
}
LIMITS = GuardLimits.from_json(RAW, guard.fingerprint_limits(RAW))
MS = 1_000_000


def reading(**changes):
    good = Reading(
        at_ns=1000 * MS,
        observed_ns=950 * MS,
        confidence=0.9,
        action=[0.4, 0.0, 0.1, 0.0, 0.05, 12.0],
        joints=np.zeros(6),
        command=np.full(6, 0.1),
        force_n=[0.0, 3.0, 4.0],
    )
    return dataclasses.replace(good, **changes)


def answer(state=GuardState(), limits=LIMITS, **changes):  # noqa: B008  frozen
    return guard.step(state, limits, reading(**changes))[1]


def test_a_good_reading_is_allowed_and_names_the_limits_in_force():
    verdict = answer()
    assert verdict.answer is Answer.ALLOW
    assert verdict.limits == guard.fingerprint_limits(RAW)
    assert not verdict.instructions


@pytest.mark.parametrize(
    ("changes", "rule", "cause", "expected"),
    [
        ({"confidence": 0.69}, "confidence", Cause.CONFIDENCE_OUT_OF_RANGE, Answer.HOLD),
        ({"confidence": None}, "confidence", Cause.NO_CONFIDENCE, Answer.HOLD),
        ({"confidence": 1.01}, "confidence", Cause.CONFIDENCE_OUT_OF_RANGE, Answer.HOLD),
        ({"confidence": "very"}, "confidence", Cause.CANNOT_DECIDE, Answer.HOLD),
        ({"observed_ns": 799 * MS}, "stale", Cause.OBSERVATION_TOO_OLD, Answer.HOLD),
        ({"observed_ns": 1201 * MS}, "stale", Cause.OBSERVATION_TOO_OLD, Answer.HOLD),
        ({"observed_ns": None}, "stale", Cause.OBSERVATION_TIME_NOT_KNOWN, Answer.HOLD),
        ({"command": [0, 0, 0, 0, 0, 0.26]}, "joint_step", Cause.JOINT_STEP_TOO_LARGE, Answer.HOLD),
        ({"command": np.zeros(5)}, "joint_step", Cause.JOINT_COUNT_DIFFERS, Answer.HOLD),
        ({"action": []}, "finite", Cause.NO_ACTION, Answer.HOLD),
        ({"action": None}, "finite", Cause.NOT_KNOWN, Answer.HOLD),
        ({"force_n": None}, "finite", Cause.NOT_KNOWN, Answer.HOLD),
        ({"joints": "not numbers"}, "finite", Cause.CANNOT_DECIDE, Answer.HOLD),
        ({"force_n": [0.0, 24.0, 33.0]}, "force", Cause.FORCE_TOO_LARGE, Answer.STOP),
        ({"force_n": [np.nan, 0.0, 41.0]}, "force", Cause.FORCE_TOO_LARGE, Answer.STOP),
    ],
)
def test_each_rule_of_the_table(changes, rule, cause, expected):
    verdict = answer(**changes)
    assert verdict.answer is expected
    assert (rule, cause) in [(breach.rule, breach.cause) for breach in verdict.breaches]
    assert verdict.rules == tuple(breach.rule for breach in verdict.breaches)
    assert verdict.reasons == tuple(breach.reason for breach in verdict.breaches)
    assert all(verdict.reasons)


@pytest.mark.parametrize(
    ("changes", "value", "limit", "unit"),
    [
        ({"force_n": [0.0, 30.0, 40.0]}, 50.0, 40.0, "N"),
        ({"observed_ns": 700 * MS}, 300.0, 200.0, "ms"),
        ({"command": [0, 0, 0, 0, 0, -0.5]}, 0.5, 0.25, "rad"),
        ({"confidence": 0.25}, 0.25, 0.7, "1"),
        ({"command": np.zeros(5)}, 5, 6, "joints"),
    ],
)
def test_a_broken_rule_carries_its_value_and_limit_with_their_unit(changes, value, limit, unit):
    (breach,) = answer(**changes).breaches
    assert (breach.value, breach.limit, breach.unit) == (value, limit, unit)


def test_limits_are_met_exactly_at_the_limit():
    at_limits = answer(confidence=0.7, observed_ns=800 * MS, command=np.full(6, 0.25), force_n=[40.0])
    assert at_limits.answer is Answer.ALLOW


def test_no_joint_command_is_no_joint_step():
    assert answer(joints=[], command=[]).answer is Answer.ALLOW


def test_a_pause_carries_what_the_cell_does():
    assert answer(confidence=0.1).instructions == guard.PAUSE
    stop = answer(force_n=[100.0], confidence=0.1).instructions
    assert stop == guard.HALT
    assert Instruction.SAFE_HOME_POSE not in stop  # going home is one more movement


def test_every_broken_rule_is_named():
    verdict = answer(confidence=0.1, observed_ns=0, force_n=[np.inf])
    assert verdict.rules == ("finite", "confidence", "stale")


def test_a_stop_stays_until_a_person_releases_it():
    state, first = guard.step(GuardState(), LIMITS, reading(force_n=[100.0]))
    state, second = guard.step(state, LIMITS, reading())
    assert (first.answer, second.answer) == (Answer.STOP, Answer.STOP)
    assert [(b.rule, b.cause) for b in second.breaches] == [("stopped", Cause.STOPPED_BEFORE)]
    assert first.reasons[0] in second.reasons[0]
    assert guard.count_attempt(state, succeeded=True).stopped_by
    assert guard.step(guard.make_cleared_state(), LIMITS, reading())[1].answer is Answer.ALLOW


def test_five_failures_in_a_row_suspend_and_call_a_senior_operator():
    state = GuardState()
    for failures in range(1, 6):
        state = guard.count_attempt(state, succeeded=False)
        after, verdict = guard.step(state, LIMITS, reading())
        assert verdict.answer is (Answer.HOLD if failures == 5 else Answer.ALLOW)
    assert Instruction.CALL_SENIOR_OPERATOR in verdict.instructions
    (breach,) = verdict.breaches
    assert (breach.cause, breach.value, breach.limit, breach.unit) == (Cause.FAILURES_IN_A_ROW, 5, 5, "failures")
    later = guard.count_attempt(after, succeeded=True)
    assert guard.step(later, LIMITS, reading())[1].answer is Answer.HOLD  # a success does not lift a suspension


def test_a_success_between_failures_starts_the_count_again():
    state = GuardState()
    for succeeded in (False, False, False, False, True, False, False, False, False):
        state = guard.count_attempt(state, succeeded=succeeded)
    assert guard.step(state, LIMITS, reading())[1].answer is Answer.ALLOW


def test_shipped_limits_and_their_fingerprint_are_the_operations_files_own():
    section = default_operations()["guard"]
    limits = GuardLimits.from_json(json.dumps({name: section[name] for name in section}), section.fingerprint)
    assert {name: section.settings[name].unit for name in section} == guard.UNITS
    assert limits.min_confidence == section["min_confidence"]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({**RAW, "max_force": 400.0}, "changed after approval"),
        ({k: v for k, v in RAW.items() if k != "max_force"}, "lack max_force"),
        ({**RAW, "max_speed": 1.0}, "does not know max_speed"),
        ({**RAW, "max_force": float("nan")}, "not a finite number"),
        ({**RAW, "max_force": "40"}, "not a finite number"),
        ({**RAW, "max_force": True}, "not a finite number"),
        ({**RAW, "max_force": 0}, "not a finite number"),
        ("[1, 2]", "not an object"),
        ("{", "not a JSON object"),
    ],
)
def test_limits_that_are_not_the_approved_ones_are_refused(limits, message):
    with pytest.raises(LimitsRefused, match=message):
        GuardLimits.from_json(limits, guard.fingerprint_limits(RAW))


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
readings = st.builds(
    reading,
    observed_ns=st.integers(0, 2000 * MS),
    confidence=st.floats(0, 1),
    action=st.lists(numbers, min_size=1, max_size=8),
    command=st.lists(st.floats(-0.5, 0.5), min_size=6, max_size=6),
    force_n=st.lists(st.floats(-60, 60), min_size=1, max_size=6),
)
states = st.builds(GuardState, st.integers(0, 7), st.booleans(), st.sampled_from(["", "pushed too hard"]))
FIELDS = ("action", "joints", "command", "force_n")


@given(readings, st.sampled_from((*FIELDS, "confidence")), st.data(), st.sampled_from([np.nan, np.inf, -np.inf]))
def test_a_number_that_is_not_finite_never_yields_allow(good, field, data, bad):
    value = np.atleast_1d(np.asarray(getattr(good, field), dtype=float)).copy()
    value[data.draw(st.integers(0, len(value) - 1))] = bad
    poisoned = dataclasses.replace(good, **{field: value[0] if field == "confidence" else value})
    assert guard.step(GuardState(), LIMITS, poisoned)[1].answer is not Answer.ALLOW


@given(readings, st.sampled_from([f.name for f in dataclasses.fields(Reading)]))
def test_anything_unknown_never_yields_allow(good, field):
    unknown = dataclasses.replace(good, **{field: None})
    assert guard.step(GuardState(), LIMITS, unknown)[1].answer is not Answer.ALLOW


@given(readings, st.sampled_from(list(RAW)))
def test_a_limit_that_is_no_number_never_yields_allow(good, name):
    broken = dataclasses.replace(LIMITS, **{name: float("nan")})
    assert guard.step(GuardState(), broken, good)[1].answer is not Answer.ALLOW


@given(states, readings, st.sampled_from(list(RAW)), st.floats(0.01, 1.0))
def test_tightening_a_limit_never_turns_hold_into_allow(state, any_reading, name, by):
    loose = getattr(LIMITS, name)
    tight = min(1.0, loose / by) if name.startswith("min") else loose * by
    before = guard.step(state, LIMITS, any_reading)[1].answer
    after = guard.step(state, dataclasses.replace(LIMITS, **{name: tight}), any_reading)[1].answer
    assert before is Answer.ALLOW or after is not Answer.ALLOW


@given(states, readings)
def test_state_only_ever_grows_stricter_by_stepping(state, any_reading):
    after, verdict = guard.step(state, LIMITS, any_reading)
    assert after.suspended >= state.suspended
    assert bool(after.stopped_by) >= bool(state.stopped_by)
    assert (verdict.answer is Answer.STOP) == bool(after.stopped_by)
