"""The verdict on a camera's pose fitted to points: why it passes or not, and what to do."""

import math
from dataclasses import replace

from fieldloop.geometry import rigid
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol


def add_explanation(calibration: Calibration, protocol: CollectionProtocol) -> Calibration:
    """Add why a pose fitted to points passes or not; an implausible distance cannot pass."""
    away_m = math.hypot(*(row[3] for row in calibration.parent_from_child[:3]))
    furthest_m = float(protocol.setting("calibration.furthest_m"))
    if away_m > furthest_m:
        far = note("calibrate.too_far", away_m=away_m, parent=calibration.parent, furthest_m=furthest_m)
        return replace(calibration, status=Status.CANNOT_TELL, message=far)
    return replace(calibration, message=_explain_result(calibration, protocol))


def _explain_result(calibration: Calibration, protocol: CollectionProtocol) -> Note:
    needed = max(int(protocol.setting("calibration.extrinsic_min_points")), rigid.MIN_POINTS + 1)
    if calibration.points < needed:
        return note(
            "calibrate.few_points", points=calibration.points, needed=needed, missing=needed - calibration.points
        )
    if calibration.residual_mm is None:
        return note("calibrate.points_on_line")
    most_mm, most_deg = (float(protocol.setting(f"calibration.hand_eye_max_{unit}")) for unit in ("mm", "deg"))
    return note(
        "calibrate.points_off", residual_mm=calibration.residual_mm, turn_deg=calibration.uncertainty_deg,
        max_mm=most_mm, max_deg=most_deg,
    )  # fmt: skip
