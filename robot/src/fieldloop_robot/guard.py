"""A software guard over each step; it is not the certified safety function and never replaces it.

`step` is pure: state, limits and one reading in, state and verdict out. Where it cannot decide, it holds the robot.
All rules stand in `RULES`, one line each; every broken rule is named in the verdict, the worst answer wins.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop_robot import RobotError

NS_PER_MS = 1_000_000


class LimitsRefused(RobotError):
    """The limits differ from those approved, or are invalid."""


class Answer(StrEnum):
    """The guard's answers, mildest first."""

    ALLOW = "allow"
    HOLD = "hold"
    STOP = "stop"


class Cause(StrEnum):
    """What breaks a rule. Programs read this, and never the text of a reason."""

    STOPPED_BEFORE = "stopped_before"
    FORCE_TOO_LARGE = "force_too_large"
    SUSPENDED_BEFORE = "suspended_before"
    FAILURES_IN_A_ROW = "failures_in_a_row"
    NOT_KNOWN = "not_known"
    NOT_FINITE = "not_finite"
    NO_ACTION = "no_action"
    NO_CONFIDENCE = "no_confidence"
    CONFIDENCE_OUT_OF_RANGE = "confidence_out_of_range"
    OBSERVATION_TIME_NOT_KNOWN = "observation_time_not_known"
    OBSERVATION_TOO_OLD = "observation_too_old"
    JOINT_COUNT_DIFFERS = "joint_count_differs"
    JOINT_STEP_TOO_LARGE = "joint_step_too_large"
    CANNOT_DECIDE = "cannot_decide"


class Instruction(StrEnum):
    """What the cell does about it, in this order."""

    HOLD_POSITION = "hold position"
    SAFE_HOME_POSE = "go to the safe home pose, if this cell declares one"
    STOP_MOTION = "stop all motion and stay"
    RED_LIGHT = "red light"
    ALERT = "alert dashboard and phone"
    CALL_SENIOR_OPERATOR = "call a senior operator"


PAUSE = (Instruction.HOLD_POSITION, Instruction.SAFE_HOME_POSE, Instruction.RED_LIGHT, Instruction.ALERT)
HALT = (Instruction.STOP_MOTION, Instruction.RED_LIGHT, Instruction.ALERT)
ESCALATE = (*PAUSE, Instruction.CALL_SENIOR_OPERATOR)


UNITS = {
    "min_confidence": "1",
    "max_consecutive_failures": "failures",
    "max_joint_step": "rad",
    "max_force": "N",
    "max_stale_ms": "ms",
}


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """The limits in force, named and measured as in the operations file they come from (`UNITS`)."""

    min_confidence: float
    max_consecutive_failures: int
    max_joint_step: float
    max_force: float
    max_stale_ms: float
    fingerprint: str = ""

    @classmethod
    def from_json(cls, limits: str | Mapping[str, Any], fingerprint: str) -> "GuardLimits":
        """Read the limits of a policy bundle; refuse any that were changed since they were approved.

        >>> limits = {"max_consecutive_failures": 5, "max_joint_step": 0.25, "max_force": 40.0, "max_stale_ms": 200.0}
        >>> GuardLimits.from_json(limits, "")
        Traceback (most recent call last):
        fieldloop_robot.guard.LimitsRefused: Guard limits lack min_confidence. Train or bundle the policy again.
        """
        raw = _parse_limits(limits)
        if missing := sorted(UNITS.keys() - raw.keys()):
            raise LimitsRefused(f"Guard limits lack {', '.join(missing)}. Train or bundle the policy again.")
        if unknown := sorted(raw.keys() - UNITS.keys()):
            raise LimitsRefused(
                f"This guard does not know {', '.join(unknown)} and would not enforce it. Update the robot."
            )
        for name, value in raw.items():
            _refuse_invalid_limit(name, value)
        if (computed := fingerprint_limits(raw)) != fingerprint:
            raise LimitsRefused(
                f"Guard limits have the fingerprint {computed}, the bundle promises {fingerprint or 'none'}: "
                "they were changed after approval. Deploy the bundle again."
            )
        return cls(**raw, fingerprint=fingerprint)


