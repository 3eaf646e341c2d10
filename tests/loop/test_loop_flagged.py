"""A camera that is found to have moved: every episode since the last good look fails by itself."""

import json

import numpy as np
import pytest

from fieldloop.loop import check, ingest, setup
from fieldloop.loop.verification import verify
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.event import CalibrationAttached
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.writers import write_mcap
from fieldloop.testing import synthetic

CAMERAS = ("camera/overhead", "camera/wrist")
HERE = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.setattr(ingest, "each", lambda work, items, **_: map(work, items))
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    for camera in CAMERAS:
        made = Calibration(
            f"of {camera}", "extrinsic", "arm-1", camera, "base", camera, HERE, "park", 0.5, 0.1, 20,
            Status.PASSED, valid_from_ns=synthetic.START_NS - NS_PER_S,
        )  # fmt: skip
        opened.write(CalibrationAttached(made))
    write_mcap([synthetic.healthy()], tmp_path / "log.mcap")
    ingest.ingest(opened, (tmp_path / "log.mcap",))
    yield opened
    opened.close()


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


def test_a_failed_look_fails_the_episode_at_once_and_no_log_is_opened(workspace, tmp_path):
    assert finding(workspace) == dict.fromkeys(CAMERAS, Status.PASSED)
    after = "2026-01-01T01:00:00Z"
    verified = verify(workspace, views(tmp_path, 0.010), sensor="camera/wrist", robot="arm-1", at=after)
    assert verified.halts
    assert len(verified.flagged) == 1
    assert finding(workspace) == {"camera/overhead": Status.PASSED, "camera/wrist": Status.FAILED}
    assert check.check(workspace).episodes[0].status is Status.FAILED


def test_a_good_look_flags_nothing(workspace, tmp_path):
    after = "2026-01-01T01:00:00Z"
    assert verify(workspace, views(tmp_path, 0.0), sensor="camera/wrist", robot="arm-1", at=after).flagged == ()
    assert finding(workspace) == dict.fromkeys(CAMERAS, Status.PASSED)
