"""Measurements, and findings: measurements judged under a protocol."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fieldloop.model.fix import Fix
from fieldloop.model.note import Note, Subject, note

FINDING = "finding.judged"
"""The code of a finding that another fact holds as one of its values."""

ASSUMED = "check.rests_on_assumed"
"""The code of the reason why a measurement cannot fail: it rests on what a reader assumed."""

BEYOND = "check.beyond_limit_of_no_protocol"
"""The code of the reason of a number beyond a limit that fails only where a protocol is named.

Its numbers are given where only some episodes of a set name none.
"""

UNKNOWN = math.nan
"""The value of a measurement that gave no number."""


class Status(StrEnum):
    """The status of a finding, worst first."""

    FAILED = "failed"
    ERRORED = "errored"
    CANNOT_TELL = "cannot_tell"
    NOT_APPLICABLE = "not_applicable"
    PASSED = "passed"


def prevents_pass(status: Status, *, required: bool) -> bool:
    """Does a finding with this status keep its episode from passing?

    >>> prevents_pass(Status.CANNOT_TELL, required=True), prevents_pass(Status.CANNOT_TELL, required=False)
    (True, False)
    >>> prevents_pass(Status.FAILED, required=False), prevents_pass(Status.PASSED, required=True)
    (True, False)
    """
    return status is not Status.PASSED and (required or status in (Status.FAILED, Status.ERRORED))


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number that a check measured about a subject (a stream, usually), kept whether or not it is good.

    `low` and `high` bound the true value where the number is an estimate: it is judged only when the whole interval
    lies on one side of the limit. `place` is where or how, `cannot_tell` why the number proves nothing if it is good.
    `at_s` is the moment to look at, from the episode's start; `fix` is what a release may do about a failure.
    `unproven` is what the streams lack for the number to fail data that name no protocol.
    """

    about: Subject
    value: float
    place: Note | None = None
    cannot_tell: Note | None = None
    low: float | None = None
    high: float | None = None
    at_s: float | None = None
    fix: Fix | None = None
    unproven: Note | None = None

    @property
    def subject(self) -> str:
        """The displayed name of what it is about."""
        return str(self.about)


@dataclass(frozen=True, slots=True)
class Measured:
    """All measurements of one check in one episode; `error` is why it failed, `reason` why nothing was measured."""

    check: str
    measurements: tuple[Measurement, ...] = ()
    error: str = ""
    reason: Note | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer to one check about one subject under one protocol. `say.findings` writes its message.

    `place` is where or how, `reason` why it is undecided, or the whole fact where no limit is involved. `cost` is
    the share of the episode's worth that it takes, by the protocol; 0 where it does not count. `advice` comes from a
    check outside this package; ours is in `say/en/advice.toml`. `as_written` is the message of an earlier version.
    """

    check: str
    about: Subject
    status: Status
    measured: float | None
    minimum: float | None
    maximum: float | None
    unit: str
    place: Note | None = None
    reason: Note | None = None
    required: bool = True
    low: float | None = None
    high: float | None = None
    at_s: float | None = None
    fix: Fix | None = None
    cost: float = 0.0
    advice: str = ""
    as_written: str = ""

    @property
    def subject(self) -> str:
        """The displayed name of what it is about."""
        return str(self.about)

    @property
    def code(self) -> str:
        """The stable name of the answer.

        >>> Finding("timing.longest_gap", Subject("imu"), Status.FAILED, 7.0, None, 1.0, "missing periods").code
        'timing.longest_gap.failed'
        """
        return f"{self.check}.{self.status.value}"

    @property
    def counts(self) -> bool:
        """Does this finding keep the episode from passing?"""
        return prevents_pass(self.status, required=self.required)

    @property
    def fact(self) -> Note:
        """Return the finding as a note, for a fact that holds it: why an episode was left out of a release."""
        return note(
            FINDING, about=self.about, check=self.check, status=self.status.value, measured=self.measured,
            minimum=self.minimum, maximum=self.maximum, unit=self.unit, place=self.place, reason=self.reason,
            low=self.low, high=self.high, advice=self.advice, as_written=self.as_written,
        )  # fmt: skip

    @classmethod
    def from_fact(cls, fact: Note) -> "Finding":
        """Return the finding that a note holds."""
        values: dict[str, Any] = dict(fact.numbers)
        return cls(about=fact.subject, **{**values, "status": Status(values["status"])})

    @staticmethod
    def from_older(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read the form of earlier versions: a displayed subject and a message instead of facts."""
        if "about" in raw:
            return raw
        about = Subject.from_displayed(raw.get("subject", "")).to_plain()
        return {**raw, "about": about, "as_written": raw.get("message", "")}


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """All findings about one episode, the status that follows from them, and the protocol's version that judged."""

    episode: str
    name: str
    status: Status
    findings: tuple[Finding, ...]
    judged_by: str = ""


def find_worst_status(findings: tuple[Finding, ...]) -> Status:
    """Return the worst status that counts; nothing passes without a measurement.

    >>> find_worst_status(())
    <Status.CANNOT_TELL: 'cannot_tell'>
    """
    counting = {f.status for f in findings if f.status is Status.PASSED or f.counts}
    ranked = [s for s in Status if s in counting and s is not Status.PASSED]
    if not ranked:
        return Status.PASSED if counting else Status.CANNOT_TELL
    return Status.CANNOT_TELL if ranked[0] is Status.NOT_APPLICABLE else ranked[0]


def compute_limit_excess(finding: Finding) -> float:
    """Return how far a finding exceeds its limit, as a share of the limit; it orders failures of equal cost."""
    value, low, high = finding.measured, finding.minimum, finding.maximum
    if value is None:
        return 0.0
    if high is not None and value > high:
        return _compute_relative_excess(value - high, high)
    if low is not None and value < low:
        return _compute_relative_excess(low - value, low)
    return 0.0


def _compute_relative_excess(distance: float, limit: float) -> float:
    """Return the distance as a share of the limit; for a limit of zero, in its own unit."""
    return distance / abs(limit) if limit else distance