def fingerprint_limits(limits: Mapping[str, Any]) -> str:
    """Name limits by their content, as the operations file does, so that both sides can compare them."""
    content = {name: [value, UNITS.get(name, "")] for name, value in limits.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What is known right before a step. None means that it is not known; an empty command moves no joint."""

    at_ns: int
    observed_ns: int | None
    confidence: float | None
    action: ArrayLike | None
    joints: ArrayLike | None
    command: ArrayLike | None
    force_n: ArrayLike | None


@dataclass(frozen=True, slots=True)
class GuardState:
    """What the guard remembers: failures in a row, and what keeps the robot still until a person clears it."""

    failures_in_a_row: int = 0
    suspended: bool = False
    stopped_by: str = ""


@dataclass(frozen=True, slots=True)
class Breach:
    """One broken rule: its cause, the text for people, and the value with its limit, both in `unit`.

    `about` names the part of the reading (`action`, `joints`, `command`, `force_n`) where one is meant. `rule` is
    filled in by `step`.
    """

    cause: Cause
    reason: str
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    about: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, every broken rule with its reason, and what the cell does; `breaches` are the same as facts."""

    answer: Answer
    rules: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    limits: str = ""
    breaches: tuple[Breach, ...] = ()


Question = Callable[[GuardState, GuardLimits, Reading], Breach | None]
"""Returns None where all is well, else what is wrong."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table: what is asked, and what follows when the answer is bad."""

    name: str
    asks: Question
    answer: Answer
    instructions: tuple[Instruction, ...]


def step(state: GuardState, limits: GuardLimits, reading: Reading) -> tuple[GuardState, Verdict]:
    """Ask every rule about one step; the worst answer wins, and a rule that cannot answer holds."""
    broken = [found for rule in RULES if (found := _evaluate_rule(rule, state, limits, reading))]
    if not broken:
        return state, Verdict(Answer.ALLOW, limits=limits.fingerprint)
    answer = max((b.answer for b in broken), key=list(Answer).index)
    after = replace(
        state,
        suspended=state.suspended or any(b.rule.name == "suspended" for b in broken),
        stopped_by=state.stopped_by or next((b.breach.reason for b in broken if b.answer is Answer.STOP), ""),
    )
    breaches = tuple(b.breach for b in broken)
    names, reasons = tuple(breach.rule for breach in breaches), tuple(breach.reason for breach in breaches)
    return after, Verdict(answer, names, reasons, _list_instructions(broken, answer), limits.fingerprint, breaches)


def count_attempt(state: GuardState, *, succeeded: bool) -> GuardState:
    """Count how an attempt ended; a success clears the count, never a suspension or a stop."""
    return replace(state, failures_in_a_row=0 if succeeded else state.failures_in_a_row + 1)


def make_cleared_state() -> GuardState:
    """Clear failures, suspension and stop after a person has fixed the cause."""
    return GuardState()


def _check_stopped(state: GuardState, _limits: GuardLimits, _reading: Reading) -> Breach | None:
    if not state.stopped_by:
        return None
    return Breach(Cause.STOPPED_BEFORE, f"Stopped before and not released by a person: {state.stopped_by}")


def _check_force(_state: GuardState, limits: GuardLimits, reading: Reading) -> Breach | None:
    force = _convert_to_numbers(reading.force_n)
    felt = float(np.sqrt(np.sum(np.square(force[np.isfinite(force)]))))  # one dead axis must not hide the others
    if felt <= limits.max_force:
        return None
    reason = f"Force {felt:.1f} N is above {limits.max_force:g} N."
    return Breach(Cause.FORCE_TOO_LARGE, reason, felt, limits.max_force, UNITS["max_force"])


def _check_suspended(state: GuardState, limits: GuardLimits, _reading: Reading) -> Breach | None:
    if state.suspended:
        return Breach(Cause.SUSPENDED_BEFORE, "The policy is suspended until a senior operator releases it.")
    failures, most = state.failures_in_a_row, limits.max_consecutive_failures
    if not failures < most:
        reason = f"{failures} failures in a row: the policy is suspended."
        return Breach(Cause.FAILURES_IN_A_ROW, reason, failures, most, UNITS["max_consecutive_failures"])
    return None


def _check_finite_command(_state: GuardState, _limits: GuardLimits, reading: Reading) -> Breach | None:
    for name in ("action", "joints", "command", "force_n"):
        value = getattr(reading, name)
        if value is None:
            return Breach(Cause.NOT_KNOWN, f"{name} is not known.", about=name)
        if not np.isfinite(_convert_to_numbers(value)).all():
            return Breach(Cause.NOT_FINITE, f"{name} holds a number that is not finite.", about=name)
    return None if len(_convert_to_numbers(reading.action)) else Breach(Cause.NO_ACTION, "The policy gave no action.")


def _check_confidence(_state: GuardState, limits: GuardLimits, reading: Reading) -> Breach | None:
    confidence, least = reading.confidence, limits.min_confidence
    if confidence is None:
        return Breach(Cause.NO_CONFIDENCE, "The policy gave no confidence.")
    if not least <= confidence <= 1.0:
        reason = f"Confidence {confidence:.2f} is not between {least:g} and 1."
        return Breach(Cause.CONFIDENCE_OUT_OF_RANGE, reason, confidence, least, UNITS["min_confidence"])
    return None


def _check_observation_age(_state: GuardState, limits: GuardLimits, reading: Reading) -> Breach | None:
    if reading.observed_ns is None:
        return Breach(Cause.OBSERVATION_TIME_NOT_KNOWN, "The time of the observation is unknown.")
    age_ms = (reading.at_ns - reading.observed_ns) / NS_PER_MS
    if not abs(age_ms) <= limits.max_stale_ms:  # a scene from the future comes from a broken clock
        reason = f"The observation is {age_ms:.0f} ms old, at most {limits.max_stale_ms:g} ms are allowed."
        return Breach(Cause.OBSERVATION_TOO_OLD, reason, age_ms, limits.max_stale_ms, UNITS["max_stale_ms"])
    return None


def _check_joint_step(_state: GuardState, limits: GuardLimits, reading: Reading) -> Breach | None:
    joints, command = _convert_to_numbers(reading.joints), _convert_to_numbers(reading.command)
    if not len(command):
        return None
    if len(command) != len(joints):
        reason = f"{len(command)} joints are commanded, {len(joints)} are read."
        return Breach(Cause.JOINT_COUNT_DIFFERS, reason, len(command), len(joints), "joints")
    largest = float(np.max(np.abs(command - joints)))
    most = limits.max_joint_step
    if not largest <= most:
        reason = f"A joint would move {largest:.3f} rad in one step, at most {most:g} rad are allowed."
        return Breach(Cause.JOINT_STEP_TOO_LARGE, reason, largest, most, UNITS["max_joint_step"])
    return None


RULES: tuple[Rule, ...] = (
    Rule("stopped", _check_stopped, Answer.STOP, HALT),
    Rule("force", _check_force, Answer.STOP, HALT),
    Rule("suspended", _check_suspended, Answer.HOLD, ESCALATE),
    Rule("finite", _check_finite_command, Answer.HOLD, PAUSE),
    Rule("confidence", _check_confidence, Answer.HOLD, PAUSE),
    Rule("stale", _check_observation_age, Answer.HOLD, PAUSE),
    Rule("joint_step", _check_joint_step, Answer.HOLD, PAUSE),
)


@dataclass(frozen=True, slots=True)
class _Broken:
    rule: Rule
    answer: Answer
    breach: Breach


def _evaluate_rule(rule: Rule, state: GuardState, limits: GuardLimits, reading: Reading) -> _Broken | None:
    try:
        found = rule.asks(state, limits, reading)
    except Exception as wrong:  # noqa: BLE001  the guard answers for any reading; it never crashes the loop
        unclear = Breach(Cause.CANNOT_DECIDE, f"Rule {rule.name} cannot decide: {wrong}.", rule=rule.name)
        return _Broken(rule, Answer.HOLD, unclear)
    return _Broken(rule, rule.answer, replace(found, rule=rule.name)) if found else None


def _list_instructions(broken: list[_Broken], answer: Answer) -> tuple[Instruction, ...]:
    named = {i for b in broken for i in (b.rule.instructions if b.answer is b.rule.answer else PAUSE)}
    if answer is Answer.STOP:  # after a stop, going home is one more movement with something in the way
        named -= {Instruction.HOLD_POSITION, Instruction.SAFE_HOME_POSE}
    return tuple(i for i in Instruction if i in named)


def _convert_to_numbers(value: ArrayLike | None) -> NDArray[np.float64]:
    if value is None:
        raise ValueError("no value")
    return np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel()


def _parse_limits(limits: str | Mapping[str, Any]) -> dict[str, Any]:
    try:
        raw = json.loads(limits) if isinstance(limits, str) else dict(limits)
    except (ValueError, TypeError) as wrong:
        raise LimitsRefused(f"Guard limits are not a JSON object: {wrong}.") from wrong
    if not isinstance(raw, dict):
        raise LimitsRefused(f"Guard limits are a {type(raw).__name__}, not an object of limit: value.")
    return raw


def _refuse_invalid_limit(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise LimitsRefused(f"Guard limit {name} = {value!r} is not a finite number above 0.")
