"""One attempt is one witness, however many judged it and whether it was recorded too."""

import dataclasses

import pytest
from tests.audit.maps import FULL, SKUS, START_NS, outcome

from fieldloop.audit import parse_deployment_map
from fieldloop.audit.evidence import collect_logged_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Stage
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol import default_operations

MAP = parse_deployment_map(FULL, SKUS, default_operations()["audit"])
S = 10**9


def recorded(number, *, day=0, robot="arm", **more):
    start = START_NS + day * NS_PER_DAY - 8 * S
    given = {"site": "north", "robot": robot, "start_ns": start, "end_ns": start + 8 * S, "succeeded": True, **more}
    return Episode(f"e{number}", f"pick {number}", "mcap", stratum=Stratum.of(bin="back"), **given)


def judged(attempt, *verdicts, **more):
    one = outcome(0, bin="front")
    return [dataclasses.replace(one, attempt=attempt, succeeded=won, **more) for won in verdicts]


@pytest.mark.parametrize(("verdicts", "ended"), [((False, True, False), False), ((True, False), None)])
def test_judges_are_one_witness_by_majority_and_a_split_leaves_only_the_end_open(verdicts, ended):
    (seen,) = collect_logged_attempts(MAP, (), judged("7", *verdicts))
    assert seen.succeeded is ended
    assert seen.levels["bin"] == "front"


def test_sites_and_robots_that_count_from_nought_share_no_attempt():
    south = judged("0", True, site="south", stratum=Stratum.of(site="south"))
    assert len(collect_logged_attempts(MAP, (), [*judged("0", True), *judged("0", True, robot="other"), *south])) == 3


@pytest.mark.parametrize("late_s", [-8.0, -3.0, 0.0, 1.5])
def test_a_recorded_attempt_with_an_outcome_counts_once(late_s):
    spoken = outcome(0, facts={"lux": 400.0})
    shown = dataclasses.replace(spoken, at_ns=spoken.at_ns + int(late_s * S), item="a")
    (seen,) = collect_logged_attempts(
        MAP, [recorded(1, facts=(("lux", "9"), ("noise_db", "60")))], [shown], traffic=True, within_s=2.0
    )
    assert seen.facts == {"lux": 400.0, "noise_db": 60.0}
    assert seen.levels["bin"] == "back"
    assert seen.item == "a"


@pytest.mark.parametrize("attempt", ["e1", "pick 1", "17"])
def test_an_attempt_named_by_its_recording_needs_no_time(attempt):
    named = recorded(1, start_ns=0, end_ns=0, facts=(("attempt", "17"),))
    assert len(collect_logged_attempts(MAP, [named], judged(attempt, True))) == 1


def test_another_robot_another_time_or_a_second_outcome_is_another_attempt():
    episode = recorded(1)
    assert len(collect_logged_attempts(MAP, [recorded(1, robot="other")], [outcome(0)], within_s=2.0)) == 2
    assert len(collect_logged_attempts(MAP, [episode], [outcome(0, 1)], within_s=2.0)) == 2
    assert len(collect_logged_attempts(MAP, [recorded(1, robot="")], [outcome(0)], within_s=2.0)) == 2
    assert len(collect_logged_attempts(MAP, [episode], [outcome(0), outcome(1)], within_s=2.0)) == 2


def test_what_a_version_saw_in_the_shadow_of_another_is_the_others_attempt():
    shadow = judged("7", False, policy="next", stage=Stage.SHADOW)
    (seen,) = collect_logged_attempts(MAP, (), [*shadow, *judged("7", True)])
    assert seen.succeeded is True
    assert len(collect_logged_attempts(MAP, (), [*shadow, *judged("8", True)])) == 2
