"""Diagnosis on worlds whose cause was planted, on worlds with nothing wrong, and where nothing can be told."""

import dataclasses
import math

import numpy as np
import pytest
from tests.diagnose.planted import DAY, WORLDS, World, draw, ids

from fieldloop.diagnose import Evidence, demonstrations_of, diagnose
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["diagnose"].replaced(bootstrap_draws=40)


def explain(evidence, settings=SETTINGS):
    return diagnose(evidence, settings, ids(), 5, np.random.default_rng(0))


def outcome(number, *, succeeded, stage=Stage.PRODUCTION, site="north", robot="r1", policy="p", **levels):
    return Outcome(
        f"o{number}", policy, Stratum.of(levels), stage, site, robot, number * DAY // 40, succeeded, "sensor"
    )


def many(successes, episodes, **more):
    return tuple(outcome(k, succeeded=k * successes % episodes < successes, **more) for k in range(episodes))


def test_planted_causes_are_named_first():
    found = {(name, seed): explain(draw(world, seed)) for name, world in WORLDS.items() for seed in (31,)}
    right = [
        bool(d.causes) and (d.causes[0].gap, d.causes[0].stratum) == (WORLDS[name].gap, WORLDS[name].stratum)
        for (name, _), d in found.items()
    ]
    assert sum(right) >= 0.8 * len(right)
    for (name, _), d in found.items():
        for cause in d.causes[:1]:
            assert cause.low <= cause.share <= cause.high
            assert cause.evidence
            assert cause.fix
            if cause.stratum == WORLDS[name].stratum:
                assert cause.never_covered is WORLDS[name].never_covered


def test_with_nothing_wrong_a_cause_is_hardly_ever_named():
    found = [explain(draw(World(), 1000 + seed)) for seed in range(15)]
    assert sum(d.status is Status.FAILED for d in found) <= 2
    assert sum(d.status is Status.PASSED for d in found) >= 8


def test_a_loss_alike_everywhere_is_real_and_cannot_be_explained():
    found = explain(draw(World(everywhere=True, drop=0.25), 5))
    assert found.status is Status.CANNOT_TELL
    assert [c.gap for c in found.causes] == [Gap.UNKNOWN]
    assert found.causes[0].share == pytest.approx(1.0, abs=0.15)
    assert any("log" in reason and "temperature" in reason for reason in found.cannot_tell)


def test_the_three_parts_add_up_and_point_the_right_way():
    for name, part in (
        ("dim light never shown", "unseen"),
        ("worn gripper", "mechanism"),
        ("more of the hard bin", "mix"),
    ):
        found = explain(draw(WORLDS[name], 41))
        assert found.mix_share + found.mechanism_share + found.unseen_share == pytest.approx(1.0)
        assert max(("mix", "mechanism", "unseen"), key=lambda p: getattr(found, f"{p}_share")) == part
        assert found.loss == pytest.approx(found.baseline - found.observed)


def test_a_planted_share_lies_in_its_interval():
    inside = 0
    for seed in range(4):
        evidence = draw(World(Gap.HARDWARE, Stratum.of(robot="r1"), drop=0.45), 50 + seed)
        found = explain(evidence)
        truth = 0.45 * np.mean([o.robot == "r1" for o in evidence.production]) / found.loss
        inside += found.causes[0].low - 0.05 <= truth <= found.causes[0].high + 0.05
    assert inside >= 3


def test_a_small_difference_is_no_loss_or_cannot_be_told():
    same = explain(Evidence("p", "", many(850, 1000, stage=Stage.GATE), many(848, 1000)))
    assert (same.status, same.causes) == (Status.PASSED, ())
    few = explain(Evidence("p", "", many(17, 20, stage=Stage.GATE), many(32, 40)))
    assert few.status is Status.CANNOT_TELL
    assert "record more outcomes of the baseline" in few.cannot_tell[0]


@pytest.mark.parametrize(("before", "after", "what"), [(0, 50, "baseline"), (50, 0, "production"), (0, 0, "baseline")])
def test_without_outcomes_nothing_can_be_told(before, after, what):
    found = explain(Evidence("p", "", many(before, before, stage=Stage.GATE), many(0, after)))
    assert found.status is Status.CANNOT_TELL
    assert what in found.cannot_tell[0]
    assert math.isnan(found.loss)


