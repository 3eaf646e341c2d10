"""Compare frames of one number before and after: is a row's frame its own, or that of a neighbour?"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import FrameSource
from fieldloop.protocol import Section

LEAST_CHANGE = 0.5  # grey levels between neighbours; below that they look the same
BRIGHTEST = 255.0


def compare_frames(
    about: Subject,
    was: FrameSource,
    is_now: FrameSource,
    samples: NDArray[np.int64],
    rows: NDArray[np.int64],
    settings: Section,
) -> Note | None:
    """Return what is wrong with the frames, None where each is nearest to the frame of its own number."""
    chosen = np.unique(np.linspace(0, len(rows) - 1, int(settings.number("compared_frames"))).round().astype(int))
    wanted = samples[chosen]
    around = {int(k) + step for k in wanted for step in (-1, 0, 1) if 0 <= k + step < len(was)}
    before, after = _decode(was, around), _decode(is_now, rows[chosen].tolist())
    shifted, judged, worst_db = 0, 0, np.inf
    for row, sample in zip(rows[chosen].tolist(), wanted.tolist(), strict=True):
        if row not in after or sample not in before or after[row].shape != before[sample].shape:
            continue
        own = _difference(after[row], before[sample])
        worst_db = min(worst_db, _psnr_db(after[row], before[sample]))
        others = [before[k] for k in (sample - 1, sample + 1) if k in before and before[k].shape == after[row].shape]
        others = [other for other in others if _difference(other, before[sample]) > LEAST_CHANGE]
        judged += bool(others)
        shifted += any(_difference(after[row], other) < own for other in others)
    if shifted * 2 > judged:
        return note("release.frames_shifted", about=about, frames=shifted, compared=judged)
    least_db = settings.number("least_psnr_db")
    if worst_db < least_db:
        return note("release.frames_differ", about=about, psnr_db=float(worst_db), least_db=least_db)
    return None


def _decode(source: FrameSource, indices: Iterable[int]) -> dict[int, NDArray[Any]]:
    """Return frames by number as 8-bit levels or metres; those that cannot be decoded are left out."""
    wanted = sorted(set(indices))
    frames = zip(wanted, source.frames(wanted), strict=False)
    return {index: np.nan_to_num(frame.astype(np.float32)) for index, frame in frames if frame.size}


def _difference(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(np.abs(one - other).mean())


def _psnr_db(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return the peak signal-to-noise ratio; infinite for equal frames, and for distances, which have no peak."""
    squared = float(((one - other) ** 2).mean())
    return float("inf") if squared == 0 or one.ndim == 2 else 10 * np.log10(BRIGHTEST**2 / squared)  # noqa: PLR2004
