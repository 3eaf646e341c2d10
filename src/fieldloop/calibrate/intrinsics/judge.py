"""From looks at a board to intrinsics with a verdict: fitted, tried on pictures left out, held against the protocol."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.calibrate.intrinsics.board import Board
from fieldloop.calibrate.intrinsics.board_size import larger_board
from fieldloop.calibrate.intrinsics.cameras import several_cameras
from fieldloop.calibrate.intrinsics.coverage import Wanted, advice, coverage, missing
from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.held_out import FEWEST, HeldOut, held_out
from fieldloop.calibrate.intrinsics.lens import Lens
from fieldloop.calibrate.intrinsics.lens_choice import better_lens
from fieldloop.calibrate.intrinsics.look import Look
from fieldloop.calibrate.intrinsics.rejection import Sifted, sift
from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics, RejectedImage
from fieldloop.protocol import CollectionProtocol

Size = tuple[int, int]


def intrinsics(
    looks: Sequence[Look],
    board: Board,
    protocol: CollectionProtocol,
    *,
    sensor: str = "",
    precision: bool = False,
    lens: Lens = Lens.PLUMB_BOB,
) -> Intrinsics:
    """Fit a lens to looks at one board and judge it by the protocol.

    Pictures without a board, of another size, or that the others do not agree with are left out, each with its reason.
    Too few views, a corner of the picture that no board reached, or no tilt cannot tell, and say which view to add.
    """
    size, sightings, rejected = _usable(looks)
    wanted = _wanted(protocol)
    factor = float(protocol.setting("calibration.intrinsics_view_rejection"))
    floor_px = float(protocol.setting("calibration.intrinsics_view_floor")) * _limit_px(protocol, precision=precision)
    sifted = sift(sightings, size, lens, factor, floor_px) if len(sightings) >= FEWEST else None
    if sifted is None:
        few = len(sightings) < FEWEST
        said = f"The board {board} shows in {len(sightings)} of {len(looks)} pictures; {wanted.images} are needed."
        return Intrinsics(
            sensor, (), (), lens.value, *size, None, None, Status.CANNOT_TELL, (), rejected,
            advice=advice(sightings, None, size, wanted), board=str(board),
            message=said if few else "No lens fits these pictures: is it one flat board, and one camera?",
        )  # fmt: skip
    return _judged(looks, sifted, rejected, size, board, protocol, sensor, precision=precision)


def factory_intrinsics(sensor: str, camera_matrix: ArrayLike, distortion: ArrayLike, size: Size) -> Intrinsics:
    """Return what a camera's maker says of it: usable, provisional, and no pass until a board confirms it."""
    matrix = np.asarray(camera_matrix, dtype=float)
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all() or min(matrix[0, 0], matrix[1, 1]) <= 0:
        raise BadInput(f"The camera matrix of {sensor} must be 3 × 3 with focal lengths above nothing; got {matrix}.")
    return Intrinsics(
        sensor, _rows(matrix), tuple(float(d) for d in np.ravel(distortion)), "factory", *size, None, None,
        Status.CANNOT_TELL, message="Stated by the maker; show the camera a board to confirm it.", provisional=True,
    )  # fmt: skip


def _usable(looks: Sequence[Look]) -> tuple[Size, tuple[Sighting, ...], tuple[RejectedImage, ...]]:
    """Keep the boards in pictures of the usual size."""
    sizes = Counter((one.width, one.height) for one in looks if not one.unreadable)
    shown = Counter((one.width, one.height) for one in looks if one.sighting is not None)
    usual = (shown or sizes or Counter([(0, 0)])).most_common(1)[0][0]
    kept, left = [], []
    for one in looks:
        if one.unreadable:
            left.append(RejectedImage(one.name, one.unreadable))
        elif (one.width, one.height) != usual:
            size = f"{one.width} × {one.height} px where the others have {usual[0]} × {usual[1]}"
            left.append(RejectedImage(one.name, f"{size}: a camera has intrinsics per picture size"))
        elif one.sighting is None:
            left.append(RejectedImage(one.name, "the board was not found in it"))
        else:
            kept.append(one.sighting)
    return usual, tuple(kept), tuple(left)


def _limit_px(protocol: CollectionProtocol, *, precision: bool) -> float:
    name = "calibration.intrinsics_precision_max_px" if precision else "calibration.intrinsics_max_px"
    return float(protocol.setting(name))


