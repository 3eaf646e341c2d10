"""The bench of diagnoses: worlds are as planned, their truth adds up, peers find what they can, rows survive a kill."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from bench import diagnose
from bench.planted import kept, mixes, peers, scores, wrongs
from bench.planted.answers import DRIFT, OURS, SLICES, Answer, Row, asked
from bench.planted.planted import planted
from bench.planted.played import Played, Sizes
from bench.planted.table import page
from bench.planted.truth import shares_of
from bench.planted.turns import PLANTED, TURNS, faults_of

from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome, Stage

TINY = Sizes(truth=300, seen=250, laboratory=200, demonstrations=(200, 201), training=60)
SEED = next(seed for seed in range(len(TURNS)) if len(faults_of(seed)) == 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("worlds")


@pytest.fixture(scope="module")
def row(folder):
    return asked(SEED, TINY, (100, 250), folder)


def test_every_cause_and_every_pair_comes_equally_often():
    turns = Counter(TURNS)
    assert {turns[(gap,)] for gap in PLANTED} == {12}
    assert {count for gaps, count in turns.items() if len(gaps) == 2} == {4}
    assert turns[()] >= 40
    assert len(TURNS) >= 200


@pytest.mark.parametrize("gap", PLANTED)
def test_each_cause_has_a_world_of_its_own(gap):
    made = [Played(seed, [gap], TINY) for seed in range(3)]
    for played in made:
        (wrong,) = played.wrongs
        assert wrong.gap is gap
        assert wrong.slow is not None or wrong.faults != wrongs.NOTHING
        for want in wrong.wanted:
            has = mixes.having(played.world.strata, {want.factor: want.levels})
            assert played.shares[has].sum() == pytest.approx(want.share, abs=0.03)
    assert len({(p.sites, p.days, p.learner) for p in made}) == 3, "details are drawn anew"


def test_a_world_goes_through_to_a_row(row):
    assert row.gaps == tuple(map(str, faults_of(SEED)))
    assert set(row.shares) == set(row.gaps)
    assert 0 <= sum(row.shares.values()) <= 1.0 + 1e-6
    assert {(a.way, a.episodes) for a in row.answers} == {(w, n) for w in (OURS, SLICES, DRIFT) for n in (100, 250)}


@pytest.mark.usefixtures("row")
def test_the_same_seed_gives_the_same_world_and_the_folder_keeps_it(folder):
    fresh, found = planted(SEED, TINY), planted(SEED, TINY, folder)
    assert fresh.truth == found.truth
    assert fresh.records.production == found.records.production
    assert fresh.records.lags == found.records.lags
    days = {outcome.at_ns // (86_400 * 10**9) for outcome in found.records.production}
    assert 14 <= max(days) - min(days) + 1 <= 29
    assert {step.name for outcome in found.records.production for step in outcome.steps} >= {"approach", "grasp"}


def test_a_run_that_was_stopped_goes_on(row, tmp_path):
    file = tmp_path / "worlds.jsonl"
    kept.append(file, row)
    file.write_text(file.read_text() + '{"stamp": "of other code"}\n{"cut sh', encoding="utf-8")
    assert list(kept.read(file)) == [row]
    assert diagnose.play([SEED], 1, tmp_path) == [row]


def test_shares_are_parts_of_the_loss():
    assert shares_of([0.05], 0.2, [Gap.TIMING]) == {Gap.TIMING: 0.25}
    assert shares_of([-0.01, 0.3], 0.2, [Gap.TIMING, Gap.LABELS]) == {Gap.TIMING: 0.0, Gap.LABELS: 1.0}
    assert shares_of([0.1], 0.0, [Gap.TIMING]) == {Gap.TIMING: 0.0}


def test_faults_together_keep_what_each_says():
    rng = np.random.default_rng(0)
    both = wrongs.drawn([Gap.ENVIRONMENT, Gap.EDGE_CASES], ("home", "annex"), 14, rng)
    faults = wrongs.together(both)
    assert faults.starved == sum((wrong.faults.starved for wrong in both), ())
    assert wrongs.together([]) == wrongs.NOTHING


def outcome(i, *, bin_, succeeded, stage, cycles=0.0, lux=500.0):
    stratum = Stratum.of(bin=bin_, site="home", lighting="lab", operator="person-1", packaging="carton")
    facts = (("lux", lux + i % 7), ("gripper_cycles", cycles))
    return Outcome(
        f"{stage}{i}", "p", stratum, stage, "home", "home-1", i, succeeded, "station", latency_ms=15.0, facts=facts
    )


def test_peers_find_what_is_plain():
    rng = np.random.default_rng(1)
    bins = ["front", "buried"]
    lab = [outcome(i, bin_=bins[i % 2], succeeded=rng.random() < 0.9, stage=Stage.LAB) for i in range(400)]
    line = [
        outcome(i, bin_=bins[i % 2], succeeded=rng.random() < (0.9, 0.4)[i % 2], stage=Stage.PRODUCTION)
        for i in range(600)
    ]
    assert next(iter(peers.slices(lab, line).shares)) is Gap.EDGE_CASES
    assert peers.drift(lab, line).shares == {}, "nothing that went in has changed"
    assert peers.slices(lab, lab).shares == {}, "no drop, nothing to find"
    brighter = [replace(o, facts=(("lux", 4000.0 + k % 7), *o.facts[1:])) for k, o in enumerate(line)]
    assert peers.drift(lab, brighter).shares == {Gap.ENVIRONMENT: 1.0}


def planted_row(seed, gaps, said, *, wrong=True, weak=False):
    shares = {gap: 0.8 / (k + 1) for k, gap in enumerate(gaps)}
    answers = tuple(Answer(way, 1000, wrong, not wrong, said, 0.0) for way in (OURS, SLICES, DRIFT))
    return Row(seed, tuple(gaps), ("",) * len(gaps), 0.9, 0.6, 0.85, shares, weak, answers, 1.0)


def test_scores_count_by_hand():
    rows = [
        planted_row(1, ["temporal misalignment"], {"temporal misalignment": 0.7}),
        planted_row(2, ["hardware drift", "infrastructure"], {"infrastructure": 0.5}),
        planted_row(3, [], {}, wrong=False),
        planted_row(4, ["sim-to-real"], {"sim-to-real": 1.0}, weak=True),
    ]
    told = scores.headline(rows, 1000)
    assert (told["right_cause_first_at_1000"].value, told["right_cause_first_at_1000"].n) == (0.5, 2)
    assert told["nothing_called_wrong"].value == 0.0
    assert scores.errors(rows[1], rows[1].answers[0]) == pytest.approx([80.0, 10.0])
    assert scores.rate(scores.strong(rows), OURS, 1000, scores.is_either).value == 1.0
    written = page(rows, [1000])
    assert "1 are weak" in written
    assert "| nothing |" in written
