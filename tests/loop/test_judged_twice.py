"""An attempt that two judged is one attempt, wherever successes are counted."""

import dataclasses

import pytest
from tests.doors.story import NOW
from tests.loop.test_loop_gate import FAST

from fieldloop.loop.home.pages import read_success_rates
from fieldloop.loop.home.success import compute_success_over_time
from fieldloop.loop.run import monitor, rollout
from fieldloop.loop.ship import gate
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.policy import Outcome, Stage

POLICY = "c" * 64


def second_opinions(workspace, stage, count, *, agree):
    """Somebody judges the first attempts again, one vote each against or with the first; every one gets a name."""
    for n, first in enumerate(workspace.store.find(Outcome, {"stage": stage})[:count]):
        named = dataclasses.replace(first, attempt=f"attempt-{n}")
        again = dataclasses.replace(
            named, id=f"again_{first.id}", judged_by="ana", succeeded=first.succeeded if agree else not first.succeeded
        )
        workspace.write(OutcomeRecorded(named), OutcomeRecorded(again))


def counted(workspace):
    (base,) = monitor.list_baselines(workspace)
    lately = sum(rate.episodes for rate in read_success_rates(workspace))
    return base.successes, base.episodes, compute_success_over_time(workspace).baseline, lately


def test_a_second_judge_who_agrees_changes_no_figure(full_site):
    before, since = counted(full_site), NOW - 40 * 86_400 * 10**9
    climbed = rollout._count_outcomes(full_site, POLICY, Stage.PRODUCTION, since)
    for stage in (Stage.GATE, Stage.PRODUCTION):
        second_opinions(full_site, stage, 1000, agree=True)
    assert counted(full_site) == before
    assert rollout._count_outcomes(full_site, POLICY, Stage.PRODUCTION, since) == climbed
    assert full_site.store.count(Outcome) == 2 * (100 + 40 * 24)


def test_evenly_split_attempts_do_not_count(full_site):
    second_opinions(full_site, Stage.GATE, 10, agree=False)
    (base,) = monitor.list_baselines(full_site)
    assert base.episodes == 90


@pytest.mark.parametrize(("agree", "won"), [(True, 90), (False, 81)])
def test_a_gate_counts_a_trial_once_and_a_split_one_as_not_shown(full_site, monkeypatch, agree, won):
    monkeypatch.setattr(gate, "load_engine", lambda *_: None)
    monkeypatch.setattr(gate, "measure_latency", lambda *_: (None, FAST))
    second_opinions(full_site, Stage.GATE, 10, agree=agree)
    (trials,) = (test for test in gate.decide_gate(full_site, "p1").tests if test.name == "consecutive")
    assert (trials.trials, trials.successes) == (100, won)
