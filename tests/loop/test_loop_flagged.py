"""A camera that is found to have moved: every episode since the last good look fails by itself."""

import json
from dataclasses import replace

import numpy as np
import pytest

from fieldloop.loop.calibrate import verification
from fieldloop.loop.calibrate.verification import verify_camera_calibration
from fieldloop.loop.data import check, ingest
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.event import CalibrationAttached, EpisodeJudged
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.writers import write_mcap
from fieldloop.testing import synthetic

CAMERAS = ("camera/overhead", "camera/wrist")
HERE = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))


def calibrate(opened, *sensors, robot="arm-1", from_ns=synthetic.START_NS - NS_PER_S):
    for sensor in sensors:
        made = Calibration(
            f"of {sensor} {robot}", "extrinsic", robot, sensor, "base", sensor, HERE, "park", 0.5, 0.1, 20,
            Status.PASSED, valid_from_ns=from_ns,
        )  # fmt: skip
        opened.write(CalibrationAttached(made))


def take_in(opened, folder, seed=0, **facts):
    log = folder / f"log-{seed}.mcap"
    write_mcap([synthetic.make_healthy_recording(seed=seed, **facts)], log)
    ingest.ingest_logs(opened, (log,))


def verdicts_written(opened):
    return len(list(opened.store.events(EpisodeJudged)))


@pytest.fixture
def bare(tmp_path, monkeypatch):
    # where the sensors were is told without decoding a picture
    monkeypatch.setattr(
        ingest, "run_each", lambda work, items, **_: (work(replace(part, pixels=False)) for part in items)
    )
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    yield opened
    opened.close()


@pytest.fixture
def workspace(bare, tmp_path):
    calibrate(bare, *CAMERAS)
    take_in(bare, tmp_path)
    return bare


def views(folder, off_m):
    pose = np.eye(4)
    pose[:3, 3] = 0.0, 0.0, 0.5
    seen = pose.copy()
    seen[0, 3] += off_m
    rows = [{"base_from_marker": pose.tolist(), "camera_from_marker": seen.tolist()} for _ in range(3)]
    file = folder / "views.json"
    file.write_text(json.dumps({"views": rows}))
    return file


def finding(workspace):
    (report,) = workspace.store.find(EpisodeReport, newest=True, limit=1)
    return {f.subject: f.status for f in report.findings if f.check == "calibration.in_force"}


AFTER = "2026-01-01T01:00:00Z"
WRIST = {"sensor": "camera/wrist", "robot": "arm-1"}


def test_a_failed_look_fails_the_episode_at_once_and_no_log_is_opened(workspace, tmp_path):
    assert finding(workspace) == dict.fromkeys(CAMERAS, Status.PASSED)
    verified = verify_camera_calibration(workspace, views(tmp_path, 0.010), **WRIST, at=AFTER)
    assert verified.halts
    assert len(verified.flagged) == 1
    assert finding(workspace) == {"camera/overhead": Status.PASSED, "camera/wrist": Status.FAILED}
    assert check.check(workspace).episodes[0].status is Status.FAILED


def test_a_good_look_flags_nothing(workspace, tmp_path):
    assert verify_camera_calibration(workspace, views(tmp_path, 0.0), **WRIST, at=AFTER).flagged == ()
    assert finding(workspace) == dict.fromkeys(CAMERAS, Status.PASSED)


def test_drift_that_adds_up_is_no_pass_though_it_flags_nothing(workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(verification.room, "measure_slow_drift", lambda *_: (1.2,))
    found = verify_camera_calibration(workspace, views(tmp_path, 0.0), **WRIST, at=AFTER)
    assert (found.status, found.exit_ok, found.halts, found.flagged) == (Status.FAILED, False, False, ())
    assert found.says.code == "calibrate.marker_drifts"


def test_a_good_look_in_between_sets_later_episodes_right(workspace, tmp_path):
    verify_camera_calibration(workspace, views(tmp_path, 0.010), **WRIST, at="2025-12-31T23:59:59.5Z")
    assert finding(workspace)["camera/wrist"] is Status.FAILED
    verify_camera_calibration(workspace, views(tmp_path, 0.0), **WRIST, at="2025-12-31T23:59:59.75Z")
    assert finding(workspace)["camera/wrist"] is Status.PASSED


def test_a_robot_that_was_never_calibrated_is_not_asked(bare, tmp_path):
    take_in(bare, tmp_path)
    assert finding(bare) == {"": Status.NOT_APPLICABLE}
    (judged,) = check.check(bare).episodes
    asked = [f.status for f in judged.findings if f.check == "calibration.in_force"]
    assert asked == [Status.NOT_APPLICABLE]
    assert verdicts_written(bare) == 1  # the same answer again is not written again


def test_an_episode_that_came_in_before_the_first_calibration_is_counted_and_flagged(bare, tmp_path):
    take_in(bare, tmp_path)
    calibrate(bare, *CAMERAS)
    check.check(bare)
    assert finding(bare) == dict.fromkeys(CAMERAS, Status.PASSED)
    assert len(verify_camera_calibration(bare, views(tmp_path, 0.010), **WRIST, at=AFTER).flagged) == 1
    assert finding(bare) == {"camera/overhead": Status.PASSED, "camera/wrist": Status.FAILED}


def test_an_episode_that_comes_in_after_the_failed_look_fails_too(bare, tmp_path):
    calibrate(bare, "camera/wrist")
    verify_camera_calibration(bare, views(tmp_path, 0.010), **WRIST, at=AFTER)
    take_in(bare, tmp_path)
    assert finding(bare) == dict.fromkeys(CAMERAS, Status.FAILED)


def test_depth_and_force_count_once_they_are_calibrated(workspace, tmp_path):
    assert set(finding(workspace)) == set(CAMERAS)
    calibrate(workspace, "depth/overhead")
    calibrate(workspace, "force-1", from_ns=synthetic.START_NS + NS_PER_S)  # by its serial number, and too late
    check.check(workspace)
    others = {"depth/overhead": Status.PASSED, "force": Status.FAILED}
    assert finding(workspace) == {**dict.fromkeys(CAMERAS, Status.PASSED), **others}
    assert verify_camera_calibration(
        workspace, views(tmp_path, 0.010), sensor="depth/overhead", robot="arm-1", at=AFTER
    ).flagged
    assert finding(workspace)["depth/overhead"] is Status.FAILED


def test_another_robots_episodes_are_not_listed_and_unchanged_verdicts_not_written(workspace, tmp_path):
    calibrate(workspace, *CAMERAS, robot="arm-2")
    take_in(workspace, tmp_path, seed=1, robot="arm-2")
    (here,) = verify_camera_calibration(workspace, views(tmp_path, 0.010), **WRIST, at=AFTER).flagged
    other = verify_camera_calibration(workspace, views(tmp_path, 0.010), sensor="camera/wrist", robot="arm-2", at=AFTER)
    assert len(other.flagged) == 1
    assert here not in other.flagged
    known = verdicts_written(workspace)
    verify_camera_calibration(
        workspace, views(tmp_path, 0.010), sensor="camera/wrist", robot="arm-2", at="2026-01-01T02:00:00Z"
    )
    assert verdicts_written(workspace) == known
