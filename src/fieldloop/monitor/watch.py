"""One look at production: rolling rates, alarms that chance does not explain, and where nothing can be said yet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldloop.model.alarm import Alarm, Rate, Watch
from fieldloop.model.identity import Ids
from fieldloop.monitor.rates import rolling
from fieldloop.protocol import Section
from fieldloop.stats import binomial
from fieldloop.stats.change import evidence


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a policy showed before or at deployment: successes of so many episodes; site '' holds for every site."""

    policy: str
    successes: int
    episodes: int
    site: str = ""

    @property
    def rate(self) -> float:
        """Return the share of successes."""
        return self.successes / self.episodes


def watch(
    days: Iterable[Rate],
    baselines: Iterable[Baseline],
    settings: Section,
    at_ns: int,
    ids: Ids,
    earlier: Iterable[Alarm] = (),
) -> Watch:
    """Look at every policy and site: its rolling rate, and whether it alarms.

    An alarm needs both: the rolling rate is more than the allowed drop under the baseline, and the evidence since
    deployment (or since the last alarm) has reached the mean number of days between false alarms. `days` are the
    daily rates since deployment, `earlier` the alarms raised so far.
    """
    seen = sorted((d for d in days if d.start_ns <= at_ns), key=lambda d: (d.policy, d.site, d.start_ns))
    known = {(b.policy, b.site): b for b in baselines}
    raised = tuple(earlier)
    rates = rolling(seen, at_ns, settings.number("window_days"))
    alarms: list[Alarm] = []
    unknown: list[str] = []
    for rate in rates:
        own = [d for d in seen if (d.policy, d.site) == (rate.policy, rate.site)]
        baseline = known.get((rate.policy, rate.site)) or known.get((rate.policy, ""))
        if reason := _cannot_tell(rate, baseline, settings):
            unknown.append(reason)
        elif baseline and (alarm := _alarm(rate, own, baseline, settings, ids, _last(raised, rate))):
            alarms.append(alarm)
    return Watch(rates, tuple(alarms), tuple(unknown))


def _cannot_tell(rate: Rate, baseline: Baseline | None, settings: Section) -> str | None:
    who = f"{rate.policy} at {rate.site or 'no site'}"
    if baseline is None or baseline.episodes == 0:
        return f"{who}: no baseline to compare with; gate this version or name its rate at deployment."
    if rate.episodes < (least := int(settings.number("min_episodes"))):
        days = settings.number("window_days")
        return f"{who}: {rate.episodes} episodes in {days:g} days, {least} are needed."
    return None


def _alarm(
    rate: Rate, own: Sequence[Rate], baseline: Baseline, settings: Section, ids: Ids, after_ns: int
) -> Alarm | None:
    fresh = [d for d in own if d.start_ns > after_ns]
    if not fresh or rate.rate >= baseline.rate - settings.number("max_drop"):
        return None
    # the baseline was a sample too: held at its lower bound, a lucky gate does not alarm in the field
    usual = binomial.lower_bound(baseline.successes, baseline.episodes, settings.number("baseline_confidence"))
    found = evidence(
        [d.successes for d in fresh],
        [d.episodes for d in fresh],
        usual,
        settings.number("max_drop"),
        settings.number("day_spread"),
    )
    threshold = settings.number("false_alarm_days")
    if found[-1] < threshold:
        return None
    return Alarm(
        id=ids.new("alarm"),
        policy=rate.policy,
        site=rate.site,
        raised_ns=rate.end_ns,
        baseline=baseline.rate,
        rate=rate,
        evidence=float(found[-1]),
        threshold=threshold,
        message=_message(rate, baseline),
        operations=settings.fingerprint,
    )


def _message(rate: Rate, baseline: Baseline) -> str:
    return (
        f"Success at {rate.site or 'no site'} is {rate.rate:.0%} ({rate.successes} of {rate.episodes}, "
        f"{rate.low:.0%} to {rate.high:.0%}), {100 * (baseline.rate - rate.rate):.0f} points under the baseline of "
        f"{baseline.rate:.0%}, and chance does not explain it."
    )


def _last(raised: Sequence[Alarm], rate: Rate) -> int:
    return max((a.raised_ns for a in raised if (a.policy, a.site) == (rate.policy, rate.site)), default=-1)
