"""Force-torque calibration: mounting, bias and the tool's weight, from wrenches at rest."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop import calibrate as room
from fieldloop.calibrate.conventions import Proposal, choose_reading, convert_to_matrices, find_impossible_poses
from fieldloop.calibrate.conventions.reading import convert_rotations
from fieldloop.calibrate.wrench_conventions import propose_wrench_readings
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.ingest.poses import read_wrenches
from fieldloop.loop.calibrate.attach import choose_workspace_to_store_in, parse_time_ns
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.event import CalibrationAttached
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol
from fieldloop.say.spelled import spell_out_facts

KIND, METHOD = "force_torque", "gravity"


@dataclass(frozen=True, slots=True, eq=False)
class ForceTorqueResult:
    """The result, readings of the file that fit far better, and the calibration stored in the workspace."""

    found: room.ForceTorque
    proposals: tuple[Proposal, ...]
    calibration: Calibration | None = None

    @property
    def exit_ok(self) -> bool:
        """Whether the protocol passes it."""
        return self.found.status is Status.PASSED

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema force-torque/1."""
        remembered = self.calibration.id if self.calibration else None
        written: dict[str, Any] = {
            "schema": "force-torque/1",
            **spell_out_facts(self.found),
            "proposals": spell_out_facts(self.proposals),
            "calibration": remembered,
        }
        return written


def calibrate_force_torque(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace | None,
    file: Path,
    *,
    rotation: str = "",
    inverse: bool = False,
    negated: bool = False,
    mounted: tuple[float, ...] = (),
    sensor: str = "",
    robot: str = "",
    since: str = "",
) -> ForceTorqueResult:
    """Find how a force-torque sensor is turned on the wrist, its bias, and the tool's weight.

    Hold the tool still in eight or more orientations. The base frame must stand upright (z up). The wrench is what
    pulls at the sensor: a tool of 1 kg hanging below it reads 9.8 N downwards.

    Arguments:
        file: CSV with the wrist's rotation (qx qy qz qw, roll pitch yaw, or rx ry rz) and fx fy fz tx ty tz, or JSON
        rotation: how rotations are written, such as rpy-xyz-deg or quaternion-wxyz
        inverse: the rotations are wrist_from_base, not base_from_wrist
        negated: the wrench is the force that the sensor exerts, so the weight points upwards
        mounted: the stated mounting as roll, pitch and yaw in degrees (give it three times)
        sensor: store the result in the workspace for this sensor, such as force/wrist
        robot: the robot to which the sensor belongs
        since: start of validity, as ISO-8601 such as 2026-11-15T08:00:00Z (default: now)
    """
    from_ns = parse_time_ns(since)
    memory = choose_workspace_to_store_in(workspace, robot, sensor)
    given = read_wrenches(file)
    reading = replace(choose_reading(given.wrist, (rotation,) if rotation else ()), inverse=inverse)
    rules = workspace.protocol() if workspace else default_protocol()
    wrong = find_impossible_poses(given.wrist, reading, rules)
    turns = convert_to_matrices(given.wrist, reading)[:, :3, :3]
    turns[sorted(wrong.rows)] = float("nan")
    wrench = -given.wrench if negated else given.wrench
    result = room.fit_force_torque(
        turns, wrench, rules, wrist_from_sensor=_make_mounting_rotation(mounted), names=given.wrist.names
    )
    better = propose_wrench_readings(given.wrist, wrench, reading, rules, negated=negated)
    if wrong.complaints or better:
        defects = wrong.facts if better else wrong.complaints
        first, *rest = (*defects, *(proposal.says for proposal in better), result.reason)
        reason = replace(first, details=(*first.details, *rest))
        advice = () if better else result.advice  # do not use a frame found under a doubtful reading
        result = replace(result, status=Status.CANNOT_TELL, reason=reason, advice=advice)
    kept = None
    if memory and result.wrist_from_sensor:
        kept = _make_calibration(memory, result, robot, sensor, memory.clock() if from_ns is None else from_ns)
        memory.write(CalibrationAttached(kept))
    return ForceTorqueResult(result, better, kept)


def _make_mounting_rotation(angles_deg: tuple[float, ...]) -> tf.Floats | None:
    if not angles_deg:
        return None
    if len(angles_deg) != 3:  # noqa: PLR2004  roll, pitch, yaw
        raise BadInput(f"--mounted is given {len(angles_deg)} times; give roll, pitch and yaw (three times).")
    turned: tf.Floats = convert_rotations(np.array([angles_deg]), "rpy-xyz-deg")[0]
    return turned


def _make_calibration(
    workspace: Workspace, result: room.ForceTorque, robot: str, sensor: str, from_ns: int
) -> Calibration:
    placed = tf.make_transform(result.wrist_from_sensor or (), (0.0, 0.0, 0.0))
    return Calibration(
        id=workspace.ids.new("calibration"),
        kind=KIND,
        robot=robot,
        sensor=sensor,
        parent="wrist",
        child=sensor,
        parent_from_child=tuple(tuple(map(float, row)) for row in placed),
        method=METHOD,
        residual_mm=None,
        residual_deg=None,
        points=result.poses_used,
        status=result.status,
        valid_from_ns=from_ns,
        uncertainty_deg=result.turn_uncertainty_deg,
    )
