"""Success rates in production, and alarms about them."""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note


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
    """One evaluation of production over a window [start, end): rates, new alarms, and the sites with too little data.

    `unknown` reports attempts without a known result, by policy and site; rates do not count them. `standing` are
    earlier alarms whose rate is still below the limit.
    """

    rates: tuple[Rate, ...]
    alarms: tuple[Alarm, ...]
    cannot_tell: tuple[Note, ...] = ()
    unknown: tuple[Note, ...] = ()
    start_ns: int = 0
    end_ns: int = 0
    standing: tuple[Alarm, ...] = ()

    @property
    def status(self) -> Status:
        """Fail on an alarm, new or standing; a site with too little data prevents a pass."""
        if self.alarms or self.standing:
            return Status.FAILED
        return Status.CANNOT_TELL if self.cannot_tell or not self.rates else Status.PASSED


def note_standing_alarm(alarm: Alarm, rates: Iterable[Rate]) -> Note:
    """Return the fact that an earlier alarm still stands, with the rate of the window."""
    now = next((r.rate for r in rates if (r.policy, r.site) == (alarm.policy, alarm.site)), alarm.rate.rate)
    return note("monitor.stands", raised_ns=alarm.raised_ns, site=alarm.site, rate=now, baseline=alarm.baseline)
