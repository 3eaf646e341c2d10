"""One look through a camera's frames at bounded cost, shared by all checks that ask about pixels."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.stream import Stream

BLOCKS = 16
"""Frames are compared in this many rows and columns of blocks: a small arm that moves changes one block a lot."""

PIXELS_A_BLOCK = 8
NO_CHANGE_KNOWN = np.inf
Thin = NDArray[np.float32]


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
    decoded, level = np.zeros(len(indices), bool), np.full(len(indices), np.nan)
    change = np.full(len(indices), NO_CHANGE_KNOWN)
    before: Thin | None = None
    for number, frame in enumerate(stream.pictures.frames(indices.tolist())):
        if not frame.size:
            before = None
            continue
        now = _thin(frame)
        decoded[number], level[number] = True, float(now.mean())
        if before is not None and before.shape == now.shape:
            change[number] = _largest_change(before, now)
        before = now
    return Scan(indices, decoded, level, change, stride)


def _thin(frame: NDArray[Any]) -> Thin:
    """Take every so many pixels; colours become their mean, a distance that is not known 0."""
    step = max(1, min(frame.shape[:2]) // (BLOCKS * PIXELS_A_BLOCK))
    thin = frame[::step, ::step]
    if thin.ndim == 2:  # noqa: PLR2004 - rows and columns alone
        return np.nan_to_num(thin.astype(np.float32))
    red, green, blue = (thin[:, :, colour].astype(np.float32) for colour in range(3))
    return (red + green + blue) / np.float32(3)


def _largest_change(one: Thin, other: Thin) -> float:
    """Return the mean difference of the block that changed most."""
    rows, columns, areas = _blocks(one.shape[0], one.shape[1])
    sums = np.add.reduceat(np.add.reduceat(np.abs(one - other), rows, axis=0), columns, axis=1)
    return float((sums / areas).max())


@cache
def _blocks(height: int, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    rows, columns = (np.linspace(0, n, min(BLOCKS, n) + 1).astype(np.int64) for n in (height, width))
    return rows[:-1], columns[:-1], np.outer(np.diff(rows), np.diff(columns))