def test_only_this_policy_this_site_and_production_count():
    strangers = (*many(0, 60, policy="other"), *many(0, 60, site="south"), *many(0, 60, stage=Stage.SHADOW))
    found = explain(Evidence("p", "north", many(85, 100, stage=Stage.GATE), (*many(85, 100), *strangers)))
    assert found.episodes == 100
    assert found.loss == 0.0


def test_a_new_site_that_is_always_there_is_named_though_nothing_contrasts_with_it():
    before = many(90, 100, stage=Stage.LAB, site="lab", robot="r1")
    shown = {Stratum.of(site="lab"): 80}
    found = explain(Evidence("p", "north", before, many(240, 400, robot="r1"), shown))
    assert found.status is Status.FAILED
    assert (found.causes[0].gap, str(found.causes[0].stratum)) == (Gap.ENVIRONMENT, "site=north")
    assert found.causes[0].never_covered is True
    assert found.unseen_share == pytest.approx(1.0)


def test_conditions_that_always_go_together_are_not_told_apart():
    before = many(90, 100, stage=Stage.GATE, lighting="bright", robot="r1")
    bad = many(20, 100, lighting="dim", robot="r2")
    good = tuple(dataclasses.replace(o, id=f"g{o.id}") for o in many(90, 100, lighting="bright", robot="r1"))
    found = explain(Evidence("p", "", before, (*bad, *good), {Stratum.of(lighting="bright"): 50}))
    assert str(found.causes[0].stratum) == "lighting=dim"
    assert "robot=r2" in found.causes[0].evidence
    assert any("lighting=dim, robot=r2 always go together" in reason for reason in found.cannot_tell)


def test_without_a_release_covered_and_changed_are_not_told_apart():
    evidence = dataclasses.replace(draw(WORLDS["back of the bin"], 1), demonstrations=None)
    found = explain(evidence)
    assert found.causes[0].never_covered is None
    assert found.unseen_share == 0.0
    assert any("name the release" in reason for reason in found.cannot_tell)


def test_few_days_and_silent_outcomes_are_owned_up_to():
    evidence = draw(WORLDS["worn gripper"], 2)
    hushed = tuple(
        dataclasses.replace(o, at_ns=0, stratum=o.stratum if k % 4 == 0 else Stratum())
        for k, o in enumerate(evidence.production)
    )
    found = explain(dataclasses.replace(evidence, production=hushed))
    assert any("spans 1 days" in reason for reason in found.cannot_tell)
    assert any("do not say their bin" in reason for reason in found.cannot_tell)


def test_the_same_seed_gives_the_same_answer():
    evidence = draw(WORLDS["strict judge"], 3)
    assert explain(evidence) == explain(evidence)


def test_demonstrations_are_counted_by_stratum_and_site():
    dim = Stratum.of(lighting="dim")
    episodes = [Episode(str(k), "", "mcap", site="north" if k else "", stratum=dim) for k in range(3)]
    assert demonstrations_of(episodes) == {dim: 1, Stratum.of(lighting="dim", site="north"): 2}


def test_sites_that_the_laboratory_never_was_at_are_named_one_by_one():
    """A laboratory baseline and two new sites: the loss is everywhere, and nobody ever demonstrated at either site."""
    chance = np.random.default_rng(4)

    def tried(number, site, rate, stage):
        where = Stratum.of(site=site, lighting=("bright", "dim")[number % 2])
        good = bool(chance.random() < rate)
        at_ns = number * 86_400 * 10**9 // 20
        return Outcome(f"{stage}{number}", "p", where, stage, site, "r", at_ns, succeeded=good, judged_by="j")

    baseline = tuple(tried(n, "lab", 0.93, Stage.LAB) for n in range(150))
    production = tuple(tried(n, ("east", "west")[n // 2 % 2], 0.4, Stage.PRODUCTION) for n in range(300))
    shown = {Stratum.of(site="lab", lighting=light): 30 for light in ("bright", "dim")}
    evidence = Evidence("p", "", baseline, production, shown)
    made = explain(evidence)
    assert made.status is Status.FAILED
    assert {str(c.stratum) for c in made.causes} == {"site=east", "site=west"}
    assert all(c.gap is Gap.ENVIRONMENT and c.never_covered for c in made.causes)
    assert sum(c.share for c in made.causes) == pytest.approx(1.0, abs=0.05)
