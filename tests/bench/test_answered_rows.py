"""Rows of answers: what counts as right, counts by hand, the file that keeps them, seeds that follow from a commit."""

import hashlib
import json
from dataclasses import replace

import pytest
from bench import diagnose
from bench.answered import matching, results, run, scores
from bench.answered.families import DECOYS, LOGISTIC
from bench.answered.logistic import answer_logistic
from bench.answered.row import COVERAGE, Decoy, Named, Planted, Reply, Row, read_row, write_row
from bench.answered.seeds import derive_seed
from bench.answered.summary import page
from bench.planted.decoys.asked import PLACES, answer_decoys
from bench.planted.decoys.dressed import FOREIGN, Dress, draw_dress, dress, rename
from bench.planted.planted import planted
from bench.planted.played import Played, Sizes
from bench.planted.turns import PLANTED, TURNS, faults_of

from fieldloop.model.diagnosis import Gap

LIGHT = Planted("new condition", COVERAGE, ("lighting=dim",), 0.8)
WEAR = Planted("wear", ("hardware",), ("robot=a", "hours="), 0.3)
HIDDEN = Planted("unlogged", ("unknown",), (), 0.9)
AS_LIGHT = Named("environment", ("lighting=dim",), 0.6)
AS_WEAR = Named("hardware", ("hours=above 10",), 0.3)
LARGEST_FILE = 300_000
NOTHING_FOUND = Reply("passed", ())
TINY = Sizes(truth=300, seen=250, laboratory=200, demonstrations=(200, 201), training=40)


def failed(*causes):
    return Reply("failed", causes)


def world(seed, faults, known, foreign=None, *, weak=False, decoys=(), kind="made by hand"):
    return Row(seed, kind, 0.9, 0.7, 0.88, weak, tuple(faults), tuple(decoys), known, foreign or known)


def test_a_lack_of_coverage_may_have_any_of_three_names_but_one_column():
    assert matching.names(AS_LIGHT, LIGHT)
    assert matching.names(replace(AS_LIGHT, gap="conditions"), LIGHT)
    assert not matching.names(replace(AS_LIGHT, gap="unknown"), LIGHT)
    assert not matching.names(replace(AS_LIGHT, places=("lighting=bright",)), LIGHT)
    assert not matching.names(replace(AS_LIGHT, places=()), LIGHT)


def test_machinery_is_right_by_name_and_placed_by_column():
    everywhere = Named("hardware", (), 0.3)
    assert matching.names(everywhere, WEAR)
    row = world(1, [WEAR], failed(everywhere))
    assert not matching.is_placed(row, row.known)
    assert matching.is_placed(row, failed(AS_WEAR))
    assert matching.is_placed(row, failed(Named("environment", ("robot=a",), 0.3)))


def test_only_a_finding_is_right():
    row = world(1, [LIGHT], Reply("cannot_tell", (AS_LIGHT,)))
    assert not matching.is_right(row, row.known)
    assert matching.share_errors(row, row.known) == [pytest.approx(80.0)]
    assert matching.share_errors(row, failed(AS_LIGHT)) == [pytest.approx(20.0)]


def test_counts_by_hand():
    rows = [
        world(1, [LIGHT], failed(AS_LIGHT), Reply("cannot_tell", (Named("unknown", ("lighting=dim",), 0.8),))),
        world(2, [LIGHT, WEAR], failed(AS_WEAR, AS_LIGHT)),
        world(3, [], failed(Named("timing", (), 0.9)), decoys=[Decoy("lag")]),
        world(4, [], NOTHING_FOUND, decoys=[Decoy("disagreement")]),
        world(5, [], NOTHING_FOUND),
        world(6, [LIGHT], failed(AS_WEAR), weak=True),
        world(7, [HIDDEN], failed(AS_WEAR)),
        world(8, [HIDDEN], Reply("cannot_tell", (Named("unknown", (), 0.9),))),
        world(9, [WEAR], failed(AS_WEAR, Named("timing", (), 0.2)), decoys=[Decoy("lag")]),
    ]
    found = scores.headline(rows)
    values = {name: (figure.value, figure.n) for name, figure in found.items()}
    assert values["right_cause_first"] == (pytest.approx(2 / 3), 3)
    assert values["either_cause_first"] == (1.0, 3)
    assert values["larger_of_two_first"] == (0.0, 1)
    assert values["right_cause_first_renamed"] == (pytest.approx(1 / 3), 3)
    assert values["renaming_cost_points"] == (pytest.approx(100 / 3), 3)
    assert values["nothing_called_wrong_with_decoys"] == (0.5, 2)
    assert values["nothing_called_wrong_without_decoys"] == (0.0, 1)
    assert values["weak_falsely_blamed"] == (1.0, 1)
    assert values["unlogged_blamed"] == (0.5, 2)
    assert values["decoy_blamed_beside_a_cause"] == (1.0, 1)
    assert values["share_error_median_points"] == (pytest.approx(10.0), 4)
    assert values["share_error_mean_points"][0] == pytest.approx((20 + 10 + 0) / 3)
    low, high = found["right_cause_first"].low, found["right_cause_first"].high
    assert (round(low, 3), round(high, 3)) == (0.208, 0.939)
    tables = page({"commit": ""}, rows)
    assert "9 worlds, development seeds: 3 have a logged cause" in tables
    assert "1 are weak, 2 have a cause that no column shows, in 3 nothing is wrong" in tables


