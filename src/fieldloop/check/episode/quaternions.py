"""Check of the length of quaternions, which must be one."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.signal import find_signals
from fieldloop.check.signals.stamps import compute_stamp_time_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import Stream

NAME = "integrity.unit_quaternion"
PARTS = ("qx", "qy", "qz", "qw")


@check(
    NAME,
    unit="1",
    needs=("streams",),
    revision=2,
)
def measure_quaternion_length_error(case: Case) -> Iterator[Measurement]:
    """How far from length one is each quaternion at worst?

    Columns named qx, qy, qz and qw, with any prefix, are a quaternion. If most are longer than one, they are other
    numbers in a message for poses, such as errors of a controller: that is left open where the log names no protocol.
    """
    for rotating in find_signals(case):
        if len(rotating.stream.columns) > rotating.values.shape[1]:
            continue  # the number of names differs from that of the columns
        for name, columns in find_quaternion_columns(rotating.stream):
            length = np.linalg.norm(rotating.values[:, columns], axis=1)
            about = Subject(rotating.name, aspect=name)
            if not np.isfinite(length).any():
                yield Measurement(about, UNKNOWN, cannot_tell=note("check.nan_throughout"))
                continue
            if not length.any():
                yield Measurement(about, UNKNOWN, cannot_tell=note("check.zero_throughout"))
                continue
            away = np.abs(np.nan_to_num(length, nan=1.0) - 1.0)  # integrity.not_finite reports NaN
            worst = int(np.argmax(away))
            at_s = compute_stamp_time_s(case, rotating.stream, int(rotating.times_ns[worst]))
            place = note("check.quaternion_length", at_s=at_s, length=float(length[worst]))
            open_ = not case.collected_by_protocol and _is_mostly_longer(case, length)
            low, high = (0.0, float(away[worst])) if open_ else (None, None)
            yield Measurement(about, float(away[worst]), place, low=low, high=high, at_s=at_s)


def _is_mostly_longer(case: Case, lengths: NDArray[np.float64]) -> bool:
    """Are most lengths too large? Averages and filtered rotations are shorter than one, other numbers may be longer."""
    middle = float(np.nanmedian(lengths)) - 1.0
    return middle > 0 and not case.protocol.limits[NAME].admits(middle)


def find_quaternion_columns(stream: Stream) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield the prefix of qx … qw in the columns' names, and the indices of the four."""
    place = {name: index for index, name in enumerate(stream.columns)}
    for name in stream.columns:
        if name.endswith(PARTS[0]):
            before = name.removesuffix(PARTS[0])
            if all(f"{before}{part}" in place for part in PARTS):
                yield before.rstrip("._/"), np.asarray([place[f"{before}{part}"] for part in PARTS])
