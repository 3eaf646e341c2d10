"""Whether the pictures come from one camera: two similar ones fit one lens fairly well, which is right for neither."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.held_out import FEWEST, HeldOut, measure_held_out_error
from fieldloop.calibrate.intrinsics.lens import Lens, LensFit, compute_rms, fit_lens
from fieldloop.calibrate.intrinsics.lens_choice import are_significantly_smaller
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True)
class SeveralCameras:
    """Groups of pictures by what their names share, the focal length of each, and the error with and without."""

    focal_px: dict[str, float]
    together_px: float
    apart_px: float

    @property
    def reason(self) -> Note:
        """Return why this set cannot be judged."""
        each = " and ".join(f"{focal:.1f} px for {name!r}" for name, focal in self.focal_px.items())
        return note(
            "calibrate.several_cameras", cameras=len(self.focal_px), apart_px=self.apart_px,
            together_px=self.together_px, focal=each,
        )  # fmt: skip


def detect_several_cameras(
    sightings: Sequence[Sighting], size: tuple[int, int], lens: Lens, protocol: CollectionProtocol
) -> SeveralCameras | None:
    """Return the cameras that file names separate and the pictures confirm, None where one camera explains all.

    A group fitted alone has fewer pictures, so it predicts held-out ones worse unless it is a camera of its own.
    """
    folds = int(protocol.setting("calibration.intrinsics_folds"))
    most = 1 - float(protocol.setting("calibration.intrinsics_split_gain"))
    confidence = float(protocol.setting("calibration.confidence"))
    most_cameras = int(protocol.setting("calibration.intrinsics_max_cameras"))
    groupings = list(_list_groupings_of_file_names([s.name for s in sightings], most_cameras))
    together = fit_lens(sightings, size, lens) if groupings else None
    predicted = measure_held_out_error(sightings, size, lens, folds) if together else None
    for grouping in groupings:
        if together is None or predicted is None:
            return None
        parts = [[sightings[n] for n in rows] for rows in grouping.values()]
        alone = [fit_lens(part, size, lens) for part in parts]
        fitted = [each for each in alone if each is not None]
        if len(fitted) < len(parts) or _compute_joint_rms_px(fitted) > most * together.rms_px:
            continue
        tried = [measure_held_out_error(part, size, lens, folds) for part in parts]
        apart = _merge_held_out(grouping, [each for each in tried if each is not None])
        if apart is None or apart.rms_px > most * predicted.rms_px:
            continue
        if are_significantly_smaller(apart.rms_by_view_px, predicted.rms_by_view_px, confidence):
            focal = {name: float(one.matrix[0, 0]) for name, one in zip(grouping, fitted, strict=True)}
            return SeveralCameras(focal, predicted.rms_px, apart.rms_px)
    return None


def _list_groupings_of_file_names(names: Sequence[str], max_groups: int) -> Iterator[dict[str, list[int]]]:
    """Group pictures by each part of their names (folder, words, numbers) that takes at most so many values.

    >>> names = [f"{side}{n:02}.png" for side in ("left", "right") for n in range(5)]
    >>> [list(g) for g in _list_groupings_of_file_names(names, 4)]
    [['left', 'right']]
    """
    split = [_split_name(name) for name in names]
    for place in range(min(map(len, split), default=0)):
        groups: dict[str, list[int]] = {}
        for row, parts in enumerate(split):
            groups.setdefault(parts[place], []).append(row)
        if 2 <= len(groups) <= max_groups and min(map(len, groups.values())) > FEWEST:  # noqa: PLR2004  two or more
            yield groups


def _split_name(name: str) -> list[str]:
    """Cut a name where folders, words and numbers meet: the last number mostly counts pictures."""
    stem = name.rpartition(".")[0] or name
    return re.findall(r"\d+|[^\W\d_]+", stem)


def _compute_joint_rms_px(fitted: Sequence[LensFit]) -> float:
    return compute_rms(np.concatenate([left for one in fitted for left in one.residuals]))


def _merge_held_out(grouping: dict[str, list[int]], held_out_by_group: Sequence[HeldOut]) -> HeldOut | None:
    """Put the errors of all groups back into the order of the pictures; None where a group could not be tried."""
    if len(held_out_by_group) < len(grouping):
        return None
    order = np.argsort(np.concatenate([np.array(rows) for rows in grouping.values()]))
    squares, corners = (
        np.concatenate([getattr(t, part) for t in held_out_by_group])[order] for part in ("squares", "corners")
    )
    return HeldOut(squares, corners)
