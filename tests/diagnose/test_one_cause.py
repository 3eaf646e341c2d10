"""What is one cause is named once: everything since a day, conditions with the same rows; and what is two stays two."""

import numpy as np
import pytest
from tests.diagnose.planted import DAY, explain, remarks, stated

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage

SIDES = ((Stage.LAB, 400, 7), (Stage.PRODUCTION, 1000, 21))


def tried(seed, lost, change=lambda *_: {}):
    """Both sides of two sites under two lights; `lost` is what a place loses on a day, `change` what it becomes."""
    chance = np.random.default_rng(seed)
    made = []
    for stage, count, days in SIDES:
        side = []
        for k in range(count):
            day = k * days // count
            now = stage is Stage.PRODUCTION
            levels = {
                "site": str(chance.choice(["east", "west"])),
                "lighting": str(chance.choice(["bright", "normal"])),
            }
            levels |= change(chance, day, levels) if now else {}
            odds = 2.0 - (lost(day, levels) if now else 0.0)
            good = bool(chance.random() < 1.0 / (1.0 + np.exp(-odds)))
            judge = levels.pop("judge", "sensor")
            side.append(Outcome(
                f"{stage}{k}", "p", Stratum.of(levels), stage, levels["site"], f"{levels['site']}{k % 2}",
                k * days * DAY // count, good, judge,
            ))  # fmt: skip
        made.append(tuple(side))
    shown = {Stratum.of(site=s, lighting=v): 120 for s in ("east", "west") for v in ("bright", "normal")}
    return Evidence("p", "", *made, Demonstrations.counted(shown))


@pytest.mark.parametrize("seed", [0, 1])
def test_everything_since_a_day_is_not_all_levels_of_a_factor(seed):
    found = explain(tried(seed, lambda day, _: 1.8 * (day >= 12)))
    (cause,) = found.causes
    assert cause.gap is Gap.UNKNOWN
    assert (cause.stratum, cause.since_ns // DAY) == (Stratum(), 12)
    assert cause.low > 0.3
    assert found.status is Status.CANNOT_TELL


@pytest.mark.parametrize("seed", [1, 5])
def test_everything_from_the_start_is_not_all_sites(seed):
    found = explain(tried(seed, lambda *_: 1.6))
    assert [(c.gap, c.stratum, c.since_ns) for c in found.causes] == [(Gap.UNKNOWN, Stratum(), None)]


def test_a_change_at_one_of_two_sites_is_that_sites():
    found = explain(tried(0, lambda day, at: 2.5 * (at["site"] == "west" and day >= 8)))
    (cause,) = found.causes
    assert (cause.gap, cause.stratum, cause.since_ns // DAY) == (Gap.ENVIRONMENT, Stratum.of(site="west"), 8)


def test_two_sites_that_changed_on_different_days_are_two_causes():
    found = explain(tried(0, lambda day, at: 2.2 * (day >= (6 if at["site"] == "west" else 14))))
    assert {str(c.stratum) for c in found.causes} == {"site=east", "site=west"}
    assert {c.gap for c in found.causes} == {Gap.ENVIRONMENT}
    assert all(abs(c.since_ns // DAY - {"site=west": 6, "site=east": 14}[str(c.stratum)]) <= 1 for c in found.causes)


def test_two_conditions_that_always_go_together_are_one_cause():
    def change(chance, *_):
        return {"lighting": "dim", "bin": "deep"} if chance.random() < 0.35 else {"bin": "front"}

    evidence = tried(0, lambda _, at: 2.5 * (at["lighting"] == "dim"), change)
    shown = {Stratum.of(site=s, lighting=v, bin="front"): 120 for s in ("east", "west") for v in ("bright", "normal")}
    found = explain(Evidence("p", "", evidence.baseline, evidence.production, Demonstrations.counted(shown)))
    (cause,) = found.causes
    assert {cause.stratum, *cause.group} == {Stratum.of(lighting="dim"), Stratum.of(bin="deep")}
    assert cause.share > 0.45
    assert cause.low > 0.0
    assert len(remarks(found, "always_together")) == 1


def test_a_condition_that_goes_with_a_site_since_a_day_states_the_day():
    def change(_, day, at):
        return {"lighting": "dim"} if at["site"] == "west" and day >= 8 else {}

    (cause,) = explain(tried(1, lambda _, at: 2.5 * (at["lighting"] == "dim"), change)).causes
    assert cause.stratum == Stratum.of(lighting="dim")
    assert cause.group == (Stratum.of(site="west"),)
    assert cause.group_days == ("1970-01-09",)


def test_a_cause_that_is_nearly_certain_costs_something():
    def change(chance, day, _):
        return {"filled_by": str(chance.choice(["new", "old"]))} if day >= 10 else {"filled_by": "old"}

    evidence = tried(0, lambda _, at: 2.2 * (at["filled_by"] == "new"), change)
    shown = Demonstrations.counted({Stratum.of(site="east", filled_by="old"): 200, Stratum.of(site="west"): 200})
    found = explain(Evidence("p", "", evidence.baseline, evidence.production, shown))
    (cause,) = [c for c in found.causes if c.stratum == Stratum.of(filled_by="new")]
    assert cause.low > 0.0


def test_another_judge_is_named_and_not_the_day():
    found = explain(
        tried(0, lambda day, _: 1.5 * (day >= 10), lambda _, day, __: {"judge": "person"} if day >= 10 else {})
    )
    (cause,) = found.causes
    assert (cause.gap, cause.stratum) == (Gap.LABELS, Stratum.of(judged_by="person"))
    assert cause.since_day == "1970-01-11"
    assert stated(cause.evidence)[0] == "one_judge_since"


def test_another_judge_who_judges_alike_is_not_named():
    def change(chance, *_):
        return {"judge": str(chance.choice(["person", "sensor"]))}

    found = explain(tried(0, lambda day, _: 1.8 * (day >= 12), change))
    assert found.sum_gap_shares(Gap.LABELS) == 0.0
