"""From the laboratory to the floor: what no demonstration showed carries its own loss, and only that."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import DAY, SETTINGS, explain

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.diagnose.inference.coded_levels import find_coded_facts
from fieldloop.diagnose.inference.day_spread import day_spread
from fieldloop.diagnose.inference.table import tabulate
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage

LEVELS = {"site": ("home", "harbour", "annex"), "lighting": ("lab", "dim"), "bin": ("front", "buried")}
HARM = {"harbour": 1.2, "annex": 1.2, "dim": 1.2, "buried": 1.5}


def tried(chance, number, stage, everywhere=0.0, **levels):
    odds = 2.4 - sum(HARM.get(level, 0.0) for level in levels.values()) - everywhere
    person = int(chance.integers(1, 5))
    good = bool(chance.random() < 1.0 / (1.0 + np.exp(-odds + 0.8 * (person == 4))))
    facts = (("filled_by", float(person)), ("gripper_cycles", float(chance.uniform(1e3, 9e3))))
    where = Stratum.of(levels)
    at_ns = number * DAY // 40
    return Outcome(f"{stage}{number}", "p", where, stage, levels["site"], "r", at_ns, good, "j", facts=facts)


def story(seed, everywhere=0.0, lag_ms=None):
    """A laboratory at home under its own light with ordinary bins; a floor with two more sites, dim light, buried."""
    chance = np.random.default_rng(seed)
    usual = {factor: levels[0] for factor, levels in LEVELS.items()}
    before = tuple(tried(chance, k, Stage.LAB, **usual) for k in range(300))
    after = tuple(
        tried(
            chance, k, Stage.PRODUCTION, everywhere,
            site=str(chance.choice(LEVELS["site"], p=(0.5, 0.25, 0.25))),
            lighting=str(chance.choice(LEVELS["lighting"], p=(0.7, 0.3))),
            bin=str(chance.choice(LEVELS["bin"], p=(0.8, 0.2))),
        )
        for k in range(800)
    )  # fmt: skip
    lags = () if lag_ms is None else (Lag("rig", "wrist", lag_ms, lag_ms - 2.0, lag_ms + 2.0, 60),)
    return Evidence("p", "", before, after, Demonstrations.counted({Stratum.of(usual): 700}), lags=lags)


@pytest.mark.parametrize("lag_ms", [None, 60.0])
def test_what_was_never_shown_is_named_level_by_level_and_nothing_that_acts_everywhere(lag_ms):
    found = explain(story(1, lag_ms=lag_ms))
    assert found.status is Status.FAILED
    named = {str(c.stratum) for c in found.causes}
    assert {"site=harbour", "site=annex", "lighting=dim", "bin=buried"} <= named
    # a buried item is hard for any policy: only a part of what is lost there was lost for want of demonstrations
    assert found.sum_gap_shares(Gap.ENVIRONMENT) > found.sum_gap_shares(Gap.EDGE_CASES) > 0.05
    # a lag that was measured may have cost the laboratory as much: whether and what it costs is unknown
    timing = [c for c in found.causes if c.gap is Gap.TIMING]
    assert all(c.share < 0.4 and c.low < 0.1 for c in timing)
    assert bool(timing) <= (lag_ms is not None)
    assert all(c.never_covered for c in found.causes if c.gap in (Gap.ENVIRONMENT, Gap.EDGE_CASES))


def test_a_measured_fault_that_shows_in_the_covered_conditions_too_has_its_part():
    found = explain(story(2, everywhere=1.2, lag_ms=180.0))
    assert 0.2 < found.sum_gap_shares(Gap.TIMING) < 0.7
    assert found.sum_gap_shares(Gap.ENVIRONMENT) > 0.1


def test_a_person_written_as_a_number_is_a_condition_that_the_baseline_knows():
    evidence = story(3)
    assert find_coded_facts((evidence.before, evidence.after), SETTINGS) == {"filled_by"}
    table = tabulate(evidence.after, codes=frozenset({"filled_by"}))
    assert {c.level for c in table.factors["filled_by"]} == {"1", "2", "3", "4"}
    assert set(table.numbers) == {"gripper_cycles"}
    assert not any("filled_by" in str(c.stratum) for c in explain(evidence).causes)


def test_the_share_of_a_single_cause_has_an_interval_because_floors_are_a_little_harder_anyway():
    evidence = story(7)
    only = tuple(o for o in evidence.production if o.site == "home" and o.stratum.level("bin") == "front")
    found = explain(dataclasses.replace(evidence, production=only))
    assert [str(c.stratum) for c in found.causes] == ["lighting=dim"]
    assert found.causes[0].low < 1.0 == found.causes[0].high


def test_a_loss_that_may_be_none_is_not_called_a_failure():
    evidence = story(5)
    few = tuple(o for o in evidence.production if o.site == "home" and o.stratum.level("lighting") == "lab")[:60]
    found = explain(dataclasses.replace(evidence, production=few, baseline=evidence.baseline[:60]))
    assert found.status is not Status.FAILED
    assert found.loss_low <= 0.0 <= found.loss_high


def test_a_failure_states_its_place_but_not_its_robot_or_judge():
    for failure in explain(story(6)).failures:
        assert {c.factor for c in failure.stratum.conditions} == {*LEVELS, "filled_by"}


def test_a_site_that_changed_on_a_day_is_not_a_spread_of_days():
    chance = np.random.default_rng(7)
    days = np.repeat(np.arange(30), 30)
    rates = np.where(days < 15, 0.9, 0.5)
    outcomes = [
        Outcome(f"o{k}", "p", Stratum(), Stage.PRODUCTION, "home", "r", int(d) * DAY, bool(chance.random() < rate), "j")
        for k, (d, rate) in enumerate(zip(days.tolist(), rates.tolist(), strict=True))
    ]
    assert day_spread(tabulate(outcomes), np.full(900, 0.7), SETTINGS) < 0.25
