"""Monitor, coverage and home give the same answers from sums as from every outcome and episode read one by one."""

import random
from dataclasses import replace

import pytest
from sqlalchemy import event as database_event

from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.home.home import show_home
from fieldloop.loop.home.pages import CHART_DAYS, read_daily_rates
from fieldloop.loop.plan import known as plan_known
from fieldloop.loop.run import monitor
from fieldloop.model.alarm import Alarm
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.days import get_day_span_ns, get_local_day
from fieldloop.model.event import DeploymentMapped, OutcomeRecorded
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.monitor import Baseline, count_daily_rates, make_rate, watch_production
from fieldloop.plan import compute_coverage, read_demonstration_costs

HOUR_NS = 3_600_000_000_000
ZONES = ("Europe/Berlin", "Asia/Kolkata", "UTC")


@pytest.fixture(params=[0, 1])
def busy(full_site, request):
    """The story with a random history on top: three sites in three zones, several judges, another policy."""
    chance = random.Random(request.param)
    mapped = require_latest_deployment(full_site)
    sites = tuple(replace(mapped.sites[0], id=f"s{n}", share=1 / 3, time_zone=zone) for n, zone in enumerate(ZONES))
    full_site.write(DeploymentMapped(replace(mapped, sites=sites)))
    known = [version.id for version in full_site.store.find(PolicyVersion)]
    strata = [exposure.stratum for exposure in require_latest_deployment(full_site).exposures]
    skus = [sku.id for sku in mapped.skus] or ["A7"]
    now = full_site.clock()
    full_site.write(
        *(
            OutcomeRecorded(
                Outcome(
                    f"new{n}",
                    chance.choice([*known, "stranger"]),
                    chance.choice(strata) if n % 3 else Stratum.of(bin="back"),
                    chance.choice((Stage.PRODUCTION,) * 6 + (Stage.LAB, Stage.GATE)),
                    chance.choice(("s0", "s1", "s2", "unmapped", "")),
                    chance.choice(("r1", "r2")),
                    now - chance.randrange(60 * 24) * HOUR_NS + chance.choice((-1, 0, 1, HOUR_NS // 3)),
                    succeeded=chance.random() < 0.6,
                    judged_by="ana",
                    scenario=chance.choice(("", "base", "edge:wet")),
                    attempt=chance.choice(("", "", f"a{n % 40}")),
                    item=chance.choice(skus),
                )
            )
            for n in range(900)
        )
    )
    return full_site


def test_the_monitor_sees_what_every_outcome_shows(busy):
    zones = {site.id: site.time_zone for site in require_latest_deployment(busy).sites}
    shown = {}
    for version in busy.store.find(PolicyVersion):
        tried = settle_attempts(monitor.find_nominal_outcomes(busy, version.id))[0]
        if tried:
            shown[version.id] = Baseline(version.id, sum(o.succeeded for o in tried), len(tried))
    assert monitor.list_baselines(busy) == list(shown.values())
    at_ns, earlier = busy.clock(), busy.store.find(Alarm)
    days = count_daily_rates(busy.store.find(Outcome, {"stage": Stage.PRODUCTION}), zones)
    frozen = replace(busy, clock=lambda: at_ns)
    ids = Ids(lambda: at_ns, lambda _: 0)
    span = monitor.compute_window_span(busy, at_ns)
    counted: dict[tuple[str, str], list[Outcome]] = {}
    settled = settle_attempts(busy.store.find(Outcome, {"stage": Stage.PRODUCTION}))[0]
    for outcome in (o for o in settled if span[0] <= o.at_ns < span[1]):
        counted.setdefault((outcome.policy, outcome.site), []).append(outcome)
    rates = [make_rate(*pair, sum(bool(o.succeeded) for o in some), len(some), span) for pair, some in counted.items()]
    window = monitor.add_silent_sites(rates, {(day.policy, day.site) for day in days}, span)
    expected = watch_production(days, shown.values(), busy.operations["monitor"], at_ns, ids, earlier, window)
    found = monitor.monitor(replace(frozen, random_bits=lambda _: 0))
    assert (found.rates, found.alarms, found.cannot_tell) == (expected.rates, expected.alarms, expected.cannot_tell)


def test_coverage_from_counts_equals_coverage_from_nouns(busy):
    passed = plan_known._find_episodes(busy, {"status": Status.PASSED})
    expected = compute_coverage(
        require_latest_deployment(busy).exposures,
        plan_known.find_good_demonstrations(busy),
        plan_known.find_outcomes_in_force(busy),
        tried=passed,
        costs=read_demonstration_costs(busy.operations["plan"]),
    )
    found = plan_known.compute_workspace_coverage(busy)
    assert tuple(replace(one, learnt=other.learnt) for one, other in zip(found, expected, strict=True)) == expected
    assert sum(one.attempts for one in found) > 0
    running = plan_known.find_version_in_production(busy)
    if running:
        taught = compute_coverage(
            require_latest_deployment(busy).exposures, plan_known.find_training_demonstrations(busy, running)
        )
        assert [one.learnt for one in found] == [one.demonstrations for one in taught]


def test_days_of_several_sites_in_one_read_equal_a_read_a_day(busy):
    zones = require_latest_deployment(busy).time_zones
    for policy in [version.id for version in busy.store.find(PolicyVersion)][:2]:
        end_ns = max(o.at_ns for o in busy.store.find(Outcome, {"stage": Stage.PRODUCTION, "policy": policy}))
        expected = []
        for zone in sorted({"UTC", *zones.values()}):
            last = get_local_day(end_ns, zone)
            for day in range(last - CHART_DAYS + 1, last + 1):
                of_day = busy.store.compute_success_rates(*get_day_span_ns(day, zone))
                expected += [r for r in of_day if r.policy == policy and zones.get(r.site, "UTC") == zone]
        found = read_daily_rates(busy, policy, "", busy.clock())
        assert sorted(found, key=str) == sorted(expected, key=str)
        assert [r.start_ns for r in found] == sorted(r.start_ns for r in found)


def test_home_needs_few_queries(busy):
    show_home(busy)
    asked = []
    engine = busy.store._database._engine
    database_event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    show_home(busy)
    assert len(asked) <= 20, asked
