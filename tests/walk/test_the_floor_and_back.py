"""A policy leaves the laboratory, fails on the floor, is diagnosed, and recovers on few demonstrations."""

import secrets

import pytest

from fieldloop.loop.floor.picking import simulate_case, simulate_next_case
from fieldloop.loop.run.case_folder import diagnose_folder, plan_folder
from fieldloop.loop.work.case_files import read_case
from fieldloop.model.diagnosis import Gap
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.monitor import Baseline, count_daily_rates, watch_production
from fieldloop.protocol import default_operations

BUDGET = 80
NEW = {Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("floor")
    return folder / "before", simulate_case(folder / "before", seed=3)


def test_the_laboratory_promises_what_the_floor_does_not_keep(simulated):
    folder, story = simulated
    assert story.laboratory >= 0.85
    assert story.production <= 0.62
    seen = read_case(folder, default_operations())
    good = sum(o.succeeded for o in seen.baseline)
    days = count_daily_rates(seen.production)
    now = max(day.end_ns for day in days)
    alarms = watch_production(
        days,
        [Baseline("cloned", good, len(seen.baseline))],
        default_operations()["monitor"],
        now,
        Ids(lambda: now, secrets.randbits),
        (),
    ).alarms
    assert alarms, "a loss of thirty points alarms"


def test_the_diagnosis_names_what_was_never_shown(simulated):
    folder, _ = simulated
    made = diagnose_folder(None, folder)
    assert made.status is Status.FAILED
    assert made.causes[0].gap in NEW
    assert made.causes[0].never_covered
    # of the whole loss: what new bins and sites would cost any policy is nobody's
    assert sum(cause.share for cause in made.causes if cause.gap in NEW) > 0.5
    assert made.sum_gap_shares(Gap.TIMING) < 0.1


def test_the_plan_brings_back_more_than_four_times_as_much_of_the_same(simulated, tmp_path):
    folder, story = simulated
    drawn = plan_folder(None, folder, budget=BUDGET, orders=folder / "orders.csv")
    assert drawn.cost <= BUDGET
    planned = simulate_next_case(folder, tmp_path / "planned")
    same = simulate_next_case(folder, tmp_path / "same", budget=4 * BUDGET)
    gain = planned.production - story.production
    assert gain > 0.03
    assert gain > 1.5 * (same.production - story.production)
    assert planned.laboratory >= 0.85, "nothing is forgotten"
