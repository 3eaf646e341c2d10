"""A camera's place with the sentence that says what it is worth, and what to do where it is worth little."""

import math
from dataclasses import replace

from fieldloop.geometry import rigid
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.protocol import CollectionProtocol


def explained(found: Calibration, protocol: CollectionProtocol) -> Calibration:
    """Say why a place fitted to points passes or not; one that no camera can have does not, however well it fits."""
    away_m = math.hypot(*(row[3] for row in found.parent_from_child[:3]))
    furthest_m = float(protocol.setting("calibration.furthest_m"))
    if away_m > furthest_m:
        said = (
            f"The camera would stand {away_m:.0f} m from the {found.parent}, further than {furthest_m:g} m: "
            "are the points in millimetres? Both frames are to be in metres."
        )
        return replace(found, status=Status.CANNOT_TELL, message=said)
    return replace(found, message=_said(found, protocol))


def _said(found: Calibration, protocol: CollectionProtocol) -> str:
    needed = max(int(protocol.setting("calibration.extrinsic_min_points")), rigid.MIN_POINTS + 1)
    if found.points < needed:
        return f"{found.points} points; {needed} are asked for. Add {needed - found.points}, spread over the workspace."
    if found.residual_mm is None:
        return "Without one of the points the others lie on one line: spread them over an area."
    most_mm, most_deg = (float(protocol.setting(f"calibration.hand_eye_max_{unit}")) for unit in ("mm", "deg"))
    turn = "" if found.uncertainty_deg is None else f", and the camera's turn is known to {found.uncertainty_deg:.3f}°"
    return f"{found.residual_mm:.2f} mm on points left out{turn}; {most_mm:g} mm and {most_deg:g}° are allowed."
