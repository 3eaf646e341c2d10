"""Other readings of the orientations or of the wrench's sign that explain a file far better; proposed, not applied."""

import math
from dataclasses import replace
from itertools import product

from fieldloop.calibrate.conventions import Proposal, Reading, convert_to_matrices
from fieldloop.calibrate.conventions.reading import list_alternatives
from fieldloop.calibrate.force_torque import fit_force_torque
from fieldloop.geometry.se3 import is_rigid
from fieldloop.geometry.transforms import Floats
from fieldloop.model.note import note
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.protocol import CollectionProtocol

RIGID = 1e-3  # rounding of poses written with three decimals
NO_NOISE_N = 1e-9  # noise-free forces must not divide by zero


def propose_wrench_readings(
    wrist: WrittenPoses, wrench: Floats, stated_reading: Reading, protocol: CollectionProtocol, *, negated: bool = False
) -> tuple[Proposal, ...]:
    """Fit under every other reading; the best one is proposed where its noise is smaller by the protocol's factor.

    The wrench is as given or negated: the sensor's push instead of the pull on it. `negated` states that its sign was
    already changed.
    """
    factor = "calibration.convention_factor" if wrist.rotation else "calibration.convention_unsaid_factor"
    usual = _measure_fit_noise(wrist, wrench, stated_reading, protocol)
    if usual is None:
        return ()
    readings = [r for r in list_alternatives(stated_reading) if r.unit == stated_reading.unit]
    others = [(r, turned) for r, turned in product(readings, (False, True)) if turned or r != stated_reading]
    tried = {(r, t): _measure_fit_noise(wrist, -wrench if t else wrench, r, protocol) for r, t in others}
    noises = {each: noise for each, noise in tried.items() if noise is not None}
    least = min(noises.values(), default=math.inf)
    if least * float(protocol.setting(factor)) > usual:
        return ()
    as_good = float(protocol.setting("calibration.convention_as_good"))
    good = [each for each, noise in noises.items() if noise <= as_good * least]  # equally good; take the fewest changes
    best, turned = min(good, key=lambda each: (_count_changes(stated_reading, *each), noises[each]))
    options = [f"--rotation {best.rotation}"] if best.rotation != stated_reading.rotation else []
    options += ["--inverse" if best.inverse else "without --inverse"] if best.inverse != stated_reading.inverse else []
    options += ["without --negated" if negated else "--negated"] if turned else []
    direction = "wrist_from_base" if best.inverse else "base_from_wrist"
    sign = ", with the wrench negated" if turned else ""
    noise = noises[best, turned]
    says = note(
        "calibrate.wrench_reading", direction=direction, rotation=best.rotation, sign=sign, noise_n=noise, usual_n=usual
    )
    return (Proposal(tuple(options), usual / noise, says),)


def _count_changes(stated_reading: Reading, tried_reading: Reading, turned: bool) -> int:  # noqa: FBT001  one of a pair that is unpacked
    return (
        (stated_reading.rotation != tried_reading.rotation) + (stated_reading.inverse != tried_reading.inverse) + turned
    )


def _measure_fit_noise(
    wrist: WrittenPoses, wrench: Floats, reading: Reading, protocol: CollectionProtocol
) -> float | None:
    turns = convert_to_matrices(wrist, replace(reading, unit="m"))
    if not is_rigid(turns, RIGID).all():
        return None
    fitted = fit_force_torque(turns[:, :3, :3], wrench, protocol)
    if fitted.force_noise_n is None:
        return None
    # a reading under which most wrenches were left out explains nothing
    return max(fitted.force_noise_n, NO_NOISE_N) * len(wrist) / max(fitted.poses_used, 1)
