"""Work orders: rotation holds, or the plan says why it cannot."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.person import Operator
from fieldloop.model.plan import Coverage, Demand, Quota
from fieldloop.plan import Crew, draw, orders, progress
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"]


def ids():
    return Ids(lambda: 0, random.Random(1).getrandbits)


def crew(people, **more):
    operators = tuple(Operator(f"op{k}") for k in range(people))
    return Crew(operators, (Robot("r1", "arm", "north"), Robot("r2", "arm", "north")), "pick v1", **more)


def quota(name, demonstrations):
    return Quota(Stratum.of(cell=name, site="north"), demonstrations, 0.1, 0.0, 0.2, "")


@settings(deadline=None)
@given(st.lists(st.integers(3, 40), min_size=1, max_size=15), st.integers(4, 9))
def test_rotation_holds_with_four_operators_or_more(amounts, people):
    quotas = [quota(str(k), n) for k, n in enumerate(amounts)]
    made, warnings = orders(quotas, crew(people), SETTINGS, "plan_1", ids())
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
        assert "cannot be dealt" in warnings[0]


def test_three_operators_are_too_few_and_the_plan_says_so():
    _, warnings = orders([quota("a", 30)], crew(3), SETTINGS, "plan_1", ids())
    assert "3 qualified operators cannot rotate" in warnings[0]
    assert "at least 4" in warnings[0]
    assert "Enrol 1 more" in warnings[0]


def test_without_operators_the_work_is_kept_and_waits():
    made, warnings = orders([quota("a", 5)], crew(0), SETTINGS, "plan_1", ids())
    assert [(o.operator, o.demonstrations) for o in made] == [("", 5)]
    assert "Enrol 4 more" in warnings[0]


def test_strata_too_small_to_rotate_are_named():
    _, warnings = orders([quota("a", 2), quota("b", 38)], crew(5), SETTINGS, "plan_1", ids())
    assert len(warnings) == 1
    assert "cell=a,site=north" in warnings[0]


def test_only_qualified_people_and_robots_of_the_site_are_used():
    people = (Operator("in", qualified_on=("pick",)), Operator("out", qualified_on=("fold",)))
    team = Crew(people, (Robot("r1", "arm", "north"), Robot("far", "arm", "south")), "pick v1", "pick")
    made, warnings = orders([quota("a", 4)], team, SETTINGS, "plan_1", ids())
    assert {(o.operator, o.robot) for o in made} == {("in", "r1")}
    assert any("1 qualified" in w for w in warnings)


def test_a_site_without_a_robot_is_named():
    elsewhere = Quota(Stratum.of(site="south"), 20, 0.1, 0.0, 0.2, "")
    made, warnings = orders([elsewhere], crew(4), SETTINGS, "plan_1", ids())
    assert {o.robot for o in made} == {""}
    assert "No robot is registered at south" in warnings[0]


def test_nothing_to_do_warns_of_nothing():
    assert orders([], crew(0), SETTINGS, "plan_1", ids()) == ((), ())


def test_a_plan_adds_up_and_the_same_seed_draws_it_again():
    cells = [Coverage(Stratum.of(cell=str(k), site="north"), 0.25, 3, 0.25, 20, 5 * k) for k in range(4)]
    demand = Demand("d", Stratum.of(cell="1"), 50, "glare", "incident_1")
    plans = [draw(cells, [demand], crew(4), SETTINGS, ids(), 7, np.random.default_rng(3)) for _ in range(2)]
    assert plans[0] == plans[1]
    plan = plans[0]
    assert sum(q.demonstrations for q in plan.quotas) == sum(o.demonstrations for o in plan.orders) == plan.budget
    assert plan.expected_gain == pytest.approx(sum(q.gain for q in plan.quotas))
    assert plan.answered == (("d", 20),)
    assert any("30 demonstrations that are asked for wait" in w for w in plan.warnings)


def test_progress_counts_only_passed_as_accepted():
    cells = [Coverage(Stratum.of(cell=c, site="north"), 0.5, 3, 0.5) for c in "ab"]
    plan = draw(cells, [], crew(4), SETTINGS.replaced(budget=8), ids(), 0, np.random.default_rng(3))
    episodes = [Episode(str(k), str(k), "mcap", stratum=Stratum.of(cell="a", site="north", sku="1")) for k in range(5)]
    episodes.append(Episode("9", "9", "mcap", stratum=Stratum.of(cell="z")))
    statuses = {"0": Status.PASSED, "1": Status.PASSED, "2": Status.CANNOT_TELL, "3": Status.FAILED, "9": Status.PASSED}
    found = {p.stratum.level("cell"): p for p in progress(plan, episodes, statuses)}
    assert (found["a"].done, found["a"].accepted, found["a"].rejected, found["a"].left) == (5, 2, 2, 2)
    assert (found["b"].done, found["b"].left) == (0, 4)
