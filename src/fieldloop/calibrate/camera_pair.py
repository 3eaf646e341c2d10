"""The pose between two cameras, fitted to a board that both see at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fieldloop.calibrate.intrinsics import Sighting
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Matrix
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics, RejectedImage
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol

STOP = (3, 200, 1e-9)  # OpenCV: stop after 200 rounds or at this change
FEWEST = 3  # views that determine a pair; how many are required is in the protocol


@dataclass(frozen=True, slots=True)
class CameraPair:
    """`left_from_right` in metres, how far corners are off in both pictures, and from the other's line of sight (px).

    `held_out_px` is from the line of sight too, on held-out pairs.
    """

    left_from_right: Matrix
    rms_px: float | None
    epipolar_px: float | None
    held_out_px: float | None
    baseline_m: float | None
    status: Status
    pairs_used: tuple[str, ...] = ()
    pairs_rejected: tuple[RejectedImage, ...] = ()
    message: Note | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SharedView:
    """The corners that both cameras see at one moment: in the board's frame (m), and undistorted in each (px)."""

    name: str
    board_points: Floats
    left: Floats
    right: Floats


def fit_camera_pair(
    left: Mapping[str, Sighting],
    right: Mapping[str, Sighting],
    lenses: tuple[Intrinsics, Intrinsics],
    protocol: CollectionProtocol,
) -> CameraPair:
    """Fit the pose between two cameras to boards that both see at the same moment (pictures of the same name).

    Both lenses are taken as given. A pair that disagrees with the others (the board moved between the two pictures,
    corners counted from the other end) is left out with its reason.
    """
    views, rejected = _find_shared_views(left, right, lenses, int(protocol.setting("calibration.pair_min_shared")))
    factor = float(protocol.setting("calibration.intrinsics_view_rejection"))
    needed = int(protocol.setting("calibration.pair_min_views"))
    kept, fitted = list(views), _fit_pair_pose(views, lenses)
    while fitted is not None and len(kept) > FEWEST:
        errors = _measure_epipolar_errors(kept, fitted, lenses)
        worst = int(np.argmax(errors))
        usual = float(np.median(errors))
        if errors[worst] <= factor * usual:
            break
        reason = note("calibrate.pair_off", off_px=float(errors[worst]), usual_px=usual)
        rejected.append(RejectedImage(kept.pop(worst).name, reason))
        fitted = _fit_pair_pose(kept, lenses)
    if fitted is None:
        few = note("calibrate.pair_too_few", pairs=len(kept), needed=needed)
        return CameraPair((), None, None, None, None, Status.CANNOT_TELL, (), tuple(rejected), few)
    left_from_right, rms_px = fitted
    epipolar = float(np.sqrt(np.mean(np.square(_measure_epipolar_errors(kept, fitted, lenses)))))
    held_out = _measure_held_out_error(kept, lenses)
    limit = float(protocol.setting("calibration.pair_max_px"))
    worst_px = max(rms_px, epipolar, held_out or 0.0)
    message = note("calibrate.corners_off", off_px=worst_px, limit_px=limit)
    status = Status.PASSED if worst_px <= limit else Status.FAILED
    if status is Status.PASSED and (len(kept) < needed or held_out is None):
        status, message = Status.CANNOT_TELL, note("calibrate.pairs_used", pairs=len(kept), needed=needed)
    return CameraPair(
        left_from_right=tuple(tuple(float(x) for x in row) for row in left_from_right),
        rms_px=rms_px,
        epipolar_px=epipolar,
        held_out_px=held_out,
        baseline_m=float(np.linalg.norm(left_from_right[:3, 3])),
        status=status,
        pairs_used=tuple(v.name for v in kept),
        pairs_rejected=tuple(rejected),
        message=message,
    )


