"""Odd input to time-from-content: empty, short, broken or missing parts end in a refusal, never in an exception."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.check.case import Case
from fieldloop.check.content_lag import (
    collect_lag_evidence,
    estimate_lag_drift,
    estimate_lag_step,
    estimate_pooled_lag,
    read_content_lag_settings,
)
from fieldloop.check.content_lag.flow import CELLS, HEIGHT_OF_CELL, compute_optical_flow
from fieldloop.check.content_lag.path import choose_motion_streams, resample_joint_path
from fieldloop.check.episode.alignment import measure_camera_lag, measure_camera_lag_jump
from fieldloop.check.judging import judge_measurement
from fieldloop.model.finding import Status
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.protocol import default_protocol
from fieldloop.testing.panning import CAMERA, JOINTS, Panned, drop_frames_silently, record_panning_camera

NUMBERS = read_content_lag_settings(default_protocol())
LIMIT = default_protocol().limits["alignment.content_lag"]


def with_joints(recording, **changes):
    joints = replace(recording.streams[JOINTS], **changes)
    return replace(recording, streams={**recording.streams, JOINTS: joints})


def taken(recording):
    return collect_lag_evidence(recording.streams[CAMERA], list(recording.streams.values()), NUMBERS)


def test_nothing_to_see_is_refused():
    assert not estimate_pooled_lag([], NUMBERS).has_estimate
    assert not estimate_pooled_lag([{}], NUMBERS).has_estimate
    assert estimate_lag_drift([], NUMBERS).refused
    assert estimate_lag_step({}, NUMBERS, 1.5, 4.0).refused


def test_a_short_episode_is_refused():
    assert not estimate_pooled_lag([taken(record_panning_camera(seconds=1.0))], NUMBERS).has_estimate


def test_joints_that_are_not_numbers_are_left_out():
    recording = record_panning_camera(1)
    values = recording.streams[JOINTS].values.copy()
    values[100:140:3] = np.nan
    found = estimate_pooled_lag([taken(with_joints(recording, values=values))], NUMBERS)
    assert found.low_s <= 0.0 <= found.high_s
    assert taken(with_joints(recording, values=np.full_like(values, np.nan))) == {}


def test_joints_that_never_move_are_refused():
    recording = record_panning_camera(1)
    still = np.ones_like(recording.streams[JOINTS].values)
    assert not estimate_pooled_lag([taken(with_joints(recording, values=still))], NUMBERS).has_estimate


def test_joints_stamped_all_at_once_give_no_evidence():
    recording = record_panning_camera(1)
    stamps = np.full_like(recording.streams[JOINTS].times_ns, recording.streams[JOINTS].times_ns[0])
    assert taken(with_joints(recording, clocks={ClockKind.HEADER: stamps})) == {}


def test_angles_that_wrap_are_mended():
    recording = record_panning_camera(1)
    wrapped = (recording.streams[JOINTS].values + np.pi + 3.0) % (2 * np.pi) - np.pi
    found = estimate_pooled_lag([taken(with_joints(recording, values=wrapped))], NUMBERS)
    assert found.low_s <= 0.0 <= found.high_s


def test_frames_that_cannot_be_decoded_cost_only_themselves():
    frames = list(Panned(np.linspace([200.0, 200.0], [260.0, 240.0], 20)).frames())
    frames[7] = np.empty(0, np.uint8)
    rows = compute_optical_flow(frames)
    assert rows.shape == (19, 2 * CELLS)
    assert np.flatnonzero(np.isnan(rows).any(axis=1)).tolist() == [6, 7]


def test_flow_of_a_panned_sheet_is_how_far_it_was_panned():
    rows = compute_optical_flow(Panned(np.array([[200.0, 200.0], [202.5, 198.8]]), noise=0.5).frames())
    assert np.median(rows[0, :CELLS]) == pytest.approx(-2.5, abs=0.1)
    assert np.median(rows[0, CELLS:]) == pytest.approx(1.2, abs=0.1)
    assert HEIGHT_OF_CELL[:CELLS].tolist() == sorted(HEIGHT_OF_CELL[:CELLS])


def test_no_pictures_or_one_give_no_flow():
    assert compute_optical_flow([]).shape == (0, 2 * CELLS)
    assert compute_optical_flow([np.zeros((96, 128, 3), np.uint8)]).shape == (0, 2 * CELLS)


def test_joints_are_preferred_to_a_tool_pose_and_a_gripper_never_asked():
    stamps = {ClockKind.HEADER: np.arange(50, dtype=np.int64) * 10_000_000}
    pose, gripper, joints = (
        Stream(kind.value, kind, "rad", stamps, np.zeros((50, 2)))
        for kind in (StreamKind.POSE, StreamKind.GRIPPER, StreamKind.JOINT_POSITION)
    )
    assert choose_motion_streams([pose, gripper, joints]) == (joints,)
    assert choose_motion_streams([gripper, pose]) == (pose,)
    assert choose_motion_streams([gripper]) == ()
    assert resample_joint_path([], 10.0) is None


def test_fast_cameras_are_thinned():
    recording = record_panning_camera(1)
    assert len(taken(recording)["flow"]) == len(recording.streams[CAMERA]) - 1
    quick = replace(NUMBERS, finest_period_s=0.06)
    thin = collect_lag_evidence(recording.streams[CAMERA], list(recording.streams.values()), quick)
    assert len(thin["flow"]) == (len(recording.streams[CAMERA]) + 1) // 2 - 1


@pytest.mark.parametrize(("lag_ms", "status"), [(0.0, Status.PASSED), (30.0, Status.FAILED), (5.0, Status.CANNOT_TELL)])
def test_the_check_leaves_the_verdict_to_the_protocol(lag_ms, status):
    (measurement,) = measure_camera_lag.look(Case(record_panning_camera(1, lag_ms=lag_ms)))
    assert measurement.subject == "camera/panning ↔ joints"
    assert judge_measurement(measurement, LIMIT, named=True) is status


def test_a_step_is_measured_with_its_moment():
    (measurement,) = measure_camera_lag_jump.look(Case(drop_frames_silently(record_panning_camera(3), 180, 1)))
    assert measurement.low > default_protocol().limits["alignment.content_step"].maximum
    assert measurement.at_s == pytest.approx(6.0, abs=0.5)


def test_without_joints_nothing_is_measured():
    recording = record_panning_camera(1)
    alone = replace(recording, streams={CAMERA: recording.streams[CAMERA]})
    assert list(measure_camera_lag.look(Case(alone))) == []
