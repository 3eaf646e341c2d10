"""The size of the board in pictures: a smaller pattern is found inside a larger one, a wrong size not at all.

Another size is proposed, never applied: poses read from part of a board start at another corner in every picture.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.intrinsics.board import DICTIONARIES, Board, BoardKind
from fieldloop.calibrate.intrinsics.detect import Grey, Sighting, detect_board, make_charuco_board, refine_corners
from fieldloop.geometry.transforms import Floats

CORNER_CONTRAST = 0.75
"""Relative to inner corners. Where the pattern ends, two of four squares are missing, and half of the contrast."""
FURTHEST = 8
"""Lines looked for beyond each side."""
REACH = 0.3
"""How far from a corner its four squares are sampled, in squares."""
TRIED_PICTURES = 8  # takes seconds; more pictures add nothing
SMALLEST = (3, 3)  # what OpenCV's detector accepts
PROMISING = 3
"""Sizes that are tried in full, of those that pictures suggest."""


def find_larger_board(counted_sizes: Sequence[tuple[int, int]], board: Board) -> Board | None:
    """Return the board of which only a part was counted, None where the pattern ends where it should.

    `counted_sizes` are the sizes that the pattern really has in each picture; most must agree.
    """
    if board.kind is not BoardKind.CHECKERBOARD or not counted_sizes:
        return None
    size, votes = Counter(counted_sizes).most_common(1)[0]
    if size == board.corners or 2 * votes <= len(counted_sizes):
        return None
    return board.with_counts(*size)


def count_board_lines(picture: Grey, sighting: Sighting, board: Board) -> tuple[int, int]:
    """Grow the corners found on each side for as long as there are more, and return how many lines there are."""
    if board.kind is BoardKind.CHARUCO:  # its corners are numbered
        return board.corners
    across, down = board.corners
    grid = sighting.pixels.reshape(down, across, 2)
    usual = float(np.median(_measure_contrast(picture, grid)))
    for turn in range(4):  # each side in turn becomes the one below the last row
        grid = np.rot90(grid, turn)
        for _ in range(FURTHEST):
            more = _find_next_row(picture, grid, usual)
            if more is None:
                break
            grid = np.concatenate([grid, more[None]])
        grid = np.rot90(grid, -turn)
    return grid.shape[1], grid.shape[0]


def find_shown_board(pictures: Sequence[Grey], board: Board) -> tuple[Board, int] | None:
    """Return a board that pictures show instead of the one asked for, and in how many; None where there is none.

    It takes seconds for `TRIED_PICTURES`; more pictures add nothing.
    """
    likely = (
        _list_likely_charuco_boards(pictures, board)
        if board.kind is BoardKind.CHARUCO
        else _list_likely_checkerboards(pictures, board)
    )
    counts = [(sum(detect_board(picture, other) is not None for picture in pictures), other) for other in likely]
    best, shown = max(counts, key=lambda c: c[0], default=(0, board))
    return (shown, best) if best else None


def _find_next_row(picture: Grey, grid: Floats, usual_contrast: float) -> Floats | None:
    ahead = 3 * grid[-1] - 3 * grid[-2] + grid[-3]  # bent like the rows before it
    inside = (ahead >= 0).all() and (ahead <= [picture.shape[1] - 1, picture.shape[0] - 1]).all()
    if not inside:
        return None
    grown = np.concatenate([grid, ahead[None]])
    if np.median(_measure_contrast(picture, grown)[-1]) < CORNER_CONTRAST * usual_contrast:
        return None
    whole = refine_corners(picture, grown.reshape(-1, 2))
    return np.asarray(whole.reshape(grown.shape)[-1])


def _measure_contrast(picture: Grey, grid: Floats) -> Floats:
    """Return how much brighter two opposite squares are than the other two at each corner, in grey levels."""
    across, down = np.gradient(grid, axis=1), np.gradient(grid, axis=0)
    levels = [
        _sample_grey_levels(picture, grid + REACH * (a * across + d * down))
        for a, d in ((1, 1), (-1, -1), (1, -1), (-1, 1))
    ]
    return np.abs(levels[0] + levels[1] - levels[2] - levels[3]) / 2


def _sample_grey_levels(picture: Grey, positions: Floats) -> Floats:
    cells = np.clip(np.round(positions).astype(int), 0, [picture.shape[1] - 1, picture.shape[0] - 1])
    return np.asarray(picture[cells[..., 1], cells[..., 0]], dtype=float)


def _list_likely_checkerboards(pictures: Sequence[Grey], board: Board) -> list[Board]:
    import cv2

    votes: Counter[tuple[int, int]] = Counter()
    for picture in pictures:
        flags = cv2.CALIB_CB_LARGER | cv2.CALIB_CB_EXHAUSTIVE
        found, _, meta = cv2.findChessboardCornersSBWithMeta(picture, SMALLEST, flags)
        if found:
            rows, columns = sorted(meta.shape)
            votes[columns, rows] += 1
    return [board.with_counts(*size) for size, _ in votes.most_common(PROMISING) if size != board.corners]


def _list_likely_charuco_boards(pictures: Sequence[NDArray[np.uint8]], board: Board) -> list[Board]:
    """Sides swapped, the old layout, and dictionaries whose markers are really there."""
    import cv2

    marker_counts = {}
    for name in DICTIONARIES:
        detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name)))
        marker_counts[name] = sum(len(detector.detectMarkers(picture)[0]) for picture in pictures[:2])
    names = [
        board.dictionary,
        *(name for name in sorted(marker_counts, key=lambda n: -marker_counts[n])[:PROMISING] if marker_counts[name]),
    ]
    turned = [board, board.with_counts(board.rows, board.columns)]
    others = [replace(b, dictionary=n, legacy=old) for n in names for b in turned for old in (False, True)]
    return [b for b in others if b != board and _has_enough_markers(b)]


def _has_enough_markers(board: Board) -> bool:
    made = make_charuco_board(board)
    return len(made.getIds()) <= len(made.getDictionary().bytesList)
