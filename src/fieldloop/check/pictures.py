"""One look through a camera's frames at bounded cost, shared by all checks that ask about pixels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.stream import Stream

BLOCKS = 16
"""Frames are compared in this many rows and columns of blocks: a small arm that moves changes one block a lot."""

PIXELS_A_BLOCK = 8
NO_CHANGE_KNOWN = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What was seen in the frames looked at: which, how bright, and how far each differs from the one before."""

    indices: NDArray[np.int64]
    decoded: NDArray[np.bool_]
    level: NDArray[np.float64]
    change: NDArray[np.float64]
    stride: int


def scan(case: Case, stream: Stream) -> Scan:
    """Look through a stream's frames: every one, or evenly spaced ones where there are more than the protocol says."""
    return case.keep(("scan", stream.name), lambda: _scan(case, stream))  # type: ignore[no-any-return] # kept as made


def _scan(case: Case, stream: Stream) -> Scan:
    assert stream.pictures is not None
    count = min(len(stream), len(stream.pictures))
    stride = max(1, -(-count // int(case.protocol.setting("episode.max_scanned_frames"))))
    indices = np.arange(0, count, stride)
    decoded, level, change = (
        np.zeros(len(indices), bool),
        np.full(len(indices), np.nan),
        np.full(len(indices), NO_CHANGE_KNOWN),
    )
    before: NDArray[np.float32] | None = None
    for number, frame in enumerate(stream.pictures.frames(indices.tolist())):
        if not frame.size:
            before = None
            continue
        small = _thin(frame)
        decoded[number], level[number] = True, float(np.nanmean(small)) if np.isfinite(small).any() else np.nan
        if before is not None and before.shape == small.shape:
            change[number] = _largest_change(before, small)
        before = small
    return Scan(indices, decoded, level, change, stride)


def _thin(frame: NDArray[np.generic]) -> NDArray[np.float32]:
    """Take every so many pixels; colours become their mean."""
    step = max(1, min(frame.shape[:2]) // (BLOCKS * PIXELS_A_BLOCK))
    thin = frame[::step, ::step].astype(np.float32)
    return thin.mean(axis=2) if thin.ndim == 3 else thin  # noqa: PLR2004 - rows, columns, colours


def _largest_change(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    difference = np.abs(one - other)
    rows, columns = (np.linspace(0, n, min(BLOCKS, n) + 1).astype(int) for n in difference.shape)
    sums = np.add.reduceat(np.add.reduceat(np.nan_to_num(difference), rows[:-1], axis=0), columns[:-1], axis=1)
    areas = np.outer(np.diff(rows), np.diff(columns))
    return float((sums / areas).max())
