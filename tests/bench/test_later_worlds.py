"""The later family of planted worlds: each twist does what it says and nothing else, and its worlds are kept apart."""

from collections import Counter

import numpy as np
import pytest
from bench import diagnose, doc_page
from bench.planted import kept, mixes
from bench.planted import planted as first
from bench.planted.answers import asked
from bench.planted.families import FAMILIES, LATER
from bench.planted.later import planted as later
from bench.planted.later.played import Later
from bench.planted.later.twists import TURNS, fault_of
from bench.planted.played import LINE, Sizes
from bench.planted.turns import PLANTED
from bench.planted.wrongs import together

from fieldloop.model.diagnosis import Gap
from fieldloop.simulate.picking.faults import NOTHING

TINY = Sizes(truth=240, seen=200, laboratory=120, demonstrations=(150, 151), training=20)


def still(inputs):
    """A policy that does not move, for worlds in which only the scenes matter."""
    return np.zeros((len(inputs), 8), dtype=np.float32)


def shown(played, *, present):
    cells = played.world.cells(played.asked, 300, "asked")
    return played.world.demonstrate(cells, "shown", together(played.wrongs) if present else NOTHING)


def picked(played, *, present):
    cells = played.world.cells(played.shares, played.sizes.truth, "line")
    faults = together(played.wrongs) if present else NOTHING
    return played.world.attempt(still, cells, "line", faults, played.weeks, LINE).scenes


def test_every_cause_comes_four_times_and_nothing_eight_times():
    turns = Counter(TURNS)
    assert {turns[gap] for gap in PLANTED} == {4}
    assert turns[None] == 8
    seeds = range(FAMILIES[LATER].first_seed, FAMILIES[LATER].first_seed + FAMILIES[LATER].worlds)
    assert Counter(map(fault_of, seeds)) == turns


@pytest.mark.parametrize("gap", [*PLANTED, None])
def test_each_cause_has_a_world_of_its_own(gap):
    made = [Later(seed, gap, TINY) for seed in range(2)]
    for played in made:
        assert [wrong.gap for wrong in played.wrongs] == ([gap] if gap else [])
        for want in (*played.twist.wanted, *(want for wrong in played.wrongs for want in wrong.wanted)):
            has = mixes.having(played.world.strata, {want.factor: want.levels})
            assert played.shares[has].sum() == pytest.approx(want.share, abs=0.03)
        assert played.asked.sum() == pytest.approx(1.0)
    assert made[0].wrongs != made[1].wrongs or made[0].twist != made[1].twist, "details are drawn anew"


@pytest.mark.parametrize("gap", [Gap.TIMING, Gap.LABELS])
def test_bad_demonstrations_are_at_one_site_only(gap):
    played = Later(3, gap, TINY)
    bad, sound = shown(played, present=True), shown(played, present=False)
    here = played.world.strata.where(played.twist.only)[bad.cell]
    assert 0 < here.sum() < len(here)
    np.testing.assert_array_equal(bad.owner, sound.owner)
    differs = (bad.inputs != sound.inputs).any(axis=1) | (bad.actions != sound.actions).any(axis=1)
    assert set(bad.owner[differs]) <= set(np.flatnonzero(here))
    assert differs[here[bad.owner]].mean() > 0.5
    moved = np.abs(bad.moments_s - sound.moments_s).max(axis=1)
    assert np.flatnonzero(moved).size == 0 if gap is Gap.TIMING else moved[here].max() > 0.1
    assert not moved[~here].any()


def test_annotated_by_the_same_standard_actions_are_as_the_floor_makes_them():
    played = Later(3, Gap.LABELS, TINY)
    twisted, plain = shown(played, present=False), Later(3, None, TINY)
    cells = played.world.cells(played.asked, 300, "asked")
    np.testing.assert_array_equal(twisted.actions, plain.world.demonstrate(cells, "shown").actions)


