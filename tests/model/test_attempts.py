"""One attempt counts once: by majority of its judges, not at all where they split evenly."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.policy import Outcome, Stage


def verdict(succeeded, attempt="", *, policy="p", site="s", robot="r", judge="sensor"):
    return Outcome("o", policy, Stratum(), Stage.PRODUCTION, site, robot, 0, succeeded, judge, attempt=attempt)


@pytest.mark.parametrize(
    ("votes", "kept"), [("110", [True]), ("001", [False]), ("10", []), ("1100", []), ("0", [False])]
)
def test_the_majority_of_judges_decides(votes, kept):
    found, contested = settle_attempts(verdict(vote == "1", "7") for vote in votes)
    assert [o.succeeded for o in found] == kept
    assert len(contested) == (not kept)


@pytest.mark.parametrize("apart", ["policy", "site", "robot"])
def test_who_numbers_attempts_on_its_own_shares_none(apart):
    found, contested = settle_attempts(verdict(name == "a", "0", **{apart: name}) for name in ("a", "b"))
    assert [o.succeeded for o in found] == [True, False]
    assert not contested


def test_attempts_without_a_name_are_never_shared():
    assert len(settle_attempts([verdict(succeeded=True), verdict(succeeded=False)])[0]) == 2


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["", "0", "1", "2"])), max_size=30), st.randoms())
def test_the_order_of_verdicts_decides_nothing(rows, chance):
    verdicts = list(itertools.starmap(verdict, rows))
    shuffled = chance.sample(verdicts, len(verdicts))
    (kept, contested), (again, still) = settle_attempts(verdicts), settle_attempts(shuffled)
    assert {o.attempt for o in contested} == {o.attempt for o in still}
    assert sorted((o.attempt, o.succeeded) for o in kept) == sorted((o.attempt, o.succeeded) for o in again)
    named = {attempt for _, attempt in rows if attempt}
    assert len(kept) + len(contested) == len(named) + sum(not attempt for _, attempt in rows)
