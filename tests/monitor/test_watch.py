"""The alarm: silent while nothing is wrong, quick when something is, and honest where nothing can be said."""

import random

import numpy as np
import pytest

from fieldloop.model.identity import Ids
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.monitor import Baseline, make_rate, watch_production
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["monitor"]
KNOWN = Baseline("p", 80_000, 100_000)


def ids():
    return Ids(lambda: 0, random.Random(1).getrandbits)


def days_of(counts, episodes, site="north", policy="p"):
    return [
        make_rate(policy, site, int(k), episodes, (d * NS_PER_DAY, (d + 1) * NS_PER_DAY)) for d, k in enumerate(counts)
    ]


def look(counts, episodes, baselines=(KNOWN,), earlier=(), **more):
    return watch_production(
        days_of(counts, episodes, **more), baselines, SETTINGS, len(counts) * NS_PER_DAY - 1, ids(), earlier
    )


def test_a_clear_drop_alarms_with_its_evidence():
    seen = look([40] * 14 + [28] * 7, 50)
    (alarm,) = seen.alarms
    assert (alarm.policy, alarm.site, alarm.baseline) == ("p", "north", 0.8)
    assert alarm.rate.rate == pytest.approx(0.56)
    assert alarm.evidence >= alarm.threshold == SETTINGS["false_alarm_days"]
    assert alarm.message.code == "monitor.drop"
    assert [alarm.message[name] for name in ("site", "successes", "episodes", "baseline")] == ["north", 196, 350, 0.8]
    assert alarm.message["drop_points"] == pytest.approx(24)
    assert "56 % (196 of 350 episodes" in write_sentence(alarm.message)
    assert alarm.operations == SETTINGS.fingerprint


def test_a_rate_just_within_the_allowed_drop_never_alarms():
    assert not look([76] * 60, 100).alarms  # four points under, for two months


def test_a_drop_that_chance_explains_does_not_alarm():
    seen = look([4, 3, 4, 4, 4, 3, 3], 5)  # 71 % of 35 where 80 % was promised
    assert seen.rates[0].rate < 0.75
    assert not seen.alarms
    assert not seen.cannot_tell


def test_too_few_episodes_and_a_missing_baseline_are_reported():
    (few,) = look([0] * 7, 4).cannot_tell
    assert (few.code, few["episodes"], few["window_days"], few["needed"]) == ("monitor.too_few", 28, 7, 30)
    assert look([0] * 7, 50, baselines=()).cannot_tell[0].code == "monitor.no_baseline"
    assert look([0] * 7, 50, baselines=[Baseline("p", 0, 0)]).cannot_tell[0].code == "monitor.no_baseline"
    assert not look([0] * 7, 50, baselines=()).alarms


def test_without_outcomes_nothing_is_reported():
    seen = watch_production([], [KNOWN], SETTINGS, 0, ids())
    assert (seen.rates, seen.alarms, seen.cannot_tell) == ((), (), ())


def test_a_sites_own_baseline_wins():
    own = Baseline("p", 5_600, 10_000, site="north")
    assert not look([28] * 14, 50, baselines=[KNOWN, own]).alarms
    assert look([28] * 14, 50, baselines=[KNOWN, own], site="south").alarms


def test_after_an_alarm_evidence_is_gathered_anew():
    counts = [40] * 14 + [28] * 7
    first = look(counts, 50).alarms
    assert not look(counts, 50, earlier=first).alarms
    assert not look([*counts, *[40] * 7], 50, earlier=first).alarms
    again = look([*counts, *[28] * 7], 50, earlier=first).alarms
    assert again[0].raised_ns > first[0].raised_ns


def test_a_lucky_gate_does_not_alarm_in_the_field():
    lucky = Baseline("p", 44, 50)  # 88 %, while 80 % is the truth
    assert not look([40] * 28, 50, baselines=[lucky]).alarms


def test_a_perfect_gate_is_a_baseline_too():
    assert look([50] * 7, 50, baselines=[Baseline("p", 100, 100)]).alarms == ()
    assert look([40] * 14, 50, baselines=[Baseline("p", 100, 100)]).alarms


def first_alarm(chance, success, days=40, episodes=50):
    """Day of the first alarm when someone looks every evening; the rate varies from day to day besides."""
    rates = np.clip(chance.normal(success, 0.03, days), 0, 1)
    counts = chance.binomial(episodes, rates)
    return next((d + 1 for d in range(days) if look(counts[: d + 1], episodes).alarms), None)


def test_false_alarms_are_rare_and_drops_are_found_within_days():
    chance = np.random.default_rng(11)
    false = [first_alarm(chance, 0.80) for _ in range(60)]
    # a mean of 90 days between false alarms allows for 36 % of runs within 40 days
    assert sum(f is not None for f in false) / 60 < 0.2
    found = [first_alarm(chance, 0.70, days=28) for _ in range(40)]
    assert all(f is not None for f in found)
    assert np.median(found) <= 7
