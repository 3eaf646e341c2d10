"""Compare frames of one number before and after: is a row's frame its own, or that of a neighbour?"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.finding import Status
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import FrameSource
from fieldloop.protocol import Section

BRIGHTEST = 255.0


def compare_frames(
    about: Subject,
    was: FrameSource,
    is_now: FrameSource,
    samples: NDArray[np.int64],
    rows: NDArray[np.int64],
    settings: Section,
) -> tuple[Status, Note]:
    """Judge whether each frame is nearest to the frame of its own number; CANNOT_TELL where none can be compared."""
    chosen = np.unique(np.linspace(0, len(rows) - 1, int(settings.number("compared_frames"))).round().astype(int))
    wanted = samples[chosen]
    around = {int(k) + step for k in wanted for step in (-1, 0, 1) if 0 <= k + step < len(was)}
    before, after = _decode_frames(was, around), _decode_frames(is_now, rows[chosen].tolist())
    pairs = [pair for pair in zip(rows[chosen].tolist(), wanted.tolist(), strict=True) if pair[1] in before]
    unreadable = sum(row not in after for row, _ in pairs)
    if unreadable:
        return Status.FAILED, note("release.frames_unreadable", about=about, frames=unreadable, compared=len(pairs))
    pairs = [(row, sample) for row, sample in pairs if after[row].shape == before[sample].shape]
    if not pairs:
        return Status.CANNOT_TELL, note("release.not_compared", about=about)
    least_change = settings.number("least_change_levels")
    found = [_is_shifted(after[row], before, sample, least_change) for row, sample in pairs]
    shifted, judged = found.count(True), len(found) - found.count(None)
    if shifted * 2 > judged:
        return Status.FAILED, note("release.frames_shifted", about=about, frames=shifted, compared=judged)
    least_db, worst_db = settings.number("least_psnr_db"), min(_compute_psnr_db(after[k], before[i]) for k, i in pairs)
    if worst_db < least_db:
        return Status.FAILED, note("release.frames_differ", about=about, psnr_db=worst_db, least_db=least_db)
    return Status.PASSED, note("release.frames_same", about=about)


def _is_shifted(
    frame: NDArray[Any], before: Mapping[int, NDArray[Any]], sample: int, least_change: float
) -> bool | None:
    """Is a frame nearer to a neighbour than to the frame of its own number? None where all of them look alike."""
    own = before[sample]
    others = [before[k] for k in (sample - 1, sample + 1) if k in before and before[k].shape == own.shape]
    others = [other for other in others if _compute_difference(other, own) > least_change]
    return (
        any(_compute_difference(frame, other) < _compute_difference(frame, own) for other in others) if others else None
    )


def _decode_frames(source: FrameSource, indices: Iterable[int]) -> dict[int, NDArray[Any]]:
    """Return frames by number as 8-bit levels or metres; those that cannot be decoded are left out."""
    wanted = sorted(set(indices))
    frames = zip(wanted, source.frames(wanted), strict=False)
    return {index: np.nan_to_num(frame.astype(np.float32)) for index, frame in frames if frame.size}


def _compute_difference(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(np.abs(one - other).mean())


def _compute_psnr_db(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return the peak signal-to-noise ratio; infinite for equal frames, and for distances, which have no peak."""
    squared = float(((one - other) ** 2).mean())
    return float("inf") if squared == 0 or one.ndim == 2 else 10 * np.log10(BRIGHTEST**2 / squared)  # noqa: PLR2004
