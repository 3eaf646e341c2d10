"""What was measured, and what the protocol says about it."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.fix import Fix


class Status(StrEnum):
    """How a question was answered. Only PASSED is a pass; worst first."""

    FAILED = "failed"
    ERRORED = "errored"
    CANNOT_TELL = "cannot_tell"
    NOT_APPLICABLE = "not_applicable"
    PASSED = "passed"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number a check found about a subject (a stream, usually), kept whether or not it is good.

    `low` and `high` bound the truth where the number is an estimate: only when the whole interval lies on one side of
    the limit is anything judged. `at_s` is the moment to look at, from the episode's start; `fix` is what a release may
    do about it, should it fail.
    """

    subject: str
    value: float
    place: str = ""
    cannot_tell: str = ""
    low: float | None = None
    high: float | None = None
    at_s: float | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """All one check found in one episode; `error` says why it broke, `reason` why it had nothing to look at."""

    check: str
    measurements: tuple[Measurement, ...] = ()
    error: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer to one check about one subject under one protocol.

    `cost` is the share of the episode's worth that it takes, by the protocol; 0 where it does not count.
    """

    check: str
    subject: str
    status: Status
    measured: float | None
    minimum: float | None
    maximum: float | None
    unit: str
    message: str
    required: bool = True
    low: float | None = None
    high: float | None = None
    at_s: float | None = None
    fix: Fix | None = None
    cost: float = 0.0

    @property
    def counts(self) -> bool:
        """Does this finding stand in the episode's way?"""
        return self.status is not Status.PASSED and (self.required or self.status in (Status.FAILED, Status.ERRORED))


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """All answers about one episode, the one word that follows from them, and the protocol's version that judged."""

    episode: str
    name: str
    status: Status
    findings: tuple[Finding, ...]
    judged_by: str = ""


def worst(findings: tuple[Finding, ...]) -> Status:
    """Roll findings up: nothing measured is no pass.

    >>> worst(())
    <Status.CANNOT_TELL: 'cannot_tell'>
    """
    told = {f.status for f in findings if f.status is Status.PASSED or f.counts}
    ranked = [s for s in Status if s in told and s is not Status.PASSED]
    if not ranked:
        return Status.PASSED if told else Status.CANNOT_TELL
    return Status.CANNOT_TELL if ranked[0] is Status.NOT_APPLICABLE else ranked[0]
