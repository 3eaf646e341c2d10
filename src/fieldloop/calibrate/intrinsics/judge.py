"""Intrinsics with a verdict: fitted to pictures of a board, tested on held-out pictures, judged by the protocol."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.calibrate.intrinsics.board import Board
from fieldloop.calibrate.intrinsics.board_size import find_larger_board
from fieldloop.calibrate.intrinsics.cameras import detect_several_cameras
from fieldloop.calibrate.intrinsics.coverage import Wanted, advise_views, list_unmet_requirements, measure_coverage
from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.held_out import FEWEST, HeldOut, measure_held_out_error
from fieldloop.calibrate.intrinsics.lens import Lens
from fieldloop.calibrate.intrinsics.lens_choice import find_better_lens
from fieldloop.calibrate.intrinsics.look import Look
from fieldloop.calibrate.intrinsics.rejection import Sifted, reject_worst_pictures
from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics, RejectedImage
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol

Size = tuple[int, int]


def calibrate_intrinsics(
    looks: Sequence[Look],
    board: Board,
    protocol: CollectionProtocol,
    *,
    sensor: str = "",
    precision: bool = False,
    lens: Lens = Lens.PLUMB_BOB,
) -> Intrinsics:
    """Fit a lens to looks at one board and judge it by the protocol.

    Pictures without a board, of another size, or that disagree with the others are left out, each with its reason.
    Too few views, an uncovered corner of the picture, or no tilt cannot tell; the advice names the views to add.
    """
    size, sightings, rejected = _select_usable_sightings(looks)
    wanted = _read_requirements(protocol)
    factor = float(protocol.setting("calibration.intrinsics_view_rejection"))
    floor_px = float(protocol.setting("calibration.intrinsics_view_floor")) * _get_limit_px(
        protocol, precision=precision
    )
    sifted = reject_worst_pictures(sightings, size, lens, factor, floor_px) if len(sightings) >= FEWEST else None
    if sifted is None:
        few = len(sightings) < FEWEST
        rare = note(
            "calibrate.board_rarely_seen", board=str(board), found=len(sightings), pictures=len(looks),
            needed=wanted.images,
        )  # fmt: skip
        return Intrinsics(
            sensor, (), (), lens.value, *size, None, None, Status.CANNOT_TELL, (), rejected,
            advice=advise_views(sightings, None, size, wanted), board=str(board),
            message=rare if few else note("calibrate.no_lens_fits"),
        )  # fmt: skip
    return _judge_lens(looks, sifted, rejected, size, board, protocol, sensor, precision=precision)


def make_factory_intrinsics(sensor: str, camera_matrix: ArrayLike, distortion: ArrayLike, size: Size) -> Intrinsics:
    """Return intrinsics stated by the manufacturer: usable but provisional until a board confirms them."""
    matrix = np.asarray(camera_matrix, dtype=float)
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all() or min(matrix[0, 0], matrix[1, 1]) <= 0:
        raise BadInput(f"The camera matrix of {sensor} must be 3 × 3 with positive focal lengths; got {matrix}.")
    return Intrinsics(
        sensor, _convert_to_rows(matrix), tuple(float(d) for d in np.ravel(distortion)), "factory", *size, None, None,
        Status.CANNOT_TELL, message=note("calibrate.factory"), provisional=True,
    )  # fmt: skip


def _select_usable_sightings(looks: Sequence[Look]) -> tuple[Size, tuple[Sighting, ...], tuple[RejectedImage, ...]]:
    """Keep the boards in pictures of the usual size."""
    sizes = Counter((look.width, look.height) for look in looks if not look.unreadable)
    shown = Counter((look.width, look.height) for look in looks if look.sighting is not None)
    usual = (shown or sizes or Counter([(0, 0)])).most_common(1)[0][0]
    kept, left = [], []
    for look in looks:
        if look.unreadable:
            left.append(RejectedImage(look.name, look.unreadable))
        elif (look.width, look.height) != usual:
            reason = note(
                "calibrate.picture_size", width=look.width, height=look.height, usual_width=usual[0],
                usual_height=usual[1],
            )  # fmt: skip
            left.append(RejectedImage(look.name, reason))
        elif look.sighting is None:
            left.append(RejectedImage(look.name, note("calibrate.board_not_found")))
        else:
            kept.append(look.sighting)
    return usual, tuple(kept), tuple(left)


def _get_limit_px(protocol: CollectionProtocol, *, precision: bool) -> float:
    name = "calibration.intrinsics_precision_max_px" if precision else "calibration.intrinsics_max_px"
    return float(protocol.setting(name))


def _read_requirements(protocol: CollectionProtocol) -> Wanted:
    return Wanted(
        images=int(protocol.setting("calibration.intrinsics_min_images")),
        covered=float(protocol.setting("calibration.intrinsics_min_coverage")),
        tilt_deg=float(protocol.setting("calibration.intrinsics_tilt_deg")),
        tilted=int(protocol.setting("calibration.intrinsics_min_tilted")),
        advised_tilt_deg=protocol.setting("calibration.intrinsics_advised_tilt_deg"),
    )


def _judge_lens(
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
    fitted, kept, wanted = sifted.fitted, sifted.kept, _read_requirements(protocol)
    folds = int(protocol.setting("calibration.intrinsics_folds"))
    tried = measure_held_out_error(kept, size, fitted.lens, folds)
    limit = _get_limit_px(protocol, precision=precision)
    cameras = detect_several_cameras(_select_usable_sightings(looks)[1], size, fitted.lens, protocol)
    unclear = [cameras.reason] if cameras else []
    unclear += [
        *_list_reservations(looks, sifted, tried, board, protocol),
        *list_unmet_requirements(kept, fitted, size, wanted),
    ]
    if tried is None:
        unclear.append(note("calibrate.too_few_to_hold_out"))
    error = max(fitted.rms_px, tried.rms_px if tried else 0.0)
    enough = len(kept) >= wanted.images and not cameras  # otherwise a large error need not be the camera's
    status, message = Status.PASSED, note("calibrate.corners_off", off_px=error, limit_px=limit)
    if error > limit and enough:
        status = Status.FAILED
    elif unclear:
        status, message = Status.CANNOT_TELL, note("calibrate.unclear", *unclear)
    hints = list(advise_views(kept, fitted, size, wanted))
    other = tried and find_better_lens(
        kept, size, (fitted.lens, tried), folds=folds,
        min_gain=float(protocol.setting("calibration.intrinsics_lens_gain")),
        confidence=float(protocol.setting("calibration.confidence")),
    )  # fmt: skip
    if other and tried:
        now, then = tried.rms_px, other.held_out_px
        hints.insert(0, note("calibrate.better_lens", lens=other.lens.value, held_out_px=then, now_px=now))
    return Intrinsics(
        sensor=sensor,
        camera_matrix=_convert_to_rows(fitted.matrix),
        distortion=tuple(float(d) for d in fitted.distortion),
        model=fitted.lens.value,
        width=size[0],
        height=size[1],
        rms_px=fitted.rms_px,
        held_out_px=tried.rms_px if tried else None,
        status=status,
        images_used=tuple(s.name for s in kept),
        images_rejected=(*rejected, *sifted.rejected),
        coverage=measure_coverage(kept, fitted, size),
        deviations=tuple(float(d) for d in fitted.deviations),
        advice=tuple(hints),
        board=str(board),
        message=message,
    )


def _list_reservations(
    looks: Sequence[Look], sifted: Sifted, held_out_test: HeldOut | None, board: Board, protocol: CollectionProtocol
) -> list[Note]:
    """Return reasons, besides the views themselves, why a small error proves nothing."""
    doubts = []
    if larger := find_larger_board([one.whole for one in looks if one.whole], board):
        doubts.append(note("calibrate.larger_board", board=str(board), larger=str(larger)))
    seen = len(sifted.kept) + len(sifted.rejected)
    most = float(protocol.setting("calibration.intrinsics_max_rejected"))
    if len(sifted.rejected) > most * seen:
        doubts.append(note("calibrate.boards_disagree", boards=len(sifted.rejected), seen=seen))
    deviations = sifted.fitted.deviations[:2]
    if held_out_test and not np.isfinite(deviations).all():  # OpenCV states none for a fisheye
        deviations = held_out_test.focal_deviations
    focal = float(np.max(deviations / np.diag(sifted.fitted.matrix)[:2]))
    most = float(protocol.setting("calibration.intrinsics_max_focal_deviation"))
    if not np.isfinite(focal):
        doubts.append(note("calibrate.focal_unknown"))
    elif focal > most:
        doubts.append(note("calibrate.focal_uncertain", deviation=focal, needed=most))
    return doubts


def _convert_to_rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(x) for x in row) for row in matrix)
