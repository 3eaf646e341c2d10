"""Hand-eye calibration from robot poses and target poses seen by the camera."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop.calibrate.conventions import Proposal, Reading, choose_reading, compare_image_sizes
from fieldloop.calibrate.hand_eye import HandEye, Setup
from fieldloop.calibrate.hand_eye_written import Stated, calibrate_from_written_poses, list_assumed_readings
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.ingest.poses import PoseFiles, read_poses
from fieldloop.loop.calibrate.attach import choose_workspace_to_store_in, parse_time_ns
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.event import CalibrationAttached
from fieldloop.model.finding import Status
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.model.note import Note
from fieldloop.model.written_poses import Side
from fieldloop.protocol import default_protocol
from fieldloop.say.spelled import spell_out_facts

KIND = "hand_eye"


@dataclass(frozen=True, slots=True, eq=False)
class HandEyeResult:
    """The calibration found, how the files were read, and the calibration stored in the workspace."""

    found: HandEye
    readings: tuple[Reading, Reading]
    assumed: tuple[Note, ...]
    complaints: tuple[Note, ...]
    proposals: tuple[Proposal, ...]
    paired: int
    clock_offset_s: float | None
    calibration: Calibration | None = None

    @property
    def exit_ok(self) -> bool:
        """Whether the protocol passes it."""
        return self.found.status is Status.PASSED

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema hand-eye/1."""
        found, verified = self.found, self.found.verified
        answer, fitted = found.answer, found.residual
        by_method = {
            method: {"translation_residual_mm": r.translation_mm, "rotation_residual_deg": r.rotation_deg}
            for method, r in found.held_out.items()
        }
        written = {
            "schema": "hand-eye/1",
            "status": found.status,
            "reason": found.reason,
            "setup": found.setup,
            "method": found.method,
            "camera_pose": _make_pose(found.setup.mount, "camera", answer.mount_from_camera) if answer else None,
            "target_pose": _make_pose(found.setup.world, "target", answer.world_from_target) if answer else None,
            "translation_residual_mm": fitted.translation_mm if fitted else None,
            "rotation_residual_deg": fitted.rotation_deg if fitted else None,
            "held_out": {
                "translation_residual_mm": verified.translation_mm if verified else None,
                "rotation_residual_deg": verified.rotation_deg if verified else None,
                "by_method": by_method,
            },
            "uncertainty_mm": found.uncertainty_mm,
            "uncertainty_deg": found.uncertainty_deg,
            "poses_used": found.used,
            "poses_rejected": found.rejected,
            "spread_deg": found.spread_deg,
            "reading": dict(zip(Side, self.readings, strict=True)),
            "clock_offset_s": self.clock_offset_s,
            "assumed": self.assumed,
            "complaints": self.complaints,
            "proposals": self.proposals,
            "advice": found.advice,
            "calibration": self.calibration.id if self.calibration else None,
        }
        plain: dict[str, Any] = spell_out_facts(written)
        return plain


def calibrate_hand_eye(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace | None,
    files: tuple[Path, ...],
    *,
    setup: Setup = Setup.EYE_IN_HAND,
    rotation: tuple[str, ...] = (),
    units: tuple[str, ...] = (),
    inverse: tuple[Side, ...] = (),
    clock_offset: float = 0.0,
    sensor: str = "",
    robot: str = "",
    since: str = "",
) -> HandEyeResult:
    """Find a camera's pose on the wrist or beside the robot, tested on held-out poses.

    Give one file with both poses in each row (JSON with base_from_gripper and camera_from_target, or CSV with columns
    robot_x … robot_qw and target_x … target_qw), or two files with one each, or an archive of two. A reading of the
    files that fits far better is proposed, never applied silently.

    Arguments:
        files: robot and target poses as JSON, CSV, or a zip of them
        setup: camera on the wrist (eye-in-hand), or fixed and looking at a target in the gripper (eye-to-hand)
        rotation: how rotations are written, such as rotation-vector, rpy-xyz-deg, quaternion-wxyz; robot:… or
            target:… for one side
        units: m or mm; robot:… or target:… for one side
        inverse: the sides whose poses are written inverted (gripper_from_base, target_from_camera)
        clock_offset: seconds to add to the target's timestamps, if two files are matched by timestamp
        sensor: store the result in the workspace for this camera, such as camera/wrist
        robot: the robot to which the camera belongs
        since: start of validity, as ISO-8601 such as 2026-11-15T08:00:00Z (default: now)
    """
    from_ns = parse_time_ns(since)
    memory = choose_workspace_to_store_in(workspace, robot, sensor)
    given = read_poses(files)
    readings = (
        choose_reading(given.robot, rotation, units, inverse),
        choose_reading(given.target, rotation, units, inverse),
    )
    assumed = list_assumed_readings(given.robot, given.target, rotation, units)
    offset_s = clock_offset if given.by_stamp else None
    stated = Stated(
        *readings, setup, offset_s, bool(assumed), _warn_of_other_picture_size(workspace, given, robot, sensor)
    )
    rules = workspace.protocol() if workspace else default_protocol()
    made = calibrate_from_written_poses(given.robot, given.target, stated, rules)
    kept = None
    if memory and made.found.answer:
        kept = _make_calibration(memory, made.found, made.found.answer.mount_from_camera, robot, sensor, from_ns)
        memory.write(CalibrationAttached(kept))
    return HandEyeResult(made.found, readings, assumed, made.complaints, made.proposals, made.paired, offset_s, kept)


def _warn_of_other_picture_size(workspace: Workspace | None, given: PoseFiles, robot: str, sensor: str) -> Note | None:
    """Check whether the target's poses come from intrinsics of another picture size, by the file or the workspace."""
    lens = given.intrinsics_size
    if lens is None and workspace and sensor:
        known = workspace.store.find(Intrinsics, {"robot": robot, "sensor": sensor}, newest=True, limit=1)
        lens = (known[0].width, known[0].height) if known else None
    return compare_image_sizes(lens, given.image_size) if lens and given.image_size else None


def _make_calibration(
    workspace: Workspace, result: HandEye, mount_from_camera: Floats, robot: str, sensor: str, from_ns: int | None
) -> Calibration:
    verified = result.verified
    return Calibration(
        id=workspace.ids.new("calibration"),
        kind=KIND,
        robot=robot,
        sensor=sensor,
        parent=result.setup.mount,
        child=sensor,
        parent_from_child=tuple(tuple(map(float, row)) for row in mount_from_camera),
        method=result.method,
        residual_mm=verified.translation_mm if verified else None,
        residual_deg=verified.rotation_deg if verified else None,
        points=len(result.used),
        status=result.status,
        valid_from_ns=workspace.clock() if from_ns is None else from_ns,
        uncertainty_mm=result.uncertainty_mm,
        uncertainty_deg=result.uncertainty_deg,
        covariance=None if result.covariance is None else tuple(tuple(map(float, row)) for row in result.covariance),
    )


def _make_pose(parent: str, child: str, matrix: Floats) -> dict[str, Any]:
    pose = tf.pose_from_matrix(matrix)
    return {
        "parent": parent,
        "child": child,
        "matrix": matrix,
        "translation_m": pose[:3],
        "quaternion_xyzw": pose[3:],
    }
