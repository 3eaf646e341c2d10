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
        raw = _plain(limits)
        if missing := sorted(UNITS.keys() - raw.keys()):
            raise LimitsRefused(f"Guard limits lack {', '.join(missing)}. Train or bundle the policy again.")
        if unknown := sorted(raw.keys() - UNITS.keys()):
            raise LimitsRefused(
                f"This guard does not know {', '.join(unknown)} and would not enforce it. Update the robot."
            )
        for name, value in raw.items():
            _refuse_no_limit(name, value)
        if (found := fingerprint_of(raw)) != fingerprint:
            raise LimitsRefused(
                f"Guard limits have the fingerprint {found}, the bundle promises {fingerprint or 'none'}: "
                "they were changed after approval. Deploy the bundle again."
            )
        return cls(**raw, fingerprint=fingerprint)


def fingerprint_of(limits: Mapping[str, Any]) -> str:
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
class Verdict:
    """The answer, every broken rule with its reason, and what the cell does."""

    answer: Answer
    rules: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    limits: str = ""


Question = Callable[[GuardState, GuardLimits, Reading], str]
"""Returns '' where all is well, else what is wrong."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table: what is asked, and what follows when the answer is bad."""

    name: str
    asks: Question
    answer: Answer
    instructions: tuple[Instruction, ...]


def step(state: GuardState, limits: GuardLimits, reading: Reading) -> tuple[GuardState, Verdict]:
    """Ask every rule about one step; the worst answer wins, and a rule that cannot answer holds."""
    broken = [found for rule in RULES if (found := _ask(rule, state, limits, reading))]
    if not broken:
        return state, Verdict(Answer.ALLOW, limits=limits.fingerprint)
    answer = max((b.answer for b in broken), key=list(Answer).index)
    after = replace(
        state,
        suspended=state.suspended or any(b.rule.name == "suspended" for b in broken),
        stopped_by=state.stopped_by or next((b.reason for b in broken if b.answer is Answer.STOP), ""),
    )
    names, reasons = tuple(b.rule.name for b in broken), tuple(b.reason for b in broken)
    return after, Verdict(answer, names, reasons, _instructions(broken, answer), limits.fingerprint)


def ended(state: GuardState, *, succeeded: bool) -> GuardState:
    """Count how an attempt ended; a success clears the count, never a suspension or a stop."""
    return replace(state, failures_in_a_row=0 if succeeded else state.failures_in_a_row + 1)


def released() -> GuardState:
    """Clear failures, suspension and stop after a person has fixed the cause."""
    return GuardState()


def _stopped(state: GuardState, _limits: GuardLimits, _reading: Reading) -> str:
    return f"Stopped before and not released by a person: {state.stopped_by}" if state.stopped_by else ""


def _too_much_force(_state: GuardState, limits: GuardLimits, reading: Reading) -> str:
    force = _numbers(reading.force_n)
    felt = float(np.sqrt(np.sum(np.square(force[np.isfinite(force)]))))  # one dead axis must not hide the others
    return f"Force {felt:.1f} N is above {limits.max_force:g} N." if not felt <= limits.max_force else ""


def _suspended(state: GuardState, limits: GuardLimits, _reading: Reading) -> str:
    if state.suspended:
        return "The policy is suspended until a senior operator releases it."
    if not state.failures_in_a_row < limits.max_consecutive_failures:
        return f"{state.failures_in_a_row} failures in a row: the policy is suspended."
    return ""


def _not_finite(_state: GuardState, _limits: GuardLimits, reading: Reading) -> str:
    for name in ("action", "joints", "command", "force_n"):
        value = getattr(reading, name)
        if value is None:
            return f"{name} is not known."
        if not np.isfinite(_numbers(value)).all():
            return f"{name} holds a number that is not finite."
    return "" if len(_numbers(reading.action)) else "The policy gave no action."


def _not_confident(_state: GuardState, limits: GuardLimits, reading: Reading) -> str:
    confidence = reading.confidence
    if confidence is None:
        return "The policy gave no confidence."
    if not limits.min_confidence <= confidence <= 1.0:
        return f"Confidence {confidence:.2f} is not between {limits.min_confidence:g} and 1."
    return ""


def _stale(_state: GuardState, limits: GuardLimits, reading: Reading) -> str:
    if reading.observed_ns is None:
        return "The time of the observation is unknown."
    age_ms = (reading.at_ns - reading.observed_ns) / NS_PER_MS
    if not abs(age_ms) <= limits.max_stale_ms:  # a scene from the future comes from a broken clock
        return f"The observation is {age_ms:.0f} ms old, at most {limits.max_stale_ms:g} ms are allowed."
    return ""


def _joint_step_too_large(_state: GuardState, limits: GuardLimits, reading: Reading) -> str:
    joints, command = _numbers(reading.joints), _numbers(reading.command)
    if not len(command):
        return ""
    if len(command) != len(joints):
        return f"{len(command)} joints are commanded, {len(joints)} are read."
    largest = float(np.max(np.abs(command - joints)))
    if not largest <= limits.max_joint_step:
        return f"A joint would move {largest:.3f} rad in one step, at most {limits.max_joint_step:g} rad are allowed."
    return ""


RULES: tuple[Rule, ...] = (
    Rule("stopped", _stopped, Answer.STOP, HALT),
    Rule("force", _too_much_force, Answer.STOP, HALT),
    Rule("suspended", _suspended, Answer.HOLD, ESCALATE),
    Rule("finite", _not_finite, Answer.HOLD, PAUSE),
    Rule("confidence", _not_confident, Answer.HOLD, PAUSE),
    Rule("stale", _stale, Answer.HOLD, PAUSE),
    Rule("joint_step", _joint_step_too_large, Answer.HOLD, PAUSE),
)


@dataclass(frozen=True, slots=True)
class _Broken:
    rule: Rule
    answer: Answer
    reason: str


def _ask(rule: Rule, state: GuardState, limits: GuardLimits, reading: Reading) -> _Broken | None:
    try:
        reason = rule.asks(state, limits, reading)
    except Exception as wrong:  # noqa: BLE001  the guard answers for any reading; it never crashes the loop
        return _Broken(rule, Answer.HOLD, f"Rule {rule.name} cannot decide: {wrong}.")
    return _Broken(rule, rule.answer, reason) if reason else None


def _instructions(broken: list[_Broken], answer: Answer) -> tuple[Instruction, ...]:
    named = {i for b in broken for i in (b.rule.instructions if b.answer is b.rule.answer else PAUSE)}
    if answer is Answer.STOP:  # after a stop, going home is one more movement with something in the way
        named -= {Instruction.HOLD_POSITION, Instruction.SAFE_HOME_POSE}
    return tuple(i for i in Instruction if i in named)


def _numbers(value: ArrayLike | None) -> NDArray[np.float64]:
    if value is None:
        raise ValueError("no value")
    return np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel()


def _plain(limits: str | Mapping[str, Any]) -> dict[str, Any]:
    try:
        raw = json.loads(limits) if isinstance(limits, str) else dict(limits)
    except (ValueError, TypeError) as wrong:
        raise LimitsRefused(f"Guard limits are not a JSON object: {wrong}.") from wrong
    if not isinstance(raw, dict):
        raise LimitsRefused(f"Guard limits are a {type(raw).__name__}, not an object of limit: value.")
    return raw


def _refuse_no_limit(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise LimitsRefused(f"Guard limit {name} = {value!r} is not a finite number above 0.")
