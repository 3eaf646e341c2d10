"""Quotas become work: operators rotate and span the people, articles are chosen, initial conditions vary."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment, PeopleBand, Site, Sku
from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.note import note
from fieldloop.model.person import Operator
from fieldloop.model.plan import Quota, QuotaKind
from fieldloop.plan import Crew, draw_initial_conditions, make_work_orders
from fieldloop.plan.rules.tiers import read_tier_targets
from fieldloop.plan.work.articles import Articles
from fieldloop.plan.work.rotation import Rota, get_people_needed, note_missing_people_bands
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["plan"]


def ids():
    return Ids(lambda: 0, random.Random(1).getrandbits)


def crew(people, **more):
    operators = tuple(Operator(f"op{k}") for k in range(people))
    return Crew(operators, (Robot("r1", "arm", "north"), Robot("r2", "arm", "north")), "pick v1", **more)


def quota(name, demonstrations, kind=QuotaKind.DEMONSTRATION):
    return Quota(Stratum.of(bin=name, site="north"), demonstrations, 0.1, 0.0, 0.2, "", kind)


@settings(deadline=None)
@given(st.lists(st.integers(3, 40), min_size=1, max_size=15), st.integers(4, 9))
def test_rotation_holds_with_four_operators_or_more(amounts, people):
    quotas = [quota(str(k), n) for k, n in enumerate(amounts)]
    made, warnings = make_work_orders(quotas, crew(people), SETTINGS, "plan_1", ids())
    total = sum(amounts)
    load = {o.operator: sum(x.demonstrations for x in made if x.operator == o.operator) for o in made}
    assert sum(load.values()) == total
    for q in quotas:
        mine = [o for o in made if o.stratum == q.stratum]
        assert sum(o.demonstrations for o in mine) == q.demonstrations
        assert len({o.operator for o in mine}) >= 3
    if max(load.values()) <= 0.3 * total:
        assert not warnings
    else:
        assert total < 4 / 0.3 / (0.3 - 1 / people) + people  # whole demonstrations cannot be dealt more evenly
        assert warnings[0].code == "plan.batch_too_small"


def test_three_operators_are_too_few():
    _, warnings = make_work_orders([quota("a", 30)], crew(3), SETTINGS, "plan_1", ids())
    assert write_sentence(warnings[0]) == (
        "3 qualified operators are too few. With at most 30 % of episodes each, at least 4 are required. Enrol 1 more."
    )


@pytest.mark.parametrize(("cap", "people"), [(0.3, 4), (0.2, 5), (0.25, 4), (0.5, 3), (1.0, 3)])
def test_the_cap_decides_how_many_are_needed(cap, people):
    assert get_people_needed(SETTINGS.replace_values(max_operator_share=cap)) == people


def test_without_operators_the_work_is_kept_and_waits():
    made, warnings = make_work_orders([quota("a", 5)], crew(0), SETTINGS, "plan_1", ids())
    assert [(o.operator, o.demonstrations) for o in made] == [("", 5)]
    assert (warnings[0].code, warnings[0]["lacking"]) == ("plan.too_few_operators", 4)


def test_variants_too_small_to_rotate_are_named():
    _, warnings = make_work_orders([quota("a", 2), quota("b", 38)], crew(5), SETTINGS, "plan_1", ids())
    (warning,) = warnings
    assert (warning.code, warning["variants"], warning["needed"]) == ("plan.variants_too_small", 1, 3)
    assert warning["names"] == ("bin=a",)


def test_single_demonstrations_of_one_variant_still_meet_three_people():
    quotas = [Quota(Stratum.of(bin="back", lamp=str(k)), 1, 0.1, 0.0, 0.2, note("plan.quota")) for k in range(20)]
    made, warnings = make_work_orders(quotas, crew(5), SETTINGS, "plan_1", ids())
    assert len({o.operator for o in made}) == 5
    assert "plan.variants_too_small" not in {w.code for w in warnings}


def test_people_as_different_as_there_are_come_first():
    people = [
        Operator("a1", (("hand", "large"),)),
        Operator("a2", (("hand", "large"),)),
        Operator("b1", (("hand", "small"),)),
    ]
    assert set(Rota(people).deal_demonstrations(2)) == {"a1", "b1"}


def test_slots_limit_how_many_share_an_order():
    assert len(Rota([Operator(str(k)) for k in range(6)]).deal_demonstrations(12, slots=2)) == 2


def test_bands_that_no_operator_represents_are_named():
    band = PeopleBand("hand", (("small", 0.2), ("large", 0.77), ("huge", 0.03)))
    deployment = Deployment("d", "pick", (Site("north", 1.0, people=(band,)),), ())
    (warning,) = note_missing_people_bands([Operator("a", (("hand", "large"),))], deployment, SETTINGS)
    assert write_sentence(warning) == "No operator represents the people at north with hand small (20 %)."
    (silent,) = note_missing_people_bands([Operator("a")], deployment, SETTINGS)
    assert (silent.code, silent["quantity"]) == ("plan.band_not_recorded", "hand")
    assert list(note_missing_people_bands([], deployment, SETTINGS)) == []


def test_only_qualified_people_and_robots_of_the_site_are_used():
    people = (Operator("in", qualified_on=("pick",)), Operator("out", qualified_on=("fold",)))
    team = Crew(people, (Robot("r1", "arm", "north"), Robot("far", "arm", "south")), "pick v1", "pick")
    made, warnings = make_work_orders([quota("a", 4)], team, SETTINGS, "plan_1", ids())
    assert {(o.operator, o.robot) for o in made} == {("in", "r1")}
    assert [w["operators"] for w in warnings if w.code == "plan.too_few_operators"] == [1]


def test_a_site_without_a_robot_is_named():
    elsewhere = Quota(Stratum.of(site="south"), 20, 0.1, 0.0, 0.2, note("plan.quota"))
    made, warnings = make_work_orders([elsewhere], crew(4), SETTINGS, "plan_1", ids())
    assert {o.robot for o in made} == {""}
    assert (warnings[0].code, warnings[0]["site"]) == ("plan.no_robot", "south")


def test_the_simulator_needs_neither_robot_nor_people():
    made, warnings = make_work_orders([quota("a", 9, QuotaKind.SIMULATION)], crew(0), SETTINGS, "plan_1", ids())
    assert [(o.operator, o.robot, o.demonstrations) for o in made] == [("", "", 9)]
    assert warnings == ()


def test_nothing_to_do_warns_of_nothing():
    assert make_work_orders([], crew(0), SETTINGS, "plan_1", ids()) == ((), ())


def articles(skus, **shown):
    return Articles(skus, Counter(shown), read_tier_targets(SETTINGS), SETTINGS.number("article_power"))


def test_high_velocity_is_shown_in_depth_by_velocity():
    catalogue = articles([Sku("fast", 90, "high"), Sku("slow", 10, "high"), Sku("done", 99, "high")], done=20, fast=15)
    assert catalogue.choose_articles(Stratum.of(tier="high"), 12) == ("slow", "fast")  # picks to the power 1/2: 3 to 1
    assert catalogue.choose_articles(Stratum.of(tier="high"), 3) == ("slow",)


def test_one_article_does_not_take_all_demonstrations_of_its_tier():
    skus = [Sku(f"h{k:03}", 1000 / (k + 1), "high") for k in range(250)]
    catalogue = articles(skus)
    chosen = [sku for _ in range(30) for sku in catalogue.choose_articles(Stratum.of(tier="high"), 2)]
    counts = Counter(chosen)
    assert len(counts) >= 45
    assert max(counts.values()) <= 4
    assert counts["h000"] == max(counts.values())
    again = articles(skus)
    assert chosen == [sku for _ in range(30) for sku in again.choose_articles(Stratum.of(tier="high"), 2)]


def test_the_middle_is_shown_broadly_never_shown_first():
    catalogue = articles([Sku(f"m{k}", 10 - k, "medium") for k in range(5)], m0=2)
    assert catalogue.choose_articles(Stratum.of(tier="medium"), 4) == ("m1", "m2", "m3", "m4")
    assert catalogue.choose_articles(Stratum.of(tier="medium"), 4) == ("m1", "m2", "m3", "m4")
    assert catalogue.choose_articles(Stratum.of(tier="medium"), 1) == ("m0",)


def test_physical_extremes_that_were_never_shown_come_first():
    masses = (0.5, 0.01, 0.4, 3.0)
    catalogue = articles([Sku(f"t{k}", 10 - k, "long_tail", mass_kg=m) for k, m in enumerate(masses)])
    assert catalogue.choose_articles(Stratum.of(tier="long_tail"), 3) == ("t3", "t1", "t0")


def test_a_site_with_its_own_velocity_and_a_named_article():
    catalogue = articles([Sku("a", 9, by_site=(("x", 9.0),)), Sku("b", 5, by_site=(("y", 5.0),))])
    assert catalogue.choose_articles(Stratum.of(site="y"), 3) == ("b",)
    assert catalogue.choose_articles(Stratum.of(site="y", sku="named"), 3) == ("named",)
    assert catalogue.choose_articles(Stratum.of(tier="none"), 3) == ()


def test_a_site_that_the_catalogue_does_not_know_is_shown_what_all_pick():
    skus = [Sku("a", 9, by_site=(("x", 9.0),)), Sku("b", 5, by_site=(("y", 5.0),))]
    assert articles(skus).choose_articles(Stratum.of(site="planned"), 2) == ("a", "b")
    # picks of a site that nobody noted are not known to be of this one: gaps and the audit count them so too
    assert articles([*skus, Sku("c", 7)]).choose_articles(Stratum.of(site="y"), 2) == ("b",)


def test_broad_orders_have_their_own_articles_and_deep_ones_share():
    skus = [Sku(f"m{k:02}", 90 - k, "medium") for k in range(12)]
    broad = Quota(Stratum.of(tier="medium"), 12, 0.1, 0.0, 0.2, note("plan.quota"))
    made, _ = make_work_orders([broad], crew(4), SETTINGS, "p", ids(), articles(skus))
    assert sorted(sku for o in made for sku in o.skus) == sorted(s.id for s in skus)
    deep = Quota(Stratum.of(tier="high"), 12, 0.1, 0.0, 0.2, note("plan.quota"))
    made, _ = make_work_orders([deep], crew(4), SETTINGS, "p", ids(), articles([Sku("top", 90, "high")]))
    assert {o.skus for o in made} == {("top",)}


@settings(deadline=None)
@given(st.integers(1, 30))
def test_initial_conditions_fill_each_part_of_each_range_once(count):
    (order,), _ = make_work_orders([quota("a", count)], crew(0), SETTINGS, "p", ids())
    drawn = draw_initial_conditions(order, np.random.default_rng(count))
    assert len(drawn) == count
    for name, high in (("yaw", 360.0), ("along the bin", 100.0)):
        assert sorted(int(one[name] / high * count) for one in drawn) == list(range(count))


@pytest.mark.parametrize("line", ["yaw", "yaw: all around", "yaw 0 to 360", ": 0 to 1"])
def test_a_start_that_cannot_be_read_is_refused(line):
    with pytest.raises(BadInput, match="start_conditions"):
        make_work_orders([quota("a", 1)], crew(0), SETTINGS.replace_values(start_conditions=(line,)), "p", ids())
