"""Would another reading of the wrist's orientations explain the wrenches far better? Then it is proposed."""

from dataclasses import replace

from fieldloop.calibrate.conventions import Proposal, Reading, read
from fieldloop.calibrate.conventions.reading import alternatives
from fieldloop.calibrate.force_torque import force_torque
from fieldloop.geometry.se3 import is_rigid
from fieldloop.geometry.transforms import Floats
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.protocol import CollectionProtocol

RIGID = 1e-3
NO_NOISE_N = 1e-9


def wrench_proposals(
    wrist: WrittenPoses, wrench: Floats, stated: Reading, protocol: CollectionProtocol
) -> tuple[Proposal, ...]:
    """Fit under every other reading; the best one is proposed where its noise is smaller by the protocol's factor."""
    said = "calibration.convention_factor" if wrist.rotation else "calibration.convention_unsaid_factor"
    usual = _noise(wrist, wrench, stated, protocol)
    if usual is None:
        return ()
    others = [r for r in alternatives(stated) if r != stated and r.unit == stated.unit]
    noises = {r: n for r in others if (n := _noise(wrist, wrench, r, protocol)) is not None}
    best = min(noises, key=lambda r: (noises[r], r.inverse != stated.inverse), default=None)
    if best is None or noises[best] * float(protocol.setting(said)) > usual:
        return ()
    options = [f"--rotation {best.rotation}"] if best.rotation != stated.rotation else []
    options += ["--inverse"] if best.inverse and not stated.inverse else []
    direction = "wrist_from_base" if best.inverse else "base_from_wrist"
    says = f"Read as {direction}, {best.rotation}, the forces scatter by {noises[best]:.2f} N, not {usual:.2f} N."
    return (Proposal(tuple(options), usual / noises[best], says),)


def _noise(wrist: WrittenPoses, wrench: Floats, reading: Reading, protocol: CollectionProtocol) -> float | None:
    turns = read(wrist, replace(reading, unit="m"))
    if not is_rigid(turns, RIGID).all():
        return None
    found = force_torque(turns[:, :3, :3], wrench, protocol)
    if found.force_noise_n is None or not found.mass_kg or found.mass_kg < 0:
        return None
    # a reading under which most wrenches were left out explains nothing
    return max(found.force_noise_n, NO_NOISE_N) * len(wrist) / max(found.poses_used, 1)
