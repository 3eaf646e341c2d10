"""The statistics say that something changed in the field."""

from dataclasses import dataclass

from fieldloop.model.finding import Status


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
    message: str
    operations: str


@dataclass(frozen=True, slots=True)
class Watch:
    """One look at production: the rates seen, the alarms that follow, and where nothing can be said yet."""

    rates: tuple[Rate, ...]
    alarms: tuple[Alarm, ...]
    cannot_tell: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """An alarm is a failure; a site of which nothing can be said yet is no pass."""
        if self.alarms:
            return Status.FAILED
        return Status.CANNOT_TELL if self.cannot_tell or not self.rates else Status.PASSED
