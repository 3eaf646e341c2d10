"""Pictures on disk: found, opened, told where they are none; the result remembered where somebody asks for it."""

import json

import cv2
import numpy as np
import pytest

from fieldloop.calibrate.intrinsics import parse_board
from fieldloop.doors.written import write_json_text
from fieldloop.errors import BadInput
from fieldloop.loop.calibrate.camera_pair import compare_two_cameras
from fieldloop.loop.calibrate.intrinsics import calibrate_camera_intrinsics
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.say import write_sentence
from fieldloop.testing.boards import Exposure, Lensed, draw_board_poses, render_board_pictures
from fieldloop.testing.shared import find_shared_data

BOARD = "checkerboard:7x4:30mm"
PICTURES = 10
CAMERA = Lensed(320, 240, np.array([[260.0, 0, 160], [0, 261, 119], [0, 0, 1]]), np.array([-0.2, 0.05, 0, 0, 0.0]))
REAL = find_shared_data("calib-opencv-stereo")
needs_real = pytest.mark.skipif(REAL is None, reason="OpenCV's chessboards are not on this machine (shared data)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng, board = np.random.default_rng(3), parse_board(BOARD)
    poses = draw_board_poses(board, CAMERA, rng, PICTURES)
    folder = tmp_path_factory.mktemp("pictures")
    for n, picture in enumerate(render_board_pictures(board, CAMERA, poses, rng, Exposure(samples=2))):
        cv2.imwrite(str(folder / f"view{n:02}.png"), picture)
    (folder / "notes.txt").write_text("not a picture")
    return folder


def test_a_folder_of_pictures_gives_the_camera(folder, tmp_path):
    result = calibrate_camera_intrinsics(None, (folder,), board=BOARD, undistorted=tmp_path / "straight")
    written = json.loads(write_json_text(result))
    assert {"rms_px", "camera_matrix", "distortion", "images_used", "images_rejected"} <= written.keys()
    assert written["schema"] == "intrinsics/1"
    assert written["camera_matrix"][0][0] == pytest.approx(260, rel=0.01)
    assert written["images_used"] == [f"view{n:02}.png" for n in range(PICTURES)]
    assert written["rms_px"] < 0.15
    assert len(list((tmp_path / "straight").iterdir())) == PICTURES
    assert result.exit_ok == (result.intrinsics.status is Status.PASSED)


def test_files_that_are_no_pictures_are_reported(folder, tmp_path):
    broken, empty = tmp_path / "broken.png", tmp_path / "empty.png"
    broken.write_bytes((folder / "view00.png").read_bytes()[:200])
    empty.write_bytes(b"")
    good = [folder / f"view{n:02}.png" for n in range(4)]
    result = calibrate_camera_intrinsics(None, (*good, folder / "notes.txt", broken, empty), board=BOARD).intrinsics
    assert [r.name for r in result.images_rejected] == ["notes.txt", "broken.png", "empty.png"]
    assert len(result.images_used) == 4


def test_a_wrong_board_gets_a_proposal(folder):
    result = calibrate_camera_intrinsics(
        None, (folder / "view00.png", folder / "view01.png"), board="checkerboard:9x8:30mm"
    )
    assert not result.exit_ok
    assert result.intrinsics.advice[0]["board"] == "checkerboard:7x4:30mm"


def test_a_workspace_remembers_it_for_a_sensor(folder, tmp_path):
    create_workspace(tmp_path / "site")
    workspace = open_workspace(tmp_path / "site")
    since = "2026-11-15T08:00:00Z"
    few = tuple(folder / f"view{n:02}.png" for n in range(4))
    result = calibrate_camera_intrinsics(
        workspace, few, board=BOARD, sensor="camera/overhead", robot="arm-1", since=since
    )
    (kept,) = workspace.store.find(Intrinsics, {"robot": "arm-1", "sensor": "camera/overhead"})
    assert (kept, result.remembered) == (result.intrinsics, True)
    assert json.loads(write_json_text(result))["valid_from"] == "2026-11-15T08:00:00.000000Z"
    workspace.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensor": "camera/overhead"}, "both --sensor and --robot"),
        ({"sensor": "camera/overhead", "robot": "arm-1"}, "not a workspace"),
        ({"since": "yesterday"}, "is not a valid time"),
        ({"since": "2026-11-15T08:00:00"}, "has no time zone"),
    ],
)
def test_options_that_do_not_go_together_are_refused(folder, options, message):
    with pytest.raises(BadInput, match=message):
        calibrate_camera_intrinsics(None, (folder,), board=BOARD, **options)


def test_where_there_are_no_pictures_is_reported(tmp_path):
    for paths, message in (
        ((tmp_path,), "holds no pictures"),
        ((tmp_path / "x",), "does not exist"),
        ((), "Name pictures"),
    ):
        with pytest.raises(BadInput, match=message):
            calibrate_camera_intrinsics(None, paths, board=BOARD)


@needs_real
@pytest.mark.parametrize(("side", "most_px"), [("left", 0.20), ("right", 0.21)])
def test_the_chessboards_of_opencv(side, most_px):
    result = calibrate_camera_intrinsics(
        None, tuple(sorted(REAL.glob(f"{side}[0-9][0-9].jpg"))), board="checkerboard:9x6:25mm"
    )
    assert result.exit_ok, result.intrinsics.message
    assert result.intrinsics.rms_px <= most_px
    assert result.intrinsics.held_out_px <= most_px
    assert result.intrinsics.images_rejected == ()
    assert result.intrinsics.camera_matrix[0][0] == pytest.approx(535, abs=5)  # OpenCV's own files say 536


@needs_real
def test_two_cameras_in_one_folder_are_reported():
    result = calibrate_camera_intrinsics(
        None, tuple(sorted(REAL.glob("*[0-9][0-9].jpg"))), board="checkerboard:9x6:25mm"
    ).intrinsics
    assert result.status is Status.CANNOT_TELL
    assert "533.1 px for 'left' and 537.4 px for 'right'" in write_sentence(result.message)


@needs_real
def test_a_board_that_is_misread_in_some_pictures_gets_a_proposal():
    files = tuple(sorted(REAL.glob("left[0-9][0-9].jpg")))
    result = calibrate_camera_intrinsics(None, files, board="checkerboard:9x7:25mm").intrinsics
    assert result.status is Status.CANNOT_TELL
    other = result.advice[0]
    assert (other["tried"], other["pictures"], other["board"]) == (8, 13, "checkerboard:9x6:25mm")


@needs_real
def test_the_stereo_pairs_of_opencv(tmp_path):
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for file in REAL.glob(f"{side}[0-9][0-9].jpg"):
            (tmp_path / side / file.name).symlink_to(file)
    result = compare_two_cameras(None, tmp_path / "left", tmp_path / "right", board="checkerboard:9x6:25mm")
    assert result.exit_ok
    assert result.board.rms_px <= 0.22
    assert result.board.baseline_m == pytest.approx(0.083, abs=0.001)
    assert json.loads(write_json_text(result))["pair"]["pairs_rejected"] == []
