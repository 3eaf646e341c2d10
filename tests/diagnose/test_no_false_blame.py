"""What must not be blamed: what the baseline lost by too, what was measured and is fine, what costs nothing."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import DAY, detail, explain, remarks, stated

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.model.agreement import Agreement
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.say import write_sentence

SIDES = ((Stage.LAB, 500, 10), (Stage.PRODUCTION, 1000, 20))


def sides(seed, rate, where):
    """Outcomes of both stages; `where` draws conditions, `rate` says how often they succeed at a stage."""
    chance = np.random.default_rng(seed)
    made = []
    for stage, count, days in SIDES:
        side = []
        for k in range(count):
            levels = where(chance)
            good, at_ns = bool(chance.random() < rate(stage, levels)), k * days * DAY // count
            side.append(Outcome(f"{stage}{k}", "p", Stratum.of(levels), stage, "home", f"r{k % 3}", at_ns, good, "j"))
        made.append(tuple(side))
    return made


def steadily(before, after):
    return lambda stage, _: before if stage is Stage.LAB else after


def bins(chance):
    return {"bin": str(chance.choice(["front", "jam"], p=[0.7, 0.3]))}


@pytest.mark.parametrize("seed", range(4))
def test_what_fails_before_and_after_alike_is_not_a_drop(seed):
    shown = Demonstrations.counted({Stratum.of(bin="front"): 400, Stratum.of(bin="jam"): 3})
    made = sides(seed, lambda _, levels: 0.5 if levels["bin"] == "jam" else 0.86, bins)
    found = explain(Evidence("p", "", *made, shown))
    assert found.status is not Status.FAILED
    assert found.causes == ()


@pytest.mark.parametrize("seed", range(2))
def test_what_fails_before_and_after_alike_has_no_part_in_a_drop(seed):
    shown = Demonstrations.counted({Stratum.of(bin="front"): 400, Stratum.of(bin="jam"): 3})
    made = sides(seed, lambda _, levels: 0.5 if levels["bin"] == "jam" else 0.86, bins)
    worn = tuple(
        dataclasses.replace(o, succeeded=o.succeeded and k % 2 == 0) if o.robot == "r1" else o
        for k, o in enumerate(made[1])
    )
    found = explain(Evidence("p", "", made[0], worn, shown))
    assert found.sum_gap_shares(Gap.EDGE_CASES) < 0.1


@pytest.mark.parametrize("seed", range(4))
def test_never_shown_and_harmless_is_a_risk_and_not_a_cause(seed):
    def where(chance):
        return {"lighting": str(chance.choice(["lab", "dim"])), "packaging": str(chance.choice(["box", "bag"]))}

    shown = Demonstrations.counted({Stratum.of(lighting="lab", packaging="box"): 400})
    found = explain(Evidence("p", "", *sides(seed, steadily(0.85, 0.85), where), shown))
    assert found.causes == ()
    assert found.status is not Status.FAILED


@pytest.mark.parametrize("seed", range(2))
def test_never_shown_and_not_worse_than_elsewhere_is_not_a_cause_of_a_loss_everywhere(seed):
    def where(chance):
        return {"lighting": str(chance.choice(["lab", "dim"], p=[0.7, 0.3])), **bins(chance)}

    before, after = sides(seed, steadily(0.86, 0.58), where)
    lab = tuple(dataclasses.replace(o, stratum=Stratum.of(o.stratum.levels | {"lighting": "lab"})) for o in before)
    shown = Demonstrations.counted({Stratum.of(lighting="lab", bin=b): 200 for b in ("front", "jam")})
    found = explain(Evidence("p", "", lab, after, shown))
    assert [c.gap for c in found.causes] == [Gap.UNKNOWN]
    assert found.slices == ()
    assert any(one["where"] == "lighting=dim" for one in remarks(found, "hardly_demonstrated_there"))


@pytest.mark.parametrize("seed", range(3))
def test_labels_that_were_measured_and_are_fine_are_not_blamed(seed):
    fine = (Agreement(("anna", "ben"), 80, 0.9, 1.0, 0, worst_frames=1.0),)
    lags = (Lag("r0", "wrist", 0.0, -2.0, 2.0, 40),)
    made = sides(seed, steadily(0.86, 0.73), lambda _: {"bin": "front"})
    found = explain(Evidence("p", "", *made, lags=lags, agreements=fine))
    assert found.sum_gap_shares(Gap.LABELS) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_a_lag_in_three_demonstrations_of_a_thousand_does_not_explain_a_loss_everywhere(seed):
    lags = (Lag("r9", "wrist", 12.0, 9.0, 15.0, 3), Lag("r0", "wrist", 0.0, -2.0, 2.0, 1140))
    made = sides(seed, steadily(0.86, 0.73), lambda _: {"bin": "front"})
    found = explain(Evidence("p", "", *made, lags=lags))
    assert found.sum_gap_shares(Gap.TIMING) < 0.5
    assert found.status is not Status.FAILED


@pytest.mark.parametrize("seed", range(4))
def test_a_site_that_is_all_of_production_is_not_separated_from_everything(seed):
    shown = Demonstrations.counted({Stratum.of(site="home"): 400})
    found = explain(Evidence("p", "", *sides(seed, steadily(0.86, 0.73), lambda _: {"site": "home"}), shown))
    assert found.sum_gap_shares(Gap.ENVIRONMENT) == 0.0
    assert found.status is Status.CANNOT_TELL


def test_a_level_in_words_beside_a_number_of_the_same_name_is_read():
    shown = dataclasses.replace(
        Demonstrations.counted({Stratum.of(temperature="cold"): 200}), ranges={"temperature": (-5.0, 20.0)}
    )
    made = sides(1, steadily(0.86, 0.6), lambda c: {"temperature": str(c.choice(["cold", "warm"]))})
    assert explain(Evidence("p", "", *made, shown)).loss > 0.1


def test_agreement_that_is_not_a_number_is_ignored():
    odd = (Agreement(("anna", "ben"), 5, float("nan"), float("nan"), 0),)
    found = explain(Evidence("p", "", *sides(1, steadily(0.86, 0.6), lambda _: {"bin": "front"}), agreements=odd))
    assert not any("nan" in write_sentence(c.evidence) for c in found.causes)


def test_a_day_from_which_all_fails_more_is_not_a_condition():
    before, after = sides(0, steadily(0.9, 0.9), bins)
    fails = (o.at_ns >= 12 * DAY and k % 2 == 0 for k, o in enumerate(after))
    late = tuple(dataclasses.replace(o, succeeded=o.succeeded and not bad) for o, bad in zip(after, fails, strict=True))
    found = explain(Evidence("p", "", before, late))
    assert "since=" not in repr(found)
    (cause,) = [c for c in found.causes if not c.stratum.conditions]
    assert abs(cause.since_ns - 12 * DAY) <= DAY
    assert detail(cause.evidence, "lost_in_all")["since"] == cause.since_day
    assert stated(cause.evidence)[:2] == ["lost_in_all", "before"]
