"""The way the arm went, on a grid of its own progress: what makes two episodes near-duplicates, or two styles alike."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import imprinter
from fieldloop.model.stream import StreamKind

POINTS = 32


@imprinter("path", needs=("joints",))
def path(case: Case) -> dict[str, NDArray[np.float32]]:
    """Take each joint stream at evenly spaced moments from its first sample to its last: 32 rows a stream."""
    taken: dict[str, NDArray[np.float32]] = {}
    for stream in case.streams(StreamKind.JOINT_POSITION):
        values = stream.values
        if values is None or values.dtype.kind not in "fiu" or len(values) < 2:  # noqa: PLR2004 - a way has two ends
            continue
        flat = values.reshape(len(values), -1).astype(np.float64)
        at = stream.times_ns - stream.times_ns[0]
        moments = np.linspace(0, float(at[-1]), POINTS)
        taken[stream.name] = np.column_stack([np.interp(moments, at, column) for column in flat.T]).astype(np.float32)
    return taken