def _find_shared_views(
    left: Mapping[str, Sighting], right: Mapping[str, Sighting], lenses: tuple[Intrinsics, Intrinsics], min_corners: int
) -> tuple[list[SharedView], list[RejectedImage]]:
    views, rejected = [], []
    for name in sorted(left.keys() | right.keys()):
        if name not in left or name not in right:
            side = "left" if name not in left else "right"
            rejected.append(RejectedImage(name, note("calibrate.pair_not_seen", side=side)))
            continue
        both, mine, theirs = np.intersect1d(left[name].corner_ids, right[name].corner_ids, return_indices=True)
        if len(both) < min_corners:
            few = note("calibrate.pair_few_shared", corners=len(both), needed=min_corners)
            rejected.append(RejectedImage(name, few))
            continue
        views.append(
            SharedView(
                name,
                left[name].board_points[mine],
                _undistort(left[name].pixels[mine], lenses[0]),
                _undistort(right[name].pixels[theirs], lenses[1]),
            )
        )
    return views, rejected


def _get_camera_matrix(lens: Intrinsics) -> Floats:
    if not lens.camera_matrix:
        raise BadInput("A pair of cameras needs the intrinsics of both cameras; calibrate each camera first.")
    return np.array(lens.camera_matrix)


def _undistort(pixels: Floats, lens: Intrinsics) -> Floats:
    """Return where a camera without distortion would see the points."""
    import cv2

    matrix, bent, at = _get_camera_matrix(lens), np.array(lens.distortion), pixels.reshape(-1, 1, 2)
    straighten: Any = cv2.fisheye.undistortPoints if lens.model == "fisheye" else cv2.undistortPoints
    return np.asarray(straighten(at, matrix, bent, P=matrix), dtype=float).reshape(-1, 2)


def _fit_pair_pose(views: Sequence[SharedView], lenses: tuple[Intrinsics, Intrinsics]) -> tuple[Floats, float] | None:
    """Return `left_from_right` and the error of both pictures (px)."""
    import cv2

    if len(views) < FEWEST:
        return None
    straight = np.zeros(5)
    solved = cv2.stereoCalibrate(
        [v.board_points.astype(np.float32) for v in views],
        [v.left.astype(np.float32) for v in views],
        [v.right.astype(np.float32) for v in views],
        _get_camera_matrix(lenses[0]), straight, _get_camera_matrix(lenses[1]), straight, (lenses[0].width,
        lenses[0].height),
        flags=cv2.CALIB_FIX_INTRINSIC, criteria=STOP,
    )  # fmt: skip
    right_from_left = tf.make_transform(np.asarray(solved[5], dtype=float), np.asarray(solved[6], dtype=float).ravel())
    return (tf.invert_transform(right_from_left), float(solved[0])) if np.isfinite(right_from_left).all() else None


def _measure_epipolar_errors(
    views: Sequence[SharedView], fitted: tuple[Floats, float], lenses: tuple[Intrinsics, Intrinsics]
) -> Floats:
    """Return the root mean square distance of corners from the line of sight of the other camera, pair by pair."""
    right_from_left = tf.invert_transform(fitted[0])
    x, y, z = right_from_left[:3, 3]
    essential = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ right_from_left[:3, :3]
    back_left, back_right = np.linalg.inv(_get_camera_matrix(lenses[0])), np.linalg.inv(_get_camera_matrix(lenses[1]))
    fundamental = back_right.T @ essential @ back_left
    errors = []
    for view in views:
        left = np.column_stack([view.left, np.ones(len(view.left))])
        right = np.column_stack([view.right, np.ones(len(view.right))])
        in_right, in_left = left @ fundamental.T, right @ fundamental
        off = np.sum(right * in_right, axis=1) ** 2
        near = np.sum(in_right[:, :2] ** 2, axis=1), np.sum(in_left[:, :2] ** 2, axis=1)
        errors.append(float(np.sqrt(np.mean((off / near[0] + off / near[1]) / 2))))
    return np.array(errors)


def _measure_held_out_error(views: Sequence[SharedView], lenses: tuple[Intrinsics, Intrinsics]) -> float | None:
    """Hold each pair out once and return its error under the fit to the others."""
    errors = []
    for out in range(len(views)):
        fitted = _fit_pair_pose([v for n, v in enumerate(views) if n != out], lenses)
        if fitted is None:
            return None
        errors.append(_measure_epipolar_errors([views[out]], fitted, lenses)[0])
    return float(np.sqrt(np.mean(np.square(errors))))
