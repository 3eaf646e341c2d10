"""Counting outcomes by local day, and over a window."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.monitor import count_daily_rates, make_rate, sum_rolling_rates


def at(*when):
    return int(datetime(*when, tzinfo=UTC).timestamp()) * 10**9


def outcome(at_ns, *, succeeded=True, stage=Stage.PRODUCTION, site="north", policy="p"):
    return Outcome("o", policy, Stratum(), stage, site, "r", at_ns, succeeded, "sensor")


def test_only_production_counts():
    days = count_daily_rates([outcome(at(2026, 3, 1, 12), stage=s) for s in Stage])
    assert [(d.episodes, d.successes) for d in days] == [(1, 1)]


def test_a_day_is_local_to_its_site():
    late = at(2026, 1, 1, 23, 30)  # already the second in Berlin
    berlin, greenwich = count_daily_rates(
        [outcome(late, site="berlin"), outcome(late, site="london")], {"berlin": "Europe/Berlin"}
    )
    assert berlin.start_ns == at(2026, 1, 1, 23)
    assert greenwich.start_ns == at(2026, 1, 1)
    assert berlin.end_ns - berlin.start_ns == NS_PER_DAY


@pytest.mark.parametrize(("day", "hours"), [((2026, 3, 29), 23), ((2026, 10, 25), 25)])
def test_days_on_which_clocks_change_are_whole_days(day, hours):
    (found,) = count_daily_rates([outcome(at(*day, 12)), outcome(at(*day, 1, 30))], {"north": "Europe/Berlin"})
    assert found.episodes == 2
    assert found.end_ns - found.start_ns == hours * 3600 * 10**9


def test_policies_and_sites_are_kept_apart():
    days = count_daily_rates([outcome(0, policy=p, site=s, succeeded=p == "a") for p in "ab" for s in "xy"])
    assert [(d.policy, d.site, d.successes, d.episodes) for d in days] == [
        ("a", "x", 1, 1), ("a", "y", 1, 1), ("b", "x", 0, 1), ("b", "y", 0, 1),
    ]  # fmt: skip


def test_the_window_takes_seven_days_and_no_more():
    days = [make_rate("p", "north", 1, 10, (k * NS_PER_DAY, (k + 1) * NS_PER_DAY)) for k in range(20)]
    (found,) = sum_rolling_rates(days, 19 * NS_PER_DAY + NS_PER_DAY // 2, 7)
    assert (found.successes, found.episodes) == (7, 70)
    assert found.low < found.rate < found.high


def test_a_window_without_episodes_is_no_rate():
    (found,) = sum_rolling_rates([make_rate("p", "north", 1, 10, (0, NS_PER_DAY))], 30 * NS_PER_DAY, 7)
    assert found.episodes == 0
    assert math.isnan(found.rate)
    assert (found.low, found.high) == (0.0, 1.0)


def test_an_attempt_with_several_judges_counts_once():
    judged = [
        replace(outcome(0, succeeded=won), attempt=name) for name, won in (("1", True), ("1", True), ("1", False))
    ]
    split = [replace(outcome(0, succeeded=won), attempt="2") for won in (True, False)]
    (day,) = count_daily_rates([*judged, *split, outcome(0)])
    assert (day.successes, day.episodes) == (2, 2)
