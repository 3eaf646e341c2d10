"""Shifts between two selections: a planted one is found, and chance alone raises as few alarms as promised."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.shifts import DURATION, find_shifts

ALPHA, DRAWS = 0.05, 400


def make_sessions(sessions, each, random, *, by_session=False, prefix="s", **chances):
    """Make episodes of some sessions; each factor is drawn once a session, or once an episode."""
    made = []
    for s in range(sessions):
        kept = {name: random.choice(len(p), p=p) for name, p in chances.items()}
        for n in range(each):
            own = kept if by_session else {name: random.choice(len(p), p=p) for name, p in chances.items()}
            levels = Stratum.of(**{name: f"level-{k}" for name, k in own.items()})
            length = int((9 + random.normal()) * NS_PER_S)
            made.append(
                Episode(f"{prefix}{s}-{n}", f"e{n}", "mcap", session=f"{prefix}{s}", stratum=levels, end_ns=length)
            )
    return made


def by_factor(shifts):
    return {one.factor: one for one in shifts}


def test_a_planted_shift_is_found_and_the_others_are_not():
    random = np.random.default_rng(1)
    old = make_sessions(12, 20, random, lighting=[0.8, 0.2], bin=[0.5, 0.5])
    new = [*old, *make_sessions(12, 20, random, prefix="n", lighting=[0.3, 0.7], bin=[0.5, 0.5])]
    found = by_factor(find_shifts(old, new, alpha=ALPHA, draws=DRAWS))
    assert found["lighting"].shifted
    assert found["lighting"].adjusted_p <= ALPHA
    assert not found["bin"].shifted
    assert not found[DURATION].shifted
    level = found["lighting"].levels[0]
    share = {
        name: np.mean([e.stratum.level("lighting") == level.level for e in side])
        for name, side in (("a", old), ("b", new))
    }
    assert (level.before, level.after) == pytest.approx((share["a"], share["b"]))
    assert found["lighting"].apart == pytest.approx(abs(level.after - level.before))


def test_longer_episodes_are_found():
    random = np.random.default_rng(2)
    old = make_sessions(10, 20, random, bin=[1.0])
    new = [replace(e, end_ns=e.end_ns + NS_PER_S) for e in make_sessions(10, 20, random, prefix="n", bin=[1.0])]
    (found,) = find_shifts(old, new, alpha=ALPHA, draws=DRAWS)
    assert found.factor == DURATION
    assert found.shifted
    assert found.after - found.before == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize(("by_session", "nested"), list(itertools.product((False, True), (False, True))))
def test_chance_raises_no_more_alarms_than_promised(by_session, nested):
    """Also where all episodes of a session are alike, which a test of single episodes takes for a shift."""
    random, alarms, tried = np.random.default_rng(3), 0, 150
    for _ in range(tried):
        chances = {"lighting": [0.5, 0.5], "bin": [0.2, 0.3, 0.5], "tier": [0.7, 0.3]}
        old = make_sessions(8, 6, random, by_session=by_session, **chances)
        new = make_sessions(8, 6, random, by_session=by_session, prefix="n", **chances)
        shifts = find_shifts(old, [*old, *new] if nested else new, alpha=ALPHA, draws=199)
        alarms += any(one.shifted for one in shifts)
    assert alarms / tried <= ALPHA + 2.5 * math.sqrt(ALPHA * (1 - ALPHA) / tried)


def test_too_few_sessions_cannot_show_a_shift():
    random = np.random.default_rng(4)
    old = make_sessions(2, 30, random, lighting=[0.99, 0.01])
    new = make_sessions(2, 30, random, prefix="n", lighting=[0.01, 0.99])
    assert {one.shifted for one in find_shifts(old, new, alpha=ALPHA, draws=DRAWS)} == {None}


def test_what_was_dropped_within_sessions_is_compared_within_them():
    """A release without the failures is shifted in its outcome, although no session came or went."""
    random = np.random.default_rng(5)
    old = [replace(e, succeeded=bool(random.random() < 0.7)) for e in make_sessions(10, 12, random, bin=[0.5, 0.5])]
    kept = [e for e in old if e.succeeded]
    found = by_factor(find_shifts(old, kept, alpha=ALPHA, draws=DRAWS))
    assert found["outcome"].shifted
    assert not found["bin"].shifted
    by_chance = [e for e in old if random.random() < 0.7]
    assert not any(one.shifted for one in find_shifts(old, by_chance, alpha=ALPHA, draws=DRAWS))


def test_the_exact_probability_of_a_small_case():
    """Two disjoint sides of one session, three each: one of 20 divisions, and its mirror, is as far apart."""
    levels = ["a", "a", "a", "b", "b", "b"]
    made = [Episode(f"e{k}", "e", "mcap", session="s", stratum=Stratum.of(bin=level)) for k, level in enumerate(levels)]
    (found,) = find_shifts(made[:3], made[3:], alpha=ALPHA, draws=20_000)
    assert found.p == pytest.approx(2 / 20, abs=0.01)
    assert found.shifted is False


def test_the_same_selection_and_an_empty_one_have_nothing_to_test():
    made = make_sessions(3, 3, np.random.default_rng(6), bin=[0.5, 0.5])
    assert find_shifts(made, list(reversed(made)), alpha=ALPHA, draws=9) == ()
    assert find_shifts(made, [], alpha=ALPHA, draws=9) == ()
