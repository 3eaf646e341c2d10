"""Check of coverage: every level of the environment, and the whole work area."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.naming import MOST_NAMED, note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.traits import read_label
from fieldloop.errors import ProtocolError
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note

Floats = NDArray[np.float64]
FULL_TURN_DEG = 360.0  # yaw is compared modulo a full turn
AXES = {"x_m": "task.cover_x_m", "y_m": "task.cover_y_m", "yaw_deg": "task.cover_yaw_deg"}
"""The protocol's settings for the range of each axis."""


@check(
    "batch.coverage",
    unit="share of what was asked",
    needs=("episodes",),
)
def measure_condition_coverage(batch: Batch) -> Iterator[Measurement]:
    """Which share of the required levels, positions and orientations was covered?

    Levels are those of `[balance.…]` with a share above zero. The work area is `task.cover_x_m`, `task.cover_y_m` and
    `task.cover_yaw_deg`: each range is cut into cells, and a cell counts once `min_each` grasps fell into it.
    """
    least = batch.read_parameter("batch.coverage", "min_each")
    for asked in batch.protocol.balance.values():
        if not any(read_label(e, asked.over) for e in batch.episodes):
            continue
        counts = Counter(read_label(e, asked.over) for e in batch.episodes)
        wanted = [name for name, share in asked.shares.items() if share > 0.0]
        missing = [name for name in wanted if counts[name] < least]
        place = note("check.levels_missing", levels=note_listed_names(missing, MOST_NAMED)) if missing else None
        yield Measurement(Subject(aspect=asked.over), 1.0 - len(missing) / len(wanted), place)
    yield from _measure_area_coverage(batch, int(batch.read_parameter("batch.coverage", "cells")), least)


def _measure_area_coverage(batch: Batch, cell_count: int, min_visits: float) -> Iterator[Measurement]:
    asked = _list_required_ranges(batch)
    poses = collect_grasp_poses(batch)
    if asked and not len(poses):
        yield Measurement(Subject(aspect="grasp"), UNKNOWN, cannot_tell=note("check.no_grasp_poses"))
        return
    for subject, axes in (("position", ("x_m", "y_m")), ("orientation", ("yaw_deg",))):
        ranges = {axis: asked[axis] for axis in axes if axis in asked}
        if ranges:
            columns = {"x_m": poses[:, 0], "y_m": poses[:, 1], "yaw_deg": compute_yaw_deg(poses)}
            yield _measure_visited_cells(subject, columns, ranges, cell_count, min_visits)


def _list_required_ranges(batch: Batch) -> dict[str, tuple[float, float]]:
    """The ranges that grasps should cover, by axis; an empty one requires nothing."""
    ranges: dict[str, tuple[float, float]] = {}
    for axis, name in AXES.items():
        ends: Sequence[float] = batch.protocol.setting(name)
        if len(ends) not in (0, 2) or any(low >= high for low, high in pairwise(ends)):
            raise ProtocolError(f"{name} = {list(ends)} should be two numbers, the lower one first.")
        if len(ends):
            ranges[axis] = (float(ends[0]), float(ends[1]))
    return ranges


def _measure_visited_cells(
    subject: str,
    columns: Mapping[str, Floats],
    ranges: Mapping[str, tuple[float, float]],
    cell_count: int,
    min_visits: float,
) -> Measurement:
    """Divide the required ranges into cells, and count those visited often enough."""
    where = []
    for name, (low, high) in ranges.items():
        values = columns[name]
        if name == "yaw_deg":
            values = low + np.mod(values - low, FULL_TURN_DEG)
        where.append((values - low) / (high - low))
    at = np.stack(where, axis=1)
    inside = at[np.all((at >= 0.0) & (at < 1.0), axis=1)]
    counts = Counter(map(tuple, np.floor(inside * cell_count).astype(int).tolist()))
    total = cell_count ** len(ranges)
    visited = sum(1 for count in counts.values() if count >= min_visits)
    outside = len(at) - counts.total()
    place = note("check.cells_visited", visited=visited, cells=total, grasps=len(at), outside=outside or None)
    return Measurement(Subject(aspect=subject), visited / total, place)


def collect_grasp_poses(batch: Batch) -> Floats:
    """Return the tool's pose at contact, a row per episode that has one."""
    rows = []
    for episode in batch.episodes:
        for _, pose in batch.find_imprint(episode.id).list_arrays_under("grasp/tool"):
            if pose.shape == (7,) and np.all(np.isfinite(pose)):
                rows.append(np.asarray(pose, dtype=np.float64))
                break
    return np.stack(rows) if rows else np.empty((0, 7))


def compute_yaw_deg(poses: Floats) -> Floats:
    """Return each pose's yaw in degrees, from its quaternion xyzw.

    >>> compute_yaw_deg(np.asarray([[0, 0, 0, 0, 0, 0.5**0.5, 0.5**0.5]])).round(6).tolist()
    [90.0]
    """
    x, y, z, w = poses[:, 3:].T
    return np.asarray(np.degrees(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))))