def test_a_small_part_of_the_loss_does_not_blame_a_decoy():
    row = world(1, [WEAR], failed(AS_WEAR), decoys=[Decoy("lag"), Decoy("shift", ("light=x",))])
    assert not matching.is_decoy_blamed(row, failed(AS_WEAR, Named("timing", (), 0.05)))
    assert matching.is_decoy_blamed(row, failed(AS_WEAR, Named("edge cases", ("light=x",), 0.2)))


def test_without_a_change_the_cost_of_renaming_stays_open():
    figure = scores.renaming_cost([world(k, [LIGHT], failed(AS_LIGHT)) for k in range(20)], matching.is_right)
    assert figure.value == 0.0
    assert figure.low < 0.0 < figure.high


def test_seeds_follow_from_the_commit():
    commit = "ab" * 20
    expected = int(hashlib.sha256(f"{commit}7".encode()).hexdigest()[:8], 16)
    assert derive_seed(commit, 7) == expected
    for wrong in ("abc", "AB" * 20, "main"):
        with pytest.raises(ValueError, match="not a commit"):
            derive_seed(wrong, 0)


def test_a_row_survives_its_file(tmp_path):
    row = answer_logistic(3, 300)
    assert read_row(json.loads(json.dumps(write_row(row)))) == row
    file, head = tmp_path / "rows.jsonl", {"family": LOGISTIC, "commit": "c" * 40}
    results.append_row(file, head, row)
    file.write_text(file.read_text(encoding="utf-8") + '{"cut sh', encoding="utf-8")
    assert results.read_results(file) == (head, [row])
    assert results.read_finished(file, head) == {3: row}
    results.append_row(file, head, replace(row, seed=4))
    assert list(results.read_finished(file, head)) == [3, 4]
    with pytest.raises(ValueError, match="move it away"):
        results.read_finished(file, {**head, "commit": "d" * 40})


def test_final_worlds_are_run_once_and_tables_come_from_the_file(tmp_path, monkeypatch, capsys):
    commit = "e" * 40
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(run, "describe_run", lambda family, commit: {"family": family, "commit": commit})
    asked = []

    def answer(_family, seeds, *_):
        asked.extend(seeds)
        return [world(seed, [LIGHT], failed(AS_LIGHT)) for seed in seeds]

    monkeypatch.setattr(run, "run_worlds", answer)
    file = tmp_path / "diagnose_logistic.jsonl"
    head, rows = run.run_final(LOGISTIC, commit, 3, 1, None)
    assert head["commit"] == commit
    assert [row.seed for row in rows] == [derive_seed(commit, index) for index in range(3)]
    run.run_final(LOGISTIC, commit, 4, 1, None)
    assert asked == [derive_seed(commit, index) for index in range(4)], "none was run twice"
    monkeypatch.setattr("sys.argv", ["diagnose", "--from", str(file), "--json"])
    diagnose.main()
    assert json.loads(capsys.readouterr().out)["right_cause_first"]["n"] == 4


@pytest.mark.parametrize("file", sorted(results.FOLDER.glob("diagnose_*.jsonl")), ids=lambda file: file.name)
def test_published_worlds_have_the_seeds_of_their_commit(file):
    head, rows = results.read_results(file)
    assert [row.seed for row in rows] == [derive_seed(head["commit"], index) for index in range(len(rows))]
    assert file == results.result_file(head["family"])
    assert file.stat().st_size <= LARGEST_FILE


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("worlds")


@pytest.fixture(scope="module")
def sound(kept):
    return planted(next(seed for seed in range(len(TURNS)) if not faults_of(seed)), TINY, kept)


def test_dressed_worlds_keep_their_outcomes(sound):
    how = Dress(lag_ms=45.0, kappa=0.7, missing=("gripper_cycles",))
    made = dress(sound.records, how, sound.seed)
    assert how.decoys == ("lag", "disagreement")
    assert [o.succeeded for o in made.production] == [o.succeeded for o in sound.records.production]
    assert all(35 < lag.lag_ms < 55 for lag in made.lags)
    assert all(0.55 < one.kappa < 0.8 for one in made.agreements)
    assert not any(name == "gripper_cycles" for o in made.production for name, _ in o.facts)
    assert dress(sound.records, Dress(), sound.seed) == sound.records
    foreign = rename(sound.records, FOREIGN)
    factors = {c.factor for o in foreign.production for c in o.stratum.conditions}
    assert not factors & set(FOREIGN)
    assert all(o.latency_ms is None for o in foreign.production)
    assert draw_dress(sound) == draw_dress(sound)


def test_a_hidden_fault_is_in_no_column(sound):
    how = Dress(missing=("operator", "film"), hides_fault=True)
    made = dress(sound.records, how, sound.seed)
    assert not any(c.factor == "operator" for o in made.production for c in o.stratum.conditions)
    assert not any(episode.operator for episode in made.episodes)


def test_a_dressed_world_becomes_a_row(sound, kept):
    row = answer_decoys(sound.seed, TINY, kept)
    assert row.faults == ()
    assert row.kind.startswith("nothing")
    assert row.production == round(sound.truth.production, 4), "the world is that of the first family"
    assert read_row(json.loads(json.dumps(write_row(row)))) == row
    assert DECOYS in diagnose.ANSWERED


@pytest.mark.parametrize("gap", PLANTED)
def test_every_variant_of_a_fault_has_its_columns(gap):
    """All cameras that lag are in no column."""
    ways = {Played(seed, [gap], TINY).wrongs[0].way for seed in range(12)}
    assert all((gap, way) in PLACES for way in ways) is (gap is not Gap.TIMING)