def _wanted(protocol: CollectionProtocol) -> Wanted:
    return Wanted(
        images=int(protocol.setting("calibration.intrinsics_min_images")),
        covered=float(protocol.setting("calibration.intrinsics_min_coverage")),
        tilt_deg=float(protocol.setting("calibration.intrinsics_tilt_deg")),
        tilted=int(protocol.setting("calibration.intrinsics_min_tilted")),
    )


def _judged(
    looks: Sequence[Look],
    sifted: Sifted,
    rejected: tuple[RejectedImage, ...],
    size: Size,
    board: Board,
    protocol: CollectionProtocol,
    sensor: str,
    *,
    precision: bool,
) -> Intrinsics:
    fitted, kept, wanted = sifted.fitted, sifted.kept, _wanted(protocol)
    folds = int(protocol.setting("calibration.intrinsics_folds"))
    tried = held_out(kept, size, fitted.lens, folds)
    limit = _limit_px(protocol, precision=precision)
    cameras = several_cameras(_usable(looks)[1], size, fitted.lens, protocol)
    unclear = [str(cameras)] if cameras else []
    unclear += [*_doubts(looks, sifted, tried, board, protocol), *missing(kept, fitted, size, wanted)]
    if tried is None:
        unclear.append("there are too few pictures to leave some out")
    error = max(fitted.rms_px, tried.rms_px if tried else 0.0)
    enough = len(kept) >= wanted.images and not cameras  # otherwise a large error says nothing about the camera
    if error > limit and enough:
        status, message = Status.FAILED, f"Corners are {error:.3f} px off; at most {limit:g} px is allowed."
    elif unclear:
        status, message = Status.CANNOT_TELL, f"Cannot tell: {'; '.join(unclear)}."
    else:
        status, message = Status.PASSED, f"Corners are {error:.3f} px off; at most {limit:g} px is allowed."
    hints = list(advice(kept, fitted, size, wanted))
    other = tried and better_lens(
        kept, size, (fitted.lens, tried), folds=folds,
        gain=float(protocol.setting("calibration.intrinsics_lens_gain")),
        confidence=float(protocol.setting("calibration.confidence")),
    )  # fmt: skip
    if other and tried:
        hints.insert(
            0,
            f"The {other.lens} lens fits pictures left out to {other.held_out_px:.3f} px instead of "
            f"{tried.rms_px:.3f} px: try --lens {other.lens}.",
        )
    return Intrinsics(
        sensor=sensor,
        camera_matrix=_rows(fitted.matrix),
        distortion=tuple(float(d) for d in fitted.distortion),
        model=fitted.lens.value,
        width=size[0],
        height=size[1],
        rms_px=fitted.rms_px,
        held_out_px=tried.rms_px if tried else None,
        status=status,
        images_used=tuple(s.name for s in kept),
        images_rejected=(*rejected, *sifted.rejected),
        coverage=coverage(kept, fitted, size),
        deviations=tuple(float(d) for d in fitted.deviations),
        advice=tuple(hints),
        board=str(board),
        message=message,
    )


def _doubts(
    looks: Sequence[Look], sifted: Sifted, tried: HeldOut | None, board: Board, protocol: CollectionProtocol
) -> list[str]:
    """Reasons beside the views themselves for which a small error proves nothing."""
    said = []
    if larger := larger_board([one.whole for one in looks if one.whole], board):
        said.append(f"the pattern goes on beyond {board}; try --board {larger}")
    seen = len(sifted.kept) + len(sifted.rejected)
    most = float(protocol.setting("calibration.intrinsics_max_rejected"))
    if len(sifted.rejected) > most * seen:
        said.append(f"{len(sifted.rejected)} of {seen} boards do not agree with the others")
    deviations = sifted.fitted.deviations[:2]
    if tried and not np.isfinite(deviations).all():  # OpenCV states none for a fisheye
        deviations = tried.focal_deviations
    focal = float(np.max(deviations / np.diag(sifted.fitted.matrix)[:2]))
    most = float(protocol.setting("calibration.intrinsics_max_focal_deviation"))
    if not np.isfinite(focal):
        said.append("how well the focal length is known could not be found out")
    elif focal > most:
        said.append(f"the focal length is known to {focal:.1%} only, {most:.1%} is needed")
    return said


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(x) for x in row) for row in matrix)
