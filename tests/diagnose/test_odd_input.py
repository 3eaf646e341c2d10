"""Odd evidence: all fail, none fails, one stratum, incomplete episodes, judges who disagree, values that are NaN."""

import dataclasses
import math

import numpy as np
import pytest
from tests.diagnose.planted import World, detail, draw, explain, remarks
from tests.diagnose.test_diagnose import many, outcome

from fieldloop.diagnose import Demonstrations, Evidence, demonstrations_of
from fieldloop.diagnose.explanations.judges import compare
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.policy import Stage


def test_no_failures_at_all_is_not_a_loss():
    found = explain(Evidence("p", "", many(300, 300, stage=Stage.GATE), many(400, 400, bin="front")))
    assert (found.status, found.causes, found.loss) == (Status.PASSED, (), 0.0)


def test_where_everything_fails_the_loss_is_real_and_the_place_unknown():
    found = explain(Evidence("p", "", many(270, 300, stage=Stage.GATE), many(0, 200)))
    assert found.status is Status.CANNOT_TELL
    assert [c.gap for c in found.causes] == [Gap.UNKNOWN]
    assert found.loss == pytest.approx(0.9)


def test_a_baseline_that_only_failed_and_a_single_outcome_are_survived():
    assert explain(Evidence("p", "", many(0, 50, stage=Stage.GATE), many(10, 50))).causes == ()
    one = explain(Evidence("p", "", many(1, 1, stage=Stage.GATE), many(0, 1)))
    assert one.status is Status.CANNOT_TELL


def test_one_stratum_only_is_lost_everywhere():
    before, after = many(90, 100, stage=Stage.GATE, bin="front"), many(120, 200, bin="front")
    found = explain(Evidence("p", "", before, after))
    assert found.status is Status.CANNOT_TELL
    assert found.causes[0].gap is Gap.UNKNOWN
    assert "temperature" in remarks(found, "log_conditions")[0]["names"]


def test_conditions_missing_in_half_the_episodes_are_asked_for():
    evidence = draw(World((Gap.EDGE_CASES,), episodes=400), 2)
    hushed = tuple(
        o if k % 3 == 0 else dataclasses.replace(o, stratum=Stratum()) for k, o in enumerate(evidence.production)
    )
    found = explain(dataclasses.replace(evidence, production=hushed))
    assert found.episodes == 400
    if found.causes:
        assert any("bin" in one["factors"] for one in remarks(found, "lacking"))


def test_values_that_are_not_finite_are_left_out():
    spoilt = [(("lux", math.nan), ("temperature_c", math.inf)), (), (("lux", 1.0),)]
    after = tuple(dataclasses.replace(o, facts=spoilt[k % 3]) for k, o in enumerate(many(60, 120)))
    assert explain(Evidence("p", "", many(90, 100, stage=Stage.GATE), after)).status is Status.CANNOT_TELL


def two_judges(strict):
    made = []
    for k in range(160):
        good = k % 10 != 0
        for judge, verdict in (("anna", good), ("ben", good and (not strict or k % 3 != 0))):
            one = outcome(k, succeeded=verdict)
            made.append(dataclasses.replace(one, id=f"{judge}{k}", attempt=f"a{k}", judged_by=judge))
    return tuple(made)


def test_two_judges_who_disagree_are_one_attempt_and_a_risk():
    found = explain(Evidence("p", "", many(95, 100, stage=Stage.GATE), two_judges(strict=True)))
    contested = sum(k % 10 != 0 and k % 3 == 0 for k in range(160))
    assert found.episodes == 160 - contested
    (disagree,) = remarks(found, "judges_disagree")  # 100 trials before are too few to show what it costs
    assert disagree["attempts"] == 160
    assert remarks(found, "evenly_contested")[0]["attempts"] == contested


def test_two_sites_that_number_their_attempts_alike_stay_two():
    here, there = (
        tuple(dataclasses.replace(o, site=site, id=f"{site}{o.id}", attempt=o.id) for o in many(60, 80))
        for site in ("north", "south")
    )
    found = explain(Evidence("p", "", many(95, 100, stage=Stage.GATE), (*here, *there)))
    assert found.episodes == 160
    assert compare((*here, *there)) is None


def test_where_judges_contradict_each_other_on_everything_production_is_missing():
    every = tuple(
        dataclasses.replace(outcome(k, succeeded=verdict), id=f"{judge}{k}", attempt=f"a{k}", judged_by=judge)
        for k in range(20)
        for judge, verdict in (("anna", True), ("ben", False))
    )
    found = explain(Evidence("p", "", many(95, 100, stage=Stage.GATE), every))
    assert found.status is Status.CANNOT_TELL
    assert remarks(found, "no_production")


def judged(number, *verdicts, stage=Stage.GATE):
    return tuple(
        dataclasses.replace(outcome(number, succeeded=verdict, stage=stage), id=f"{k}{number}", attempt=f"a{number}",
                            judged_by=f"j{k}")
        for k, verdict in enumerate(verdicts)
    )  # fmt: skip


