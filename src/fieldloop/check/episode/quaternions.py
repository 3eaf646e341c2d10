"""Are rotations rotations?"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.signal import signals
from fieldloop.check.episode.stamps import moment_of, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import Stream

PARTS = ("qx", "qy", "qz", "qw")


@check(
    "integrity.unit_quaternion",
    unit="1",
    needs=("streams",),
    advice="Look for rotations that were averaged, interpolated or filtered number by number, or never set.",
)
def unit_quaternion(case: Case) -> Iterator[Measurement]:
    """How far from length one is each quaternion at worst?

    Columns called qx, qy, qz and qw, whatever stands before, are a quaternion.
    """
    for one in signals(case):
        if len(one.stream.columns) > one.values.shape[1]:
            continue  # names that do not fit the numbers name nothing
        for name, columns in quaternions(one.stream):
            length = np.linalg.norm(one.values[:, columns], axis=1)
            subject = f"{one.name}/{name}" if name else one.name
            if not np.isfinite(length).any():
                yield Measurement(subject, float("nan"), cannot_tell="it is no number throughout.")
                continue
            if not length.any():
                yield Measurement(subject, float("nan"), cannot_tell="it is zero throughout: nobody set it.")
                continue
            away = np.abs(np.nan_to_num(length, nan=1.0) - 1.0)  # NaN is the matter of integrity.not_finite
            worst = int(np.argmax(away))
            at_s = moment_of(case, one.stream, int(one.times_ns[worst]))
            yield Measurement(subject, float(away[worst]), f"{said(at_s)} (length {length[worst]:.4g})", at_s=at_s)


def quaternions(stream: Stream) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield what stands before qx … qw in the columns' names, and where the four are."""
    place = {name: index for index, name in enumerate(stream.columns)}
    for name in stream.columns:
        if name.endswith(PARTS[0]):
            before = name.removesuffix(PARTS[0])
            if all(f"{before}{part}" in place for part in PARTS):
                yield before.rstrip("._/"), np.asarray([place[f"{before}{part}"] for part in PARTS])
