"""The drift detector of production: rolling success rates, alarms beyond chance, and sites with too little data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldloop.model.alarm import Alarm, Rate, Watch
from fieldloop.model.identity import Ids
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.monitor.rates import sum_rolling_rates
from fieldloop.protocol import Section
from fieldloop.stats import binomial
from fieldloop.stats.change import compute_drop_evidence


@dataclass(frozen=True, slots=True)
class Baseline:
    """Success of a policy before or at deployment; an empty site means every site."""

    policy: str
    successes: int
    episodes: int
    site: str = ""

    @property
    def rate(self) -> float:
        """Return the share of successes."""
        return self.successes / self.episodes


def watch_production(
    days: Iterable[Rate],
    baselines: Iterable[Baseline],
    settings: Section,
    at_ns: int,
    ids: Ids,
    earlier_alarms: Iterable[Alarm] = (),
    window: Iterable[Rate] | None = None,
) -> Watch:
    """Evaluate every policy and site: its rate in the window, and whether it raises an alarm.

    An alarm needs both: the rolling rate is below the baseline by more than the allowed drop, and the evidence since
    deployment (or since the last alarm) has reached the required mean number of days between false alarms. `days` are
    the daily rates since deployment, `earlier_alarms` the alarms raised so far. `window` are the rates of the window
    where they were counted to the second; without them, whole days are added up.
    """
    seen = sorted((d for d in days if d.start_ns <= at_ns), key=lambda d: (d.policy, d.site, d.start_ns))
    known = {(b.policy, b.site): b for b in baselines}
    raised = tuple(earlier_alarms)
    rates = sum_rolling_rates(seen, at_ns, settings.number("window_days")) if window is None else tuple(window)
    alarms: list[Alarm] = []
    unknown: list[Note] = []
    standing: list[Alarm] = []
    for rate in rates:
        history = [d for d in seen if (d.policy, d.site) == (rate.policy, rate.site)]
        baseline = known.get((rate.policy, rate.site)) or known.get((rate.policy, ""))
        if reason := explain_cannot_tell(rate, baseline, settings):
            unknown.append(reason)
        elif baseline and (
            alarm := _raise_alarm(rate, history, baseline, settings, ids, _find_last_alarm_ns(raised, rate))
        ):
            alarms.append(alarm)
        elif lasting := find_standing_alarm(rate, raised, settings):
            standing.append(lasting)
    begin_ns = at_ns - int(settings.number("window_days") * NS_PER_DAY)
    start_ns, end_ns = (rates[0].start_ns, rates[0].end_ns) if rates else (begin_ns, at_ns)
    return Watch(rates, tuple(alarms), tuple(unknown), start_ns=start_ns, end_ns=end_ns, standing=tuple(standing))


def find_standing_alarm(rate: Rate, raised: Iterable[Alarm], settings: Section) -> Alarm | None:
    """Return the last alarm of a policy and site while the rate in the window is still below its limit."""
    mine = [alarm for alarm in raised if (alarm.policy, alarm.site) == (rate.policy, rate.site)]
    last = max(mine, key=lambda alarm: alarm.raised_ns, default=None)
    return last if last and rate.rate < last.baseline - settings.number("max_drop") else None


def explain_cannot_tell(rate: Rate, baseline: Baseline | None, settings: Section) -> Note | None:
    """Return why a rate cannot be judged: it has no baseline, or too few outcomes in the window."""
    if baseline is None or baseline.episodes == 0:
        return note("monitor.no_baseline", policy=rate.policy, site=rate.site)
    if rate.episodes == 0:
        return note("monitor.no_recent", policy=rate.policy, site=rate.site, window_days=settings.number("window_days"))
    if rate.episodes < (least := int(settings.number("min_episodes"))):
        days = settings.number("window_days")
        return note(
            "monitor.too_few",
            policy=rate.policy,
            site=rate.site,
            episodes=rate.episodes,
            window_days=days,
            needed=least,
        )
    return None


def _raise_alarm(
    rate: Rate, history: Sequence[Rate], baseline: Baseline, settings: Section, ids: Ids, after_ns: int
) -> Alarm | None:
    fresh = [d for d in history if d.start_ns > after_ns]
    if not fresh or rate.rate >= baseline.rate - settings.number("max_drop"):
        return None
    # the baseline was a sample too: its lower bound keeps a lucky gate from raising alarms in production
    usual = binomial.compute_lower_bound(baseline.successes, baseline.episodes, settings.number("baseline_confidence"))
    log_evidence = compute_drop_evidence(
        [d.successes for d in fresh],
        [d.episodes for d in fresh],
        usual,
        settings.number("max_drop"),
        settings.number("day_spread"),
        drop_size_count=int(settings.number("drop_sizes")),
    )
    threshold = settings.number("false_alarm_days")
    if log_evidence[-1] < threshold:
        return None
    return Alarm(
        id=ids.new("alarm"),
        policy=rate.policy,
        site=rate.site,
        raised_ns=rate.end_ns,
        baseline=baseline.rate,
        rate=rate,
        evidence=float(log_evidence[-1]),
        threshold=threshold,
        message=_write_alarm_message(rate, baseline),
        operations=settings.fingerprint,
    )


def _write_alarm_message(rate: Rate, baseline: Baseline) -> Note:
    return note(
        "monitor.drop", site=rate.site, rate=rate.rate, successes=rate.successes, episodes=rate.episodes,
        low=rate.low, high=rate.high, baseline=baseline.rate, drop_points=100 * (baseline.rate - rate.rate),
    )  # fmt: skip


def _find_last_alarm_ns(alarms: Sequence[Alarm], rate: Rate) -> int:
    return max((a.raised_ns for a in alarms if (a.policy, a.site) == (rate.policy, rate.site)), default=-1)