def test_where_nothing_can_be_compared_attempts_are_counted_and_not_verdicts():
    before = (*judged(1, True, True, True), *judged(2, False))
    found = explain(Evidence("p", "", before, judged(3, True, False, stage=Stage.PRODUCTION)))
    assert (found.status, found.baseline, found.episodes) == (Status.CANNOT_TELL, 0.5, 0)
    assert math.isnan(found.observed)


def test_judges_who_agree_are_not_a_cause():
    found = compare(two_judges(strict=False))
    assert (found.attempts, found.same, found.kappa) == (160, 1.0, 1.0)
    assert compare(many(5, 10)) is None


def test_answers_that_are_all_slower_than_any_before_are_named():
    before = tuple(
        dataclasses.replace(o, latency_ms=30.0 + int(o.id[1:]) % 7) for o in many(190, 200, stage=Stage.GATE)
    )
    after = tuple(dataclasses.replace(o, latency_ms=180.0) for o in many(120, 200))
    found = explain(Evidence("p", "", before, after))
    assert (found.status, found.causes[0].gap) == (Status.FAILED, Gap.INFRASTRUCTURE)


def test_demonstrations_of_one_person_are_suspected_where_nothing_else_is():
    shown = Demonstrations.counted({Stratum.of(operator="ada", site="north"): 80})
    found = explain(Evidence("p", "", many(95, 100, stage=Stage.GATE), many(120, 200), shown))
    (suspected,) = remarks(found, "share_not_known")  # a guess that may be nothing or all is not a cause
    assert (suspected["cause"], found.causes) == (Gap.CONDITIONS.value, ())


def test_a_map_that_states_another_share_is_named():
    evidence = Evidence(
        "p", "", many(90, 100, stage=Stage.GATE, bin="front"), many(60, 200, bin="side"),
        exposures=(Exposure(Stratum.of(bin="front"), 0.95), Exposure(Stratum.of(bin="side"), 0.05)),
    )  # fmt: skip
    (off,) = remarks(explain(evidence), "map_states_otherwise")
    assert (off["where"], off["claimed"]) == ("bin=side", 0.05)


def test_an_empty_release_covers_nothing():
    found = demonstrations_of([])
    assert (found.total, found.shown(Stratum.of(bin="front"))) == (0, None)
    evidence = Evidence("p", "", many(90, 100, stage=Stage.GATE), many(120, 200), found)
    assert explain(evidence).status is Status.CANNOT_TELL


def test_a_release_counts_simulation_failures_items_and_numbers():
    episodes = [
        Episode("1", "", "mcap", operator="ada", stratum=Stratum.of(bin="side", sku="x"), simulated=True),
        Episode(
            "2", "", "mcap", stratum=Stratum.of(bin="side"), succeeded=False, facts=(("lux", "150"), ("note", "dim"))
        ),
        Episode("3", "", "mcap", stratum=Stratum.of(bin="side"), facts=(("lux", "90"),)),
    ]
    found = demonstrations_of(episodes)
    side = Stratum.of(bin="side")
    assert found.simulated_share(side) == pytest.approx(1 / 3)
    assert (found.failures(side), found.items, found.ranges) == (1, {"x": 1}, {"lux": (90.0, 150.0)})
    assert found.shown(Stratum.of(operator="ada")) == 1


def test_four_questions_are_answered_from_what_is_there():
    shown = Demonstrations({Stratum.of(bin="front"): 60}, failed={}, ranges={"lux": (300.0, 900.0)})
    dark = tuple(dataclasses.replace(o, facts=(("lux", 40.0),), confidence=0.2) for o in many(20, 100, bin="side"))
    fine = tuple(dataclasses.replace(o, id=f"f{o.id}", facts=(("lux", 500.0),)) for o in many(90, 100, bin="front"))
    found = explain(Evidence("p", "", many(95, 100, stage=Stage.GATE, bin="front"), (*dark, *fine), shown))
    failure = next(f for f in found.failures if f.stratum.level("bin") == "side")
    examples, sensed, judged, labelled = (a.status for a in failure.asked)
    assert (examples, sensed, judged, labelled) == (Status.FAILED, Status.FAILED, Status.CANNOT_TELL, Status.FAILED)
    outside = detail(failure.asked[1].answer, "value_outside")
    assert [outside[name] for name in ("name", "value", "low", "high")] == ["lux", 40.0, 300.0, 900.0]
    assert np.isfinite(found.loss)


def test_simulated_demonstrations_are_not_suspected_where_all_of_production_is_new():
    lab = Stratum.of(lighting="lab")
    shown = Demonstrations.counted({lab: 60}, simulated={lab: 60})
    before, after = many(90, 100, stage=Stage.GATE, lighting="lab"), many(80, 200, lighting="dim")
    found = explain(Evidence("p", "", before, after, shown))
    assert (found.causes[0].gap, found.causes[0].never_covered) == (Gap.ENVIRONMENT, True)
    assert found.sum_gap_shares(Gap.SIM_TO_REAL) == 0.0
