"""Which episodes come first: by what findings cost, not by how many streams say so, nor by length."""

import functools
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop import check
from fieldloop.check.ranking import compute_limit_excess, rank_episodes, sum_finding_costs
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Subject, note
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.synthetic import make_healthy_case

CUT = Fix(FixKind.TRIM, note("check.fix_idle_head"), start_ns=0, end_ns=1)


def finding(name="timing.longest_gap", cost=0.3, *, subject="joints", measured=2.0, status=Status.FAILED, **more):
    return Finding(name, Subject(subject), status, measured, None, 1.0, "1", cost=cost, **more)


def report(name, *findings):
    return EpisodeReport(name, name, findings[0].status if findings else Status.PASSED, findings)


def names(ranking):
    return [look.name for look in ranking.looks]


def test_the_dearest_comes_first_and_the_sound_do_not_come():
    ranked = rank_episodes([report("fine"), report("cheap", finding(cost=0.1)), report("dear", finding(cost=0.9))])
    assert names(ranked) == ["dear", "cheap"]
    assert ranked.episodes == 3
    assert (ranked.sentence.code, ranked.sentence["episodes"]) == ("check.look_at_these", 2)


def test_findings_that_cost_nothing_have_no_cost_to_state():
    free = rank_episodes([report("a", finding(cost=0.0)), report("b", finding(cost=0.0))])
    dear = rank_episodes([report("a", finding(cost=0.1)), report("b", finding(cost=0.0))])
    assert (free.sentence.code, free.sentence.details) == ("check.look_at_these", ())
    assert [detail.code for detail in dear.sentence.details] == ["check.findings_cost"]


def test_eight_streams_with_one_gap_are_one_loss():
    one = report("one", finding())
    eight = report("eight", *(finding(subject=f"camera {i}") for i in range(8)))
    same_subject = report("two checks", finding(), finding("timing.jitter", 0.2))
    assert (
        sum_finding_costs(one.findings) == sum_finding_costs(eight.findings) == sum_finding_costs(same_subject.findings)
    )
    assert len(rank_episodes([eight]).looks[0].reasons) == 1


def test_different_subjects_take_from_what_is_left():
    assert np.isclose(sum_finding_costs((finding(cost=0.5), finding("vision.black", 0.5))), 0.75)
    assert sum_finding_costs((finding(cost=1.0), finding("vision.black", 0.5))) == 1.0
    assert sum_finding_costs(()) == 0.0


def test_equal_costs_go_by_how_far_beyond_the_limit():
    ranked = rank_episodes([report("a little", finding(measured=1.1)), report("much", finding(measured=50.0))])
    assert names(ranked) == ["much", "a little"]


@pytest.mark.parametrize("limit", [0.002, 1.0, 5000.0])
def test_twice_the_limit_is_as_bad_whatever_the_unit(limit):
    above = replace(finding(measured=2 * limit), maximum=limit)
    below = replace(finding(measured=0.5 * limit), minimum=limit, maximum=None)
    assert compute_limit_excess(above) == pytest.approx(1.0)
    assert compute_limit_excess(below) == pytest.approx(0.5)


def test_what_is_not_allowed_at_all_counts_in_its_own_unit():
    assert compute_limit_excess(replace(finding(measured=3.0), maximum=0.0)) == 3.0


def test_a_look_has_the_moment_the_reasons_and_the_fixes():
    (look,) = rank_episodes(
        [report("x", finding(cost=0.1, at_s=9.0), finding("vision.black", 0.6, at_s=4.0), finding(fix=CUT))]
    ).looks
    assert look.at_s == 4.0
    assert look.reasons[0].check == "vision.black"
    assert look.fixes == (CUT,)


def test_the_moment_to_look_at_is_that_of_the_dearest_reason_or_none():
    (look,) = rank_episodes([report("x", finding(cost=0.1, at_s=9.0), finding("vision.black", 0.6))]).looks
    assert look.at_s is None


def test_what_does_not_count_costs_nothing():
    unclear = finding(status=Status.CANNOT_TELL, required=False)
    assert rank_episodes([report("x", unclear)]).looks == ()
    assert rank_episodes([]).sentence.code == "check.nothing_against_any"


def test_length_in_disguise_is_shown():
    by_length = [report(f"{i:02}", finding(cost=i / 40)) for i in range(40)]
    shown = rank_episodes(by_length, {f"{i:02}": 5.0 + i for i in range(40)}).length_correlation
    assert shown is not None
    assert shown.low > 0.9
    assert rank_episodes(by_length).length_correlation is None
    assert rank_episodes(by_length, {"00": 1.0}).length_correlation is None


@functools.cache
def injured_costs():
    """What each injury of an episode costs, by the shipped protocol."""
    costs = []
    for name in ("motion.teleports", "timing.longest_gap", "integrity.not_finite", "adherence.operator_recorded"):
        if name in INJURIES:
            hurt = INJURIES[name].hurt(make_healthy_case())
            costs.append(
                sum_finding_costs(
                    check.judge_measurements(check.measure_episode(hurt, pixels=False), hurt.protocol, named=True)
                )
            )
    return costs


def test_random_injuries_do_not_rank_by_length():
    random = np.random.default_rng(0)
    costs = [0.0, *injured_costs()]
    reports, lengths = [], {}
    for i in range(300):
        cost = float(random.choice(costs))
        reports.append(report(str(i), finding(cost=cost)) if cost else report(str(i)))
        lengths[str(i)] = float(random.uniform(5.0, 60.0))
    shown = rank_episodes(reports, lengths).length_correlation
    assert shown is not None
    assert shown.low < 0.0 < shown.high
    assert abs(shown.value) < 0.15


@given(st.lists(st.tuples(st.sampled_from(["timing.a", "timing.b", "vision.a", "motion.a"]), st.floats(0, 1))))
def test_more_findings_never_cost_less_nor_more_than_everything(found):
    findings = [finding(name, cost) for name, cost in found]
    costs = [sum_finding_costs(findings[:n]) for n in range(len(findings) + 1)]
    assert all(0.0 <= cost <= 1.0 for cost in costs)
    assert all(before <= after + 1e-12 for before, after in pairwise(costs))
