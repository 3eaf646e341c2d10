"""The ladder: never up without evidence, back on a real drop, and nothing leads out of BACK."""

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput, Refused
from fieldloop.model.decision import Decision
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.note import note
from fieldloop.model.rollout import Rung
from fieldloop.protocol import default_operations
from fieldloop.rollout import LADDER, advance_rollout, choose_candidate_or_incumbent, roll_back, start_rollout
from fieldloop.rollout.verdict import count_more_episodes_needed
from fieldloop.say import write_sentence
from fieldloop.stats import difference

SETTINGS = default_operations()["rollout"]
DAY = 86_400 * 10**9
HEIGHT = {Rung.SHADOW: 0, Rung.TRIAL: 1, Rung.QUARTER: 2, Rung.HALF: 3, Rung.FLEET: 4}
GATE = Decision("gate_1", "new", Status.PASSED, (), "", 0)

counts = st.integers(0, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def ids():
    return Ids(lambda: 0, random.Random(1).getrandbits)


def on(rung=Rung.TRIAL):
    first = start_rollout("new", "old", GATE, SETTINGS, 0, ids())
    share = {Rung.SHADOW: 0.0, Rung.TRIAL: 0.1, Rung.QUARTER: 0.25, Rung.HALF: 0.5, Rung.FLEET: 1.0, Rung.BACK: 0.0}[
        rung
    ]
    return dataclasses.replace(first, rung=rung, share=share)


def test_only_a_version_that_passed_its_own_gate_may_start():
    begun = start_rollout("new", "old", GATE, SETTINGS, 5, ids())
    assert (begun.rung, begun.share, begun.since_ns) == (Rung.TRIAL, 0.1, 5)
    assert start_rollout("new", "old", GATE, SETTINGS, 5, ids(), shadow=True).share == 0.0
    for gate in (dataclasses.replace(GATE, status=Status.CANNOT_TELL), dataclasses.replace(GATE, policy="other")):
        with pytest.raises(Refused, match="gate"):
            start_rollout("new", "old", gate, SETTINGS, 0, ids())
    with pytest.raises(Refused, match="already"):
        start_rollout("new", "new", GATE, SETTINGS, 0, ids())


def test_an_override_goes_on_over_a_gate_that_failed_and_stays_in_the_record():
    failed = dataclasses.replace(GATE, status=Status.FAILED)
    over = note("rollout.overridden", reason="Customer demo", actor="eva")
    begun = start_rollout("new", "old", failed, SETTINGS, 0, ids(), override=over)
    assert begun.rung is Rung.TRIAL
    assert (
        write_sentence(begun.reason)
        == "The status of the candidate's gate is: failed. eva overrode the gate: Customer demo"
    )
    with pytest.raises(Refused, match="not new"):
        start_rollout("new", "old", dataclasses.replace(failed, policy="other"), SETTINGS, 0, ids(), override=over)


def test_the_first_version_has_nothing_to_be_compared_with():
    assert start_rollout("new", None, GATE, SETTINGS, 0, ids()).rung is Rung.FLEET
    with pytest.raises(Refused, match="nothing to shadow"):
        start_rollout("new", None, GATE, SETTINGS, 0, ids(), shadow=True)


def test_the_table_knows_every_case_and_only_passed_climbs():
    assert set(LADDER) == {(rung, status) for rung in Rung for status in Status}
    for (rung, status), after in LADDER.items():
        if rung is Rung.BACK or status is Status.FAILED:
            assert after is Rung.BACK
        elif status is Status.PASSED:
            assert HEIGHT[after] == min(4, HEIGHT[rung] + 1)
        else:
            assert after is rung


@settings(deadline=None)
@given(st.sampled_from(sorted(Rung)), counts, counts, st.floats(0, 30))
def test_it_never_climbs_without_evidence_and_never_leaves_back(rung, candidate, incumbent, days):
    before = on(rung)
    after = advance_rollout(before, candidate, incumbent, SETTINGS, int(days * DAY))
    if rung is Rung.BACK:
        assert after == before
        return
    if after.rung is not Rung.BACK and HEIGHT[after.rung] > HEIGHT[rung]:
        assert HEIGHT[after.rung] == HEIGHT[rung] + 1
        assert candidate[1] >= 200
        assert days >= 7 - 1e-9
        assert difference.compute_difference_lower_bound(candidate, incumbent, 1 - 0.05 / 7) > -0.05
    if after.rung is Rung.BACK:
        assert incumbent[0] / incumbent[1] - candidate[0] / candidate[1] > 0.05
        assert difference.compute_drop_score(candidate, incumbent) > 1.64
    assert after.verdict is not Status.PASSED or candidate[1] >= 200
    assert after.reason.code


def test_it_climbs_the_whole_ladder_on_good_evidence_at_weekly_steps():
    rollout, seen = on(Rung.SHADOW), []
    for week in range(1, 7):
        rollout = advance_rollout(rollout, (1800, 2000), (1800, 2000), SETTINGS, week * 7 * DAY)
        seen.append((rollout.rung, rollout.share))
    assert seen == [
        (Rung.TRIAL, 0.1), (Rung.QUARTER, 0.25), (Rung.HALF, 0.5), *[(Rung.FLEET, 1.0)] * 3,
    ]  # fmt: skip
    assert rollout.since_ns == 28 * DAY


@pytest.mark.parametrize(
    ("candidate", "incumbent", "days", "code"),
    [
        ((50, 50), (900, 1000), 30, "rollout.too_few"),
        ((180, 200), (0, 0), 30, "rollout.no_incumbent_episodes"),
        ((160, 200), (1458, 1800), 30, "rollout.loss_possible"),
        ((1800, 2000), (1800, 2000), 5, "rollout.too_soon"),
        ((172, 200), (1800, 2000), 30, "rollout.loss_possible"),
        ((0, 0), (0, 0), 30, "rollout.no_incumbent_episodes"),
    ],
)
def test_it_stays_and_states_what_is_missing(candidate, incumbent, days, code):
    after = advance_rollout(on(), candidate, incumbent, SETTINGS, days * DAY)
    assert (after.rung, after.verdict) == (Rung.TRIAL, Status.CANNOT_TELL)
    assert after.reason.code == code
    assert after.since_ns == 0


@pytest.mark.parametrize("rung", [Rung.SHADOW, Rung.TRIAL, Rung.QUARTER, Rung.HALF, Rung.FLEET])
def test_a_real_drop_comes_back_from_every_rung(rung):
    after = advance_rollout(on(rung), (140, 200), (1620, 1800), SETTINGS, DAY)
    assert (after.rung, after.share, after.verdict) == (Rung.BACK, 0.0, Status.FAILED)
    assert (after.reason.code, round(after.reason["drop_points"], 6)) == ("rollout.dropped", 20.0)


def test_a_disaster_comes_back_long_before_the_least_number_of_episodes():
    assert advance_rollout(on(), (5, 20), (162, 180), SETTINGS, DAY).rung is Rung.BACK


def test_the_button_works_from_every_rung_and_once():
    back = roll_back(on(Rung.HALF), "smoke", 9)
    assert (back.rung, back.share, back.reason["reason"], back.since_ns) == (Rung.BACK, 0.0, "smoke", 9)
    assert roll_back(back, "again", 10) == back


def test_how_many_more_is_neither_too_few_nor_far_too_many():
    candidate, incumbent = (160, 200), (1458, 1800)
    more = count_more_episodes_needed(candidate, incumbent, 0.1, 0.05, 0.95)
    for extra, clears in ((more, True), (more // 2, False)):
        n, m = 200 + extra, 1800 + 9 * extra
        assert (difference.compute_difference_lower_bound((int(0.8 * n), n), (int(0.81 * m), m)) > -0.05) is clears
    assert count_more_episodes_needed((160, 200), (1620, 1800), 0.1, 0.05, 0.95) is None


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(BadInput):
        advance_rollout(on(), (3, 2), (1, 1), SETTINGS, 0)


def climb(chance, ours, theirs, tasks=200, days=70):
    """Look every evening for ten weeks; arms share the same days, counts run since the rollout began."""
    rollout, candidate, incumbent = on(), np.zeros(2, int), np.zeros(2, int)
    for day in range(1, days + 1):
        n = chance.binomial(tasks, rollout.share)
        candidate += (chance.binomial(n, ours), n)
        incumbent += (chance.binomial(tasks - n, theirs), tasks - n)
        rollout = advance_rollout(rollout, tuple(map(int, candidate)), tuple(map(int, incumbent)), SETTINGS, day * DAY)
        if rollout.rung in (Rung.BACK, Rung.FLEET):
            return rollout.rung
    return rollout.rung


def test_equal_versions_arrive_and_worse_ones_come_back():
    chance = np.random.default_rng(2)
    equal = [climb(chance, 0.85, 0.85) for _ in range(30)]
    assert equal.count(Rung.BACK) <= 3
    assert equal.count(Rung.FLEET) >= 20
    worse = [climb(chance, 0.70, 0.85) for _ in range(30)]
    assert worse.count(Rung.FLEET) == 0
    assert worse.count(Rung.BACK) >= 28


def test_looking_daily_lets_a_version_worse_by_the_margin_climb_no_oftener_than_allowed():
    chance, climbed = np.random.default_rng(5), 0
    for _ in range(300):
        ours, theirs = (np.cumsum(chance.binomial(n, p, 13), dtype=int) for n, p in ((50, 0.85), (450, 0.90)))
        looks = [
            advance_rollout(on(), (int(ours[d - 1]), 50 * d), (int(theirs[d - 1]), 450 * d), SETTINGS, d * DAY)
            for d in range(7, 14)
        ]
        climbed += any(look.rung is Rung.QUARTER for look in looks)
    assert climbed <= 15


def test_routing_is_sticky_even_and_only_moves_towards_the_candidate():
    robots = [f"robot-{k}" for k in range(2000)]
    previous = set()
    for rung, share in (
        (Rung.SHADOW, 0.0),
        (Rung.TRIAL, 0.1),
        (Rung.QUARTER, 0.25),
        (Rung.HALF, 0.5),
        (Rung.FLEET, 1.0),
    ):
        chosen = {r for r in robots if choose_candidate_or_incumbent(r, on(rung)) == "candidate"}
        assert chosen == {r for r in robots if choose_candidate_or_incumbent(r, on(rung)) == "candidate"}
        assert len(chosen) / len(robots) == pytest.approx(share, abs=0.04)
        assert previous <= chosen
        previous = chosen
    assert choose_candidate_or_incumbent("robot-1", on(Rung.BACK)) == "incumbent"
