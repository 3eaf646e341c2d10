"""Calibrate a camera's intrinsics from pictures of a board."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.calibrate import intrinsics as room
from fieldloop.calibrate.intrinsics import Board, Lens, Look
from fieldloop.errors import BadInput
from fieldloop.loop.calibrate.attach import choose_workspace_to_store_in, parse_time_ns
from fieldloop.loop.calibrate.picture_files import list_picture_files, make_distinct_names, read_picture
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.codec import format_iso_time
from fieldloop.model.event import IntrinsicsAttached
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.model.note import Note, note
from fieldloop.protocol import default_protocol
from fieldloop.say.spelled import spell_out_facts


@dataclass(frozen=True, slots=True)
class IntrinsicsResult:
    """The intrinsics, whether a workspace stores them, and where undistorted pictures were written."""

    intrinsics: Intrinsics
    remembered: bool = False
    undistorted: str | None = None

    @property
    def exit_ok(self) -> bool:
        """Whether the protocol passes it."""
        return self.intrinsics.status is Status.PASSED

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema intrinsics/1."""
        written = {"schema": "intrinsics/1", **spell_out_facts(self.intrinsics)}
        from_ns = written.pop("valid_from_ns")
        since = {"valid_from": None if from_ns is None else format_iso_time(from_ns)}
        return {**written, **since, "remembered": self.remembered, "undistorted": self.undistorted}


def calibrate_camera_intrinsics(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace | None,
    images: tuple[Path, ...],
    *,
    board: str,
    lens: Lens = Lens.PLUMB_BOB,
    precision: bool = False,
    sensor: str = "",
    robot: str = "",
    since: str = "",
    undistorted: Path | None = None,
    track: Track = track_silently,
) -> IntrinsicsResult:
    """Find a camera's focal length, centre and distortion from pictures of a board.

    Arguments:
        images: pictures, or folders of them
        board: inner corners and square side, as checkerboard:9x6:25mm; or squares, square and marker side and
            dictionary, as charuco:5x7:40mm:30mm:DICT_4X4_50
        lens: the lens model; another model is proposed if it fits clearly better
        precision: judge by the limit for precision tasks
        sensor: store the result in the workspace for this camera, such as camera/overhead
        robot: the robot to which the camera belongs
        since: start of validity, as ISO-8601 such as 2026-11-15T08:00:00Z (default: now)
        undistorted: write undistorted pictures to this folder, to check straight edges
    """
    from_ns = parse_time_ns(since)
    memory = choose_workspace_to_store_in(workspace, robot, sensor)
    shown, files = room.parse_board(board), list_picture_files(images)
    names = make_distinct_names(files)
    looks = [_detect_board(file, shown, names[file]) for file in track(files, "looking for the board", len(files))]
    rules = workspace.protocol() if workspace else default_protocol()
    fitted = room.calibrate_intrinsics(looks, shown, rules, sensor=sensor, precision=precision, lens=lens)
    if 2 * sum(look.sighting is not None for look in looks) <= len(looks):
        fitted = replace(fitted, advice=(*_note_other_board(files, looks, shown), *fitted.advice))
    if undistorted and fitted.camera_matrix:
        _write_undistorted(files, looks, fitted, undistorted)
    if memory:
        fitted = store_intrinsics(memory, fitted, robot=robot, since_ns=from_ns)
    return IntrinsicsResult(fitted, memory is not None, str(undistorted) if undistorted else None)


def store_intrinsics(workspace: Workspace, found: Intrinsics, *, robot: str, since_ns: int | None) -> Intrinsics:
    """Store a camera's intrinsics; those that fail are stored too, with their verdict."""
    holds_from = workspace.clock() if since_ns is None else since_ns
    kept = replace(found, id=workspace.ids.new("intrinsics"), robot=robot, valid_from_ns=holds_from)
    workspace.write(IntrinsicsAttached(kept))
    return kept


def _detect_board(file: Path, board: Board, name: str) -> Look:
    picture = read_picture(file)
    if picture is None:
        return room.make_unreadable_look(name)
    return room.find_board_in_picture(picture, board, name)


def _note_other_board(files: Sequence[Path], looks: Sequence[Look], board: Board) -> list[Note]:
    """Return which board the pictures show where it differs from the one asked for."""
    tried = np.unique(np.linspace(0, len(files) - 1, room.TRIED_PICTURES).astype(int)).tolist()
    pictures = [room.convert_to_grey(p) for p in (read_picture(files[n]) for n in tried) if p is not None]
    other, count = (room.find_shown_board(pictures, board) if pictures else None) or (board, 0)
    if count > sum(looks[n].sighting is not None for n in tried):
        of = len(files) if len(tried) < len(files) else None
        return [note("calibrate.other_board", found=count, tried=len(pictures), pictures=of, board=str(other))]
    if any(look.sighting for look in looks):
        return []
    return [note("calibrate.no_board")]


def _write_undistorted(files: Sequence[Path], looks: Sequence[Look], fitted: Intrinsics, folder: Path) -> None:
    import cv2

    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file. Name a folder for the undistorted pictures.")
    folder.mkdir(parents=True, exist_ok=True)
    matrix, bent = np.array(fitted.camera_matrix), np.array(fitted.distortion)
    for file, look in zip(files, looks, strict=True):
        picture = read_picture(file) if (look.width, look.height) == (fitted.width, fitted.height) else None
        if picture is None:
            continue
        if fitted.model == Lens.FISHEYE:
            straight = cv2.fisheye.undistortImage(picture, matrix, bent, Knew=matrix)
        else:
            straight = cv2.undistort(picture, matrix, bent)
        file_name = look.name.replace("/", "-").rpartition(".")[0] + ".png"
        cv2.imencode(".png", straight)[1].tofile(folder / file_name)
