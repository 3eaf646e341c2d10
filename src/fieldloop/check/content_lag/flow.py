"""Optical flow between two pictures, averaged over a coarse grid.

Flow is computed in both directions, from the earlier picture to the later and back, and averaged: flow in one direction
belongs to the pixels where things *were*, and a camera that sees an arm slow down would seem to run early.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

COLUMNS, ROWS = 8, 6  # cells of 16 × 16 pixels: a gripper fills a few of them
CELLS = COLUMNS * ROWS
WIDTH, HEIGHT = 128, 96
"""Size of the pictures: small enough that flow costs less than decoding, large enough to keep a gripper's motion."""

HEIGHT_OF_ROW = (-0.355, -0.27, -0.097, 0.097, 0.27, 0.355)
"""Effective distance of each row of cells below the centre, in picture heights. The flow search smooths over a third of
the picture, so the outermost rows act nearer to the centre than they lie. Measured on pictures sheared by a known
amount."""

HEIGHT_OF_CELL: NDArray[np.float64] = np.tile(np.repeat(np.array(HEIGHT_OF_ROW), COLUMNS), 2)
"""The same for each number of a row of flow."""

RGB_DIMENSIONS = 3  # rows, columns, colours


def compute_optical_flow(frames: Iterable[NDArray[Any]]) -> NDArray[np.float32]:
    """Return a row per pair of successive pictures: mean flow across, then down, of each cell, in pixels of 128 × 96.

    A picture that cannot be decoded arrives empty; the rows on both sides of it are NaN.
    """
    import cv2

    search: Any = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST)
    rows: list[NDArray[np.float32]] = []
    before: NDArray[np.uint8] | None = None
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # on pictures this small more threads cost more than they save, and would change the flow
    try:
        for number, frame in enumerate(frames):
            now = _shrink_to_gray(frame)
            if number:
                rows.append(
                    _make_unknown_flow()
                    if before is None or now is None
                    else _compute_symmetric_flow(search, before, now)
                )
            before = now
    finally:
        cv2.setNumThreads(threads)
    return np.stack(rows) if rows else np.empty((0, 2 * CELLS), np.float32)


def _compute_symmetric_flow(
    flow_estimator: Any, before: NDArray[np.uint8], after: NDArray[np.uint8]
) -> NDArray[np.float32]:
    there, back = flow_estimator.calc(before, after, None), flow_estimator.calc(after, before, None)
    return _average_flow_by_cell((there - back) / 2)


def _average_flow_by_cell(flow: NDArray[np.float32]) -> NDArray[np.float32]:
    import cv2

    means = cv2.resize(flow, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA)
    return np.asarray(means, np.float32).reshape(CELLS, 2).T.ravel()


def _shrink_to_gray(frame: NDArray[Any]) -> NDArray[np.uint8] | None:
    import cv2

    if not frame.size:
        return None
    small = frame
    if frame.shape[:2] != (HEIGHT, WIDTH):
        small = cv2.resize(frame, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    if small.ndim == RGB_DIMENSIONS and small.shape[2] == RGB_DIMENSIONS:
        small = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    return np.asarray(small, np.uint8).reshape(HEIGHT, WIDTH)


def _make_unknown_flow() -> NDArray[np.float32]:
    return np.full(2 * CELLS, np.nan, np.float32)