def test_every_robot_wears_week_by_week():
    played = Later(5, Gap.HARDWARE, TINY)
    worn, sound = picked(played, present=True), picked(played, present=False)
    extra = worn.cycles - sound.cycles
    np.testing.assert_allclose(extra, together(played.wrongs).extra_cycles * played.weeks)
    assert 55_000 < extra.max() < 101_000
    np.testing.assert_array_equal(worn.x, sound.x)


def test_answers_are_late_on_every_robot_from_a_day_on():
    played = Later(6, Gap.INFRASTRUCTURE, TINY)
    tries = played.production(played.wrongs)
    late = tries.scenes.week >= played.twist.slow_from_week
    assert tries.latency_s[late].min() > tries.latency_s[~late].max()
    assert 0.3 < late.mean() < 0.9
    assert played.production(()).latency_s.max() < 0.05


def test_the_new_crew_comes_on_a_day_and_no_one_demonstrated_from_its_bins():
    played = Later(7, Gap.CONDITIONS, TINY)
    tries = played.production(played.wrongs)
    week, is_new = tries.scenes.week, np.isin(tries.scenes.person, played.twist.crew)
    assert (np.diff(week) >= 0).all()
    assert week[is_new].min() >= played.twist.crew_from_week > week[~is_new].min()
    assert np.histogram(week, 3, (0, played.days / 7))[0].min() > 55, "as many picks early as late"
    assert not np.isin(played.learnt(played.wrongs)[0].scenes.person, played.twist.crew).any()
    assert not np.isin(played.laboratory.scenes.person, played.twist.crew).any()
    np.testing.assert_array_equal(played.production(()).scenes.person, tries.scenes.person)


def test_pairs_are_never_shown_although_both_levels_are():
    played = Later(8, Gap.EDGE_CASES, TINY)
    strata, cells = played.world.strata, shown(played, present=True).cell
    for starved in together(played.wrongs).starved:
        assert not strata.where(starved.where)[cells].any()
        assert all(strata.where({factor: level})[cells].any() for factor, level in starved.where.items())


def test_a_site_with_few_real_demonstrations_stands_beside_the_simulated_one():
    played = Later(9, Gap.SIM_TO_REAL, TINY)
    (few,) = played.twist.few
    made, without = shown(played, present=True), shown(played, present=False)
    at = {site: played.world.strata.where({"site": site}) for site in played.sites}
    assert made.simulated[at[played.sites[0]][made.cell]].all()
    assert not made.simulated[at[few][made.cell]].any()
    assert at[few][made.cell].mean() < played.shares[at[few]].sum() / 2
    np.testing.assert_array_equal(made.cell, without.cell)


@pytest.fixture(scope="module")
def seed():
    return next(seed for seed in range(len(TURNS)) if fault_of(seed) is Gap.TIMING)


def test_worlds_are_asked_about_kept_and_read_apart(seed, tmp_path):
    row = asked(seed, TINY, (100,), tmp_path, later.planted)
    assert row.gaps == (str(Gap.TIMING),)
    assert first.stamp(later.SOURCES, TINY) != first.stamp(first.SOURCES, TINY)
    kept.append(tmp_path / "worlds.jsonl", row, later.SOURCES)
    assert diagnose.play([seed], 1, tmp_path, LATER) == [row]
    assert list(kept.read(tmp_path / "worlds.jsonl")) == [], "the first family does not take it for its own"
    found = later.planted(seed, TINY, tmp_path)
    site = Later(seed, Gap.TIMING, TINY).twist.only["site"]
    assert all((lag.lag_ms > 100) is (lag.rig == site) for lag in found.records.lags)


def test_each_family_writes_its_own_part_of_the_page(tmp_path):
    page = tmp_path / "page.md"
    blocks = [family.block for family in FAMILIES.values()]
    page.write_text("\n".join(mark for block in blocks for mark in doc_page.marks(block)), encoding="utf-8")
    for name, block in enumerate(blocks):
        doc_page.put(page, block, f"family {name}")
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("<!--")] == ["family 0", "family 1"]
