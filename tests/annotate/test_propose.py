"""Known phases are found to within two frames, and what cannot be told is left out with a reason."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotate.staged_pick import ITEM, START_NS, edges, place, proposed_edges, staged

from fieldloop.annotate import load_shipped_measures, load_shipped_taxonomy, propose_phases
from fieldloop.errors import BadInput
from fieldloop.model.episode import Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.model.taxonomy import PHASES, Taxonomy

FRAME_NS = NS_PER_S / 30


def proposed(recording):
    return propose_phases(recording, load_shipped_taxonomy(), author="machine:test")


def errors(**how):
    recording, truth = staged(**how)
    spans, reason = proposed(recording)
    assert reason == ""
    return (proposed_edges(spans) - truth) / FRAME_NS


@pytest.mark.parametrize(
    ("how", "worst"),
    [
        ({}, 0.7),
        ({"tool_noise_m": 3e-4, "width_noise_m": 2e-4}, 1.0),
        ({"tool_noise_m": 1e-3, "width_noise_m": 5e-4}, 2.0),
        ({"tool_noise_m": 3e-4, "hz": 30.0}, 1.0),
        ({"tool_noise_m": 3e-4, "tempo": 1.3}, 1.0),
        ({"tool_noise_m": 3e-4, "tempo": 0.7}, 1.5),
        ({"tool_noise_m": 3e-4, "effort": False}, 1.0),
        ({"law": "even"}, 2.0),
        ({"law": "cosine"}, 2.0),
    ],
)
def test_every_boundary_is_found_to_within_two_frames(how, worst):
    found = np.abs([errors(seed=seed, **how) for seed in range(8)])
    assert found.max() <= worst
    assert found.mean() <= worst / 2


def test_without_a_pause_the_approach_ends_at_five_centimetres():
    recording, _ = staged(hover=0.0)
    spans, _ = proposed(recording)
    at_s = (spans[0].end_ns - START_NS) / NS_PER_S
    away = np.linalg.norm(place(np.array([at_s]), edges(), hover=0.0) - np.array(ITEM))
    assert away == pytest.approx(0.05, abs=0.004)


def test_phases_follow_each_other_without_gaps_and_name_their_author():
    recording, _ = staged(tool_noise_m=3e-4)
    spans, _ = proposed(recording)
    assert [s.label for s in spans] == list(PHASES)
    assert all(a.end_ns == b.start_ns for a, b in pairwise(spans))
    assert {(s.episode, s.kind, s.author, s.verified_by) for s in spans} == {("e1", "phase", "machine:test", "")}


def changed(recording, **streams):
    kept = {**recording.streams, **streams}
    return Recording(recording.episode, {name: s for name, s in kept.items() if s is not None})


def with_values(stream, values):
    return dataclasses.replace(stream, values=np.asarray(values, float))


@pytest.mark.parametrize("name", ["tool", "gripper"])
def test_a_missing_stream_is_named(name):
    recording, _ = staged()
    spans, reason = proposed(changed(recording, **{name: None}))
    assert spans == ()
    assert f"no stream '{name}'" in reason


def test_missing_effort_changes_little():
    recording, truth = staged(tool_noise_m=3e-4)
    spans, _ = proposed(changed(recording, **{"gripper/effort": None}))
    assert np.abs(proposed_edges(spans) - truth).max() / FRAME_NS < 1


def test_a_release_that_only_the_force_shows_is_found():
    recording, truth = staged()
    shut = recording.streams["gripper"].values.copy()
    after = (recording.streams["gripper"].times_ns - START_NS) / NS_PER_S > edges()[6] - 0.01
    shut[after] = 0.043  # a wide item: the fingers hardly open any further
    spans, reason = proposed(changed(recording, gripper=with_values(recording.streams["gripper"], shut)))
    assert reason == ""
    assert np.abs(proposed_edges(spans) - truth).max() / FRAME_NS < 2


def test_fingers_that_never_close_give_no_phases():
    recording, _ = staged(effort=False)
    open_all_along = np.full_like(recording.streams["gripper"].values, 0.08)
    spans, reason = proposed(changed(recording, gripper=with_values(recording.streams["gripper"], open_all_along)))
    assert (spans, reason) == ((), "The fingers never closed while the tool stood still.")


def test_a_change_of_opening_on_the_way_is_no_grasp():
    recording, _ = staged(effort=False)
    width, t = recording.streams["gripper"].values, recording.streams["gripper"].times_ns
    asked = np.where((t - START_NS)[:, None] / NS_PER_S < edges()[2] - 0.05, width, 0.065)
    assert proposed(changed(recording, gripper=with_values(recording.streams["gripper"], asked)))[0] == ()


def test_fingers_that_never_open_give_the_phases_up_to_there():
    recording, truth = staged(effort=False)
    width, t = recording.streams["gripper"].values.copy(), recording.streams["gripper"].times_ns
    width[(t - START_NS) / NS_PER_S > edges()[5]] = 0.043
    spans, reason = proposed(changed(recording, gripper=with_values(recording.streams["gripper"], width)))
    assert [s.label for s in spans] == ["approach", "pre-grasp", "grasp"]
    assert "never opened again" in reason
    assert np.abs(np.array([s.end_ns for s in spans]) - truth[1:4]).max() / FRAME_NS < 1


def test_a_tool_that_never_moves_gives_no_phases():
    recording, _ = staged()
    still = np.tile(recording.streams["tool"].values[0], (len(recording.streams["tool"]), 1))
    spans, reason = proposed(changed(recording, tool=with_values(recording.streams["tool"], still)))
    assert (spans, reason) == ((), "The tool never moved.")


def test_a_log_that_ends_early_gives_fewer_phases():
    recording, truth = staged()
    cut = {}
    for name, s in recording.streams.items():
        kept = s.times_ns < truth[6] - NS_PER_S // 2
        cut[name] = dataclasses.replace(s, clocks={ClockKind.HEADER: s.times_ns[kept]}, values=s.values[kept])
    spans, reason = proposed(changed(recording, **cut))
    assert [s.label for s in spans] == ["approach", "pre-grasp", "grasp"]
    assert reason


def test_samples_that_are_not_finite_or_out_of_order_are_left_out():
    recording, truth = staged()
    tool = recording.streams["tool"]
    values, stamps = tool.values.copy(), tool.times_ns.copy()
    values[::17] = np.nan
    stamps[50], stamps[51] = stamps[51], stamps[50]
    broken = dataclasses.replace(tool, clocks={ClockKind.HEADER: stamps}, values=values)
    spans, _ = proposed(changed(recording, tool=broken))
    assert np.abs(proposed_edges(spans) - truth).max() / FRAME_NS < 1.5


@pytest.mark.parametrize("samples", [0, 1, 4])
def test_a_stream_of_a_few_samples_cannot_tell(samples):
    recording, _ = staged()
    tool = recording.streams["tool"]
    short = dataclasses.replace(tool, clocks={ClockKind.HEADER: tool.times_ns[:samples]}, values=tool.values[:samples])
    spans, reason = proposed(changed(recording, tool=short))
    assert spans == ()
    assert f"tool has {samples} usable samples" in reason


def test_streams_that_do_not_overlap_cannot_tell():
    recording, _ = staged()
    tool = recording.streams["tool"]
    later = dataclasses.replace(tool, clocks={ClockKind.HEADER: tool.times_ns + 10**12})
    assert "hardly overlap" in proposed(changed(recording, tool=later))[1]


def test_a_taxonomy_without_these_phases_is_refused():
    recording, _ = staged()
    with pytest.raises(BadInput, match="has no label approach"):
        propose_phases(recording, Taxonomy("other", 1, ()), author="m")


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(5, 300), st.floats(1e-4, 1.0))
def test_noise_alone_is_never_taken_for_a_whole_pick_and_never_breaks(seed, samples, size):
    rng = np.random.default_rng(seed)
    clocks = {ClockKind.HEADER: START_NS + np.sort(rng.integers(0, 10 * NS_PER_S, samples))}
    recording, _ = staged()
    noise = {
        name: Stream(name, s.kind, s.unit, clocks, rng.normal(0, size, (samples, s.values.shape[1])))
        for name, s in recording.streams.items()
    }
    spans, reason = proposed(Recording(recording.episode, noise))
    assert all(s.start_ns < s.end_ns for s in spans)
    assert reason or len(spans) <= len(PHASES)


def test_measures_are_those_the_definitions_speak_of():
    approach = load_shipped_taxonomy().labels[0]
    assert f"{load_shipped_measures()['approach_ends_cm']:g} cm" in approach.ends
