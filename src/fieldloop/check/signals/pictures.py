"""One pass through a camera's frames at bounded cost, shared by all checks of pixels."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.frames import choose_frames_to_examine
from fieldloop.geometry.still_view import shrink_to_grey
from fieldloop.model.stream import Stream, StreamKind

BLOCKS = 16
"""Frames are compared in this many rows and columns of blocks: even a small moving arm changes one block a lot."""

PIXELS_A_BLOCK = 8  # 64 pixels average out the noise of a block
FEWEST_FOR_CONTRAST = 4  # a block with fewer rows or columns has no range of levels
ROWS_FOR_SHARPNESS = 48  # rows read at full width: a tenth of a VGA picture
SMALL_PICTURES = 12
"""Number of small grey frames kept, evenly spread: enough for a median without the arm in each half of an episode."""

NO_CHANGE_KNOWN = np.inf
Thin = NDArray[np.float32]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """Statistics of the examined frames: one number per frame.

    `level`: mean grey; `change`: how far it differs from the frame before (infinite where that was not examined);
    `motion`: how far the mean of a block differs, so that noise averages out (infinite likewise);
    `burnt`: share of pixels at the upper end of the range; `contrast`: of the block with the most; `sharpness`:
    strength of the strongest edges. `small` holds a few frames themselves, small and grey, all of one size.
    """

    indices: NDArray[np.int64]
    decoded: NDArray[np.bool_]
    level: Numbers
    change: Numbers
    motion: Numbers
    burnt: Numbers
    contrast: Numbers
    sharpness: Numbers
    small: tuple[NDArray[np.uint8], ...]


def find_colour_cameras(case: Case) -> Iterator[Stream]:
    """Yield the colour cameras that have frames."""
    return (s for s in case.find_streams(StreamKind.RGB) if s.pictures is not None and len(s.pictures))


def scan_colour_frames(case: Case, stream: Stream) -> Scan:
    """Examine a colour camera's frames, once for all checks."""
    return case.compute_once(("scan", stream.name), lambda: _compute_colour_scan(case, stream))


def _compute_colour_scan(case: Case, stream: Stream) -> Scan:
    assert stream.pictures is not None
    indices = choose_frames_to_examine(case, stream)
    follows = np.diff(indices, prepend=-2) == 1
    decoded = np.zeros(len(indices), bool)
    level, burnt, contrast, sharpness = np.full((4, len(indices)), np.nan)
    change, motion = np.full((2, len(indices)), NO_CHANGE_KNOWN)
    before: Thin | None = None
    white = case.read_parameter("vision.overexposed", "burnt_level")
    kept = set(np.linspace(0, len(indices) - 1, SMALL_PICTURES).astype(int).tolist())
    small: list[NDArray[np.uint8]] = []
    for number, frame in enumerate(stream.pictures.frames(indices.tolist())):
        if not frame.size:
            before = None
            continue
        now = _subsample_pixels(frame)
        decoded[number], level[number] = True, float(now.mean())
        burnt[number] = float((now >= white).mean())
        contrast[number] = _measure_largest_block_contrast(now[::2, ::2])  # every second pixel is enough to see an edge
        sharpness[number] = _measure_sharpness(frame)
        if follows[number] and before is not None and before.shape == now.shape:
            change[number], motion[number] = _measure_largest_block_changes(before, now)
        before = now
        if number in kept:
            small.append(shrink_to_grey(frame))
    alike = tuple(one for one in small if one.shape == small[0].shape)
    return Scan(indices, decoded, level, change, motion, burnt, contrast, sharpness, alike)


def _subsample_pixels(frame: NDArray[Any]) -> Thin:
    """Take every so many pixels; colours become their mean."""
    step = max(1, min(frame.shape[:2]) // (BLOCKS * PIXELS_A_BLOCK))
    thin = frame[::step, ::step]
    if thin.ndim == 2:  # noqa: PLR2004 - rows and columns alone
        return np.nan_to_num(thin.astype(np.float32))
    red, green, blue = (thin[:, :, colour].astype(np.float32) for colour in range(3))
    return (red + green + blue) / np.float32(3)


def _measure_sharpness(frame: NDArray[Any]) -> float:
    """Return the 99th percentile of the second difference of brightness along some rows, at full width.

    Strong edges show focus; the many pixels without an edge show noise and are not used.
    """
    step = max(1, frame.shape[0] // ROWS_FOR_SHARPNESS)
    rows = frame[step // 2 :: step] if frame.ndim == 2 else frame[step // 2 :: step, :, 1]  # noqa: PLR2004 - no colours
    rows = rows.astype(np.int16)
    if rows.shape[1] < 3:  # noqa: PLR2004 - a bend needs three
        return float("nan")
    bend = np.abs(2 * rows[:, 1:-1] - rows[:, :-2] - rows[:, 2:])
    return float(np.partition(bend.ravel(), -(bend.size // 100 + 1))[-(bend.size // 100 + 1)])


def _measure_largest_block_changes(first: Thin, second: Thin) -> tuple[float, float]:
    """Return the largest mean difference of any block's pixels, and the largest difference of any block's mean."""
    rows, columns, areas = _divide_into_blocks(first.shape[0], first.shape[1])
    moved = second - first
    largest = (
        float((np.abs(np.add.reduceat(np.add.reduceat(by, rows, axis=0), columns, axis=1)) / areas).max())
        for by in (np.abs(moved), moved)
    )
    return next(largest), next(largest)


def _measure_largest_block_contrast(thin_frame: Thin) -> float:
    """Return the largest range of grey levels of any block."""
    rows, columns, _ = _divide_into_blocks(thin_frame.shape[0], thin_frame.shape[1], FEWEST_FOR_CONTRAST)
    high = np.maximum.reduceat(np.maximum.reduceat(thin_frame, rows, axis=0), columns, axis=1)
    low = np.minimum.reduceat(np.minimum.reduceat(thin_frame, rows, axis=0), columns, axis=1)
    return float((high - low).max())


@cache
def _divide_into_blocks(
    height: int, width: int, min_pixels: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return where blocks begin and their sizes; none has fewer rows or columns of pixels than given."""
    counts = (max(1, min(BLOCKS, n // min_pixels)) for n in (height, width))
    rows, columns = (np.linspace(0, n, c + 1).astype(np.int64) for n, c in zip((height, width), counts, strict=True))
    return rows[:-1], columns[:-1], np.outer(np.diff(rows), np.diff(columns))
