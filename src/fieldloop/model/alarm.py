"""Success rates in production, and alarms about them."""

from dataclasses import dataclass

from fieldloop.model.finding import Status
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class Rate:
    """Success over a span for one policy at one site, with its 95 % interval."""

    policy: str
    site: str
    successes: int
    episodes: int
    rate: float
    low: float
    high: float
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Alarm:
    """Success fell below the baseline by more than the limit, beyond chance."""

    id: str
    policy: str
    site: str
    raised_ns: int
    baseline: float
    rate: Rate
    evidence: float
    threshold: float
    message: Note
    operations: str


@dataclass(frozen=True, slots=True)
class Watch:
    """One evaluation of production: rates, alarms, and the sites with too little data.

    `unknown` reports attempts without a known result, by policy and site; rates do not count them.
    """

    rates: tuple[Rate, ...]
    alarms: tuple[Alarm, ...]
    cannot_tell: tuple[Note, ...] = ()
    unknown: tuple[Note, ...] = ()

    @property
    def status(self) -> Status:
        """Fail on an alarm; a site with too little data prevents a pass."""
        if self.alarms:
            return Status.FAILED
        return Status.CANNOT_TELL if self.cannot_tell or not self.rates else Status.PASSED
