"""The bench of proposals: what it counts is known by hand, and its hand-made labels are well formed."""

import csv
from itertools import pairwise

import numpy as np
import pytest
from bench import proposal_cases as cases
from bench import proposals as bench
from bench.harness import Skipped

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.testing.shared import find_shared_data

EMPTY = Recording(Episode("e", "e", "planted"), {})
TRUTH = (("approach", 0.0, 1.0), ("grasp", 1.0, 2.0), ("retract", 2.0, 4.0))


def known(truth=TRUTH, hz=30.0):
    return cases.Known(EMPTY, 0, hz, truth, "planted", cases.HOLD_OUT)


def test_distances_are_in_frames_and_a_shared_boundary_counts_once():
    found = [("approach", 0.1, 1.0), ("grasp", 1.0, 2.5), ("retract", 2.5, 4.0)]
    assert bench.list_distances(known(), found) == pytest.approx([3.0, 0.0, 15.0, 0.0])


def test_spans_are_matched_once_by_label_and_overlap():
    found = [("grasp", 1.9, 3.0), ("grasp", 1.1, 2.0), ("approach", 0.0, 1.0)]
    assert dict(bench.match_spans(TRUTH, found)) == {TRUTH[0]: found[2], TRUTH[1]: found[1]}


def test_f1_counts_missing_and_spare_segments():
    figures = bench._compare("x", [(known(), [TRUTH[0], ("lift", 1.0, 2.0)])])
    assert figures["f1_50_x"].value == pytest.approx(2 * 1 / (3 + 2))
    assert figures["boundaries_drawn_x"].value == pytest.approx(2 / 4)
    assert isinstance(bench._compare("x", [(known(), [])])["boundary_mae_frames_x"], Skipped)


def test_baselines():
    assert bench.split_evenly(known())[1] == ("grasp", pytest.approx(4 / 3), pytest.approx(8 / 3))
    rounded = bench.round_to_grid(known((("approach", 0.1, 1.2), ("grasp", 1.2, 1.24), ("retract", 1.24, 3.3))))
    assert rounded == [("approach", 0.0, 1.0), ("retract", 1.0, 3.5)]


def test_a_perfect_proposal_saves_everything_and_none_saves_nothing():
    saved = bench._estimate_saving("x", [(known(), list(TRUTH))])["edit_seconds_saved_x"].value
    assert saved == 1.0
    assert bench._estimate_saving("x", [(known(), [])])["edit_seconds_saved_x"].value < 0.3


def test_floor_cases_state_the_truth_in_words_that_their_signals_carry():
    tool, joints, strange = list(cases.list_floor_cases(5, 1, cases.DEVELOPMENT))
    assert [label for label, _, _ in tool.truth][:2] == ["approach", "pre-grasp"]
    assert joints.truth == strange.truth == cases.merge_parts(tool.truth)
    assert "tool" not in joints.recording.streams
    assert list(strange.recording.streams) == ["observation.state"]


def test_hand_made_labels_are_ordered_and_both_splits_hold_several_sets():
    with cases.LABELS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    episodes = {(r["set"], r["episode"]) for r in rows}
    assert len(episodes) >= 10
    assert len({name for name, _ in episodes}) >= 3
    for name, episode in episodes:
        mine = [r for r in rows if (r["set"], r["episode"]) == (name, episode)]
        assert len({r["split"] for r in mine}) == 1
        assert all(float(r["start_frame"]) < float(r["end_frame"]) for r in mine)
        assert all(a["end_frame"] == b["start_frame"] for a, b in pairwise(mine))
    assert {r["split"] for r in rows} == {cases.DEVELOPMENT, cases.LOOKED_AT, cases.HOLD_OUT}


def test_labels_of_the_hold_out_are_the_mean_of_both_passes():
    passes = {(r["set"], r["episode"], r["boundary"]): r for r in cases.read_rows(cases.PASSES)}
    held = [r for r in cases.read_rows(cases.LABELS) if r["split"] == cases.HOLD_OUT]
    assert len({(r["set"], r["episode"]) for r in held}) == 10
    for row in held:
        one = passes[row["set"], row["episode"], row["label"]]
        assert float(row["start_frame"]) == (float(one["first_frame"]) + float(one["second_frame"])) / 2
    assert bench.measure_self_agreement()["self_agreement_mean_frames"].value < 2


def test_labels_move_to_the_clock_of_the_joints_where_each_picture_has_one_sample():
    frames = np.arange(100)
    joints = Stream("joints", StreamKind.JOINT_POSITION, "", {ClockKind.LOG: frames * 40_000_000}, np.zeros((100, 2)))
    camera = Stream("camera", StreamKind.RGB, "", {ClockKind.LOG: frames * 20_000_000})
    recording = Recording(Episode("e", "e", "planted"), {"joints": joints, "camera": camera})
    case = cases.Known(recording, 0, 50.0, (("grasp", 0.2, 1.0),), "planted", cases.HOLD_OUT, camera="camera")
    moved = cases.place_by_rows(case)
    assert moved.hz == pytest.approx(25.0)
    assert moved.truth == (("grasp", pytest.approx(0.4), pytest.approx(2.0)),)


def test_each_public_set_states_where_it_comes_from():
    known = {row["set"] for row in cases.read_rows(cases.PUBLIC)} | set(cases.SETS)
    for file in (cases.LABELS, cases.WITHOUT, cases.RESULTS):
        assert {row["set"] for row in cases.read_rows(file)} <= known


HERE_ARE_ALL = all(find_shared_data(path.partition("/")[0]) for path in cases.SETS.values())


@pytest.mark.skipif(not HERE_ARE_ALL, reason="the public datasets are not on this machine")
def test_proposals_beat_an_even_split_on_public_episodes():
    held = list(cases.list_labelled_cases(cases.LOOKED_AT))
    figures = bench._measure_cases(held, "x")
    assert figures["f1_50_x"].value > 2 * figures["f1_50_naive_uniform_x"].value
    assert figures["boundary_median_frames_x"].value < 15 / 2
