"""Compare two cameras: by a board that both see, or by depth that both measured."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.calibrate import intrinsics as lenses
from fieldloop.calibrate.camera_pair import CameraPair
from fieldloop.calibrate.camera_pair import fit_camera_pair as fit_pair
from fieldloop.calibrate.cloud_pair import CloudPair, compare_clouds
from fieldloop.calibrate.intrinsics import Board, Lens, Look
from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats
from fieldloop.loop.calibrate.picture_files import list_picture_files, read_picture
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol, default_protocol
from fieldloop.say.spelled import spell_out_facts
from fieldloop.text_files import open_text

CLOUDS = (".npy", ".csv")


@dataclass(frozen=True, slots=True)
class CameraPairResult:
    """Either the pose between two cameras with the lens of each, or how far their depth clouds are apart."""

    board: CameraPair | None = None
    left: Intrinsics | None = None
    right: Intrinsics | None = None
    depth: CloudPair | None = None
    warnings: tuple[Note, ...] = ()

    @property
    def exit_ok(self) -> bool:
        """Whether the protocol passes all of it."""
        parts = [part for part in (self.board, self.left, self.right, self.depth) if part is not None]
        return bool(parts) and all(part.status is Status.PASSED for part in parts)

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema camera-pair/1."""
        named = {"pair": self.board, "left": self.left, "right": self.right, "depth": self.depth}
        found = {name: spell_out_facts(part) for name, part in named.items() if part is not None}
        return {"schema": "camera-pair/1", **found, **spell_out_facts({"warnings": self.warnings})}


def compare_two_cameras(
    workspace: Workspace | None,
    left: Path,
    right: Path,
    *,
    board: str = "",
    lens: Lens = Lens.PLUMB_BOB,
    precision: bool = False,
    track: Track = track_silently,
) -> CameraPairResult:
    """Find the pose between two cameras, or compare their point clouds.

    With a board: two folders of pictures taken at the same moments, in the same order of names. Without one: two point
    clouds in one frame, as .npy (… × 3) or .csv (x, y, z), in metres.

    Arguments:
        left: folder of pictures, or a point cloud
        right: the pictures or the point cloud of the other camera
        board: the board that both see, such as checkerboard:9x6:25mm
        lens: the lens model of both cameras
        precision: judge both lenses by the limit for precision tasks
    """
    rules = workspace.protocol() if workspace else default_protocol()
    if not board:
        return CameraPairResult(depth=compare_clouds(_read_point_cloud(left), _read_point_cloud(right), rules))
    shown = lenses.parse_board(board)
    looks = [_detect_boards(folder, shown, track) for folder in (left, right)]
    if len(looks[0]) != len(looks[1]):
        raise BadInput(
            f"{left} holds {len(looks[0])} pictures and {right} {len(looks[1])}; each picture needs a partner."
        )
    return _fit_camera_pair_to_boards(looks[0], looks[1], shown, rules, lens=lens, precision=precision)


def _fit_camera_pair_to_boards(
    left: list[Look], right: list[Look], board: Board, rules: CollectionProtocol, *, lens: Lens, precision: bool
) -> CameraPairResult:
    fitted = [
        lenses.calibrate_intrinsics(looks, board, rules, precision=precision, lens=lens) for looks in (left, right)
    ]
    if not all(found.camera_matrix for found in fitted):
        return CameraPairResult(left=fitted[0], right=fitted[1])
    names = [f"{a.name} + {b.name}" for a, b in zip(left, right, strict=True)]
    usable = [
        {
            name: look.sighting
            for name, look in zip(names, looks, strict=True)
            if look.sighting and (look.width, look.height) == (found.width, found.height)
        }
        for looks, found in zip((left, right), fitted, strict=True)
    ]
    pair = fit_pair(usable[0], usable[1], (fitted[0], fitted[1]), rules)
    ambiguous = note("calibrate.turned_board", board=str(board))
    return CameraPairResult(pair, fitted[0], fitted[1], warnings=(ambiguous,) if board.looks_alike_turned else ())


def _detect_boards(folder: Path, board: Board, track: Track) -> list[Look]:
    files = list_picture_files([folder])
    looks = []
    for file in track(files, f"looking for the board in {folder.name}", len(files)):
        picture = read_picture(file)
        looks.append(
            lenses.make_unreadable_look(file.name)
            if picture is None
            else lenses.find_board_in_picture(picture, board, file.name)
        )
    return looks


def _read_point_cloud(file: Path) -> Floats:
    if not file.is_file():
        raise BadInput(f"{file} is not a point cloud. For pictures, name the board: --board checkerboard:9x6:25mm")
    if file.suffix.lower() not in CLOUDS:
        raise BadInput(f"{file.name} is not a readable point cloud. Write it as {' or '.join(CLOUDS)}, in metres.")
    try:
        if file.suffix.lower() == ".npy":
            return np.asarray(np.load(file, allow_pickle=False), dtype=float)
        return np.atleast_2d(np.genfromtxt(file, delimiter=",", names=None, skip_header=_count_header_lines(file)))
    except (ValueError, EOFError) as wrong:
        raise BadInput(f"{file.name} cannot be read as points: {wrong}.") from wrong


def _count_header_lines(file: Path) -> int:
    """Return the number of header lines."""
    with open_text(file) as text:
        first = text.readline().split(",")[0].strip()
    try:
        float(first)
    except ValueError:
        return 1
    return 0
