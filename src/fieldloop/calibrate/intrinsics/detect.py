"""Detection of a board in a picture: its corners to a fraction of a pixel, or None."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.intrinsics.board import Board, BoardKind
from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats

Grey = NDArray[np.uint8]

SEARCHED_PX = 1280
"""A board is searched for in a picture no longer than this, and refined in the full one."""
WINDOW_SHARE = 0.3
"""Half the refining window against the distance to the next corner: a wider one would see the neighbours."""
MARKER_SHARE = 0.6
"""The same against the distance to the nearest marker of a ChArUco board."""
LEAST_PX, MOST_PX = 2, 11  # a smaller window holds only blur; 11 is the one of OpenCV's examples
MARKER_LEAST_PX = 3
"""A smaller window holds only blur; a marker at its rim does less harm."""
REFINEMENT = (3, 60, 1e-4)  # stop after 60 rounds or at a ten-thousandth of a pixel
MIN_CORNERS = 6
"""Of a partly seen ChArUco board; four points always fit a plane, so they would show no error."""
CHANNELS = 3  # of a colour picture
SMALLEST_PX = 4
"""A square narrower than this has no corners."""


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """The board in one picture: its corners in the board's frame (n × 3, m) and in the picture (n × 2, px)."""

    name: str
    board_points: Floats
    pixels: Floats
    corner_ids: NDArray[np.int64]


def convert_to_grey(picture: NDArray[Any]) -> Grey:
    """Return a picture in grey, 8 bit; deeper pixels are stretched from their darkest to their brightest."""
    import cv2

    pixels = np.asarray(picture)
    if pixels.ndim == CHANNELS and pixels.shape[2] in (1, CHANNELS):
        pixels = pixels[..., 0] if pixels.shape[2] == 1 else pixels.astype(np.float32) @ [0.299, 0.587, 0.114]
    if pixels.ndim != 2 or pixels.size == 0:  # noqa: PLR2004  rows and columns
        raise BadInput(f"A picture is H × W or H × W × 3; got {np.shape(picture)}.")
    if pixels.dtype == np.uint8:
        return np.ascontiguousarray(pixels)
    if np.asarray(picture).dtype == np.uint8:
        return np.ascontiguousarray(np.round(pixels).astype(np.uint8))
    finite = np.nan_to_num(pixels.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(cv2.normalize(finite, None, 0, 255, cv2.NORM_MINMAX, cv2.CV_8U))


def detect_board(picture: NDArray[Any], board: Board, name: str = "") -> Sighting | None:
    """Return the board in a picture, None where it does not show."""
    image = convert_to_grey(picture)
    if board.kind is BoardKind.CHARUCO:
        return _detect_charuco(image, board, name)
    corners = _detect_checkerboard(image, board.corners)
    if corners is None:
        return None
    return Sighting(name, board.points(), corners, np.arange(len(corners)))


def refine_corners(
    image: Grey, corners: Floats, window_share: float = WINDOW_SHARE, min_window_px: int = LEAST_PX
) -> Floats:
    """Move corners to where the edges through them cross, seen through a window of a share of their distance."""
    import cv2

    half = int(np.clip(window_share * _find_shortest_distance(corners), min_window_px, MOST_PX))
    moved = cv2.cornerSubPix(image, corners.astype(np.float32).reshape(-1, 1, 2), (half, half), (-1, -1), REFINEMENT)
    return np.asarray(moved, dtype=float).reshape(-1, 2)


def _detect_checkerboard(image: Grey, shape: tuple[int, int]) -> Floats | None:
    """Find with the classical detector, else with the sector based one, which sees blurred boards that it misses."""
    import cv2

    if min(image.shape) < SMALLEST_PX * max(shape):
        return None  # too small for its squares; the detector would fail
    scale = min(1.0, SEARCHED_PX / max(image.shape))
    small = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    flags = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE
    found, corners = cv2.findChessboardCorners(small, shape, flags=flags)
    if not found:
        found, corners = cv2.findChessboardCornersSB(small, shape)
    if not found:
        return None
    at = (np.asarray(corners, dtype=float).reshape(-1, 2) + 0.5) / scale - 0.5
    return _order_corners(image, refine_corners(image, at), shape)


def _find_shortest_distance(corners: Floats) -> float:
    """Return the shortest distance between two corners, in pixels."""
    apart = np.linalg.norm(corners[:, None] - corners[None], axis=-1)
    return float(apart[~np.eye(len(corners), dtype=bool)].min())


def _order_corners(image: Grey, corners: Floats, shape: tuple[int, int]) -> Floats:
    """Begin at the end whose first square is dark, so that every picture of a board counts its corners alike.

    A board with an even sum of corners looks the same from both ends; its order stays as it was found.
    """
    across, down = shape
    if (across + down) % 2 == 0:
        return corners
    grid = corners.reshape(down, across, 2)
    middles = (grid[:-1, :-1] + grid[:-1, 1:] + grid[1:, :-1] + grid[1:, 1:]) / 4
    at = np.clip(np.round(middles).astype(int), 0, [image.shape[1] - 1, image.shape[0] - 1])
    levels = image[at[..., 1], at[..., 0]].astype(float)
    even = np.add.outer(np.arange(down - 1), np.arange(across - 1)) % 2 == 0
    return corners if levels[even].mean() <= levels[~even].mean() else corners[::-1].copy()


def _detect_charuco(image: Grey, board: Board, name: str) -> Sighting | None:
    import cv2

    corners, ids, _, _ = cv2.aruco.CharucoDetector(make_charuco_board(board)).detectBoard(image)
    if ids is None or len(ids) < MIN_CORNERS:
        return None
    numbers = np.asarray(ids, dtype=np.int64).ravel()
    points = board.points()[numbers]
    spread = np.linalg.svd((points - points.mean(axis=0))[:, :2], compute_uv=False)
    if spread[1] < board.square_m / 2:
        return None  # corners on one line fix no pose
    free = (1 - board.marker_m / board.square_m) / 2  # from a corner to the nearest marker, in squares
    pixels = refine_corners(
        image, np.asarray(corners, dtype=float).reshape(-1, 2), MARKER_SHARE * free, MARKER_LEAST_PX
    )
    return Sighting(name, points, pixels, numbers)


def make_charuco_board(board: Board) -> Any:
    """Return OpenCV's form of a ChArUco board."""
    import cv2

    markers = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, board.dictionary))
    made = cv2.aruco.CharucoBoard((board.columns, board.rows), board.square_m, board.marker_m, markers)
    made.setLegacyPattern(board.legacy)
    return made
