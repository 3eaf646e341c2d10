"""Verify a camera's calibration against a marker, and flag the episodes it affects."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fieldloop import calibrate as room
from fieldloop.calibrate.conventions import choose_reading, convert_to_matrices, find_impossible_poses
from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats
from fieldloop.ingest.poses import KNOWN, MOUNT, SEEN, read_marker_views
from fieldloop.loop.calibrate.attach import parse_time_ns, require_calibration
from fieldloop.loop.data.measurements import judge_episodes, read_stored_measurements
from fieldloop.loop.data.remember_verdicts import record_episode_verdicts
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration, Matrix
from fieldloop.model.episode import Episode
from fieldloop.model.event import SensorVerified
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.verification import Verification
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.say import write_sentence

BASE = "base"


@dataclass(frozen=True, slots=True)
class Verified:
    """The verification, what it means for collecting, and the episodes it invalidates.

    `slow_drift` is the evidence of drift over all verifications of this calibration, as a share of what raises the
    alarm; 1 and more does.
    """

    status: Status
    halts: bool
    says: Note
    verification: Verification
    slow_drift: float
    flagged: tuple[str, ...]

    @property
    def exit_ok(self) -> bool:
        """Whether the calibration is reliable."""
        return self.status is Status.PASSED


def verify_camera_calibration(
    workspace: Workspace,
    views: Path,
    *,
    sensor: str,
    robot: str,
    rotation: tuple[str, ...] = (),
    units: tuple[str, ...] = (),
    at: str = "",
) -> Verified:
    """Verify that a camera has not moved since its calibration; if it has, flag the affected episodes.

    When this verification fails, every episode since the last good one is flagged automatically.

    Arguments:
        views: JSON or CSV with base_from_marker and camera_from_marker, and base_from_gripper for a camera on the wrist
        sensor: the camera, such as camera/wrist
        robot: the robot to which the camera belongs
        rotation: how rotations are written, such as rpy-xyz-deg or quaternion-wxyz
        units: m or mm
        at: time of the verification, as ISO-8601 such as 2026-11-15T08:00:00Z (default: now)
    """
    moment = parse_time_ns(at)
    at_ns = workspace.clock() if moment is None else moment
    calibration = require_calibration(workspace, robot, sensor, at_ns)
    past = [
        v
        for v in workspace.store.find(Verification, {"robot": robot, "sensor": sensor})
        if v.calibration == calibration.id and v.at_ns < at_ns
    ]
    past.sort(key=lambda v: v.at_ns)
    verification = room.verify_calibration(
        calibration,
        _read_marker_views(workspace, calibration, read_marker_views(views), rotation, units),
        workspace.protocol(),
        at_ns=at_ns,
        earlier_drift=next((v.drift for v in past if v.is_good and v.drift), None),
        verification_id=workspace.ids.new("verification"),
    )
    before = _find_flagged_episodes(verification, workspace)
    workspace.write(SensorVerified(verification))
    history = [v.drift for v in (*past, verification) if v.drift]
    slow = room.measure_slow_drift(history, workspace.protocol())[-1] if history else 0.0
    after = _find_flagged_episodes(verification, workspace)
    _judge_flagged_episodes_again(workspace, {*before, *after})
    return Verified(
        _decide_status(verification, slow),
        verification.halts_collection,
        _write_message(verification, slow),
        verification,
        slow,
        () if verification.is_good else after,
    )


def _judge_flagged_episodes_again(workspace: Workspace, episodes: Collection[str]) -> None:
    """Judge again at once the episodes that a failed verification flags or a good one clears."""
    if episodes:
        found = workspace.store.find(Episode, {"id": sorted(episodes)})
        record_episode_verdicts(workspace, judge_episodes(workspace, read_stored_measurements(workspace, found)))


def _find_flagged_episodes(verification: Verification, workspace: Workspace) -> tuple[str, ...]:
    """Return the episodes of this robot that verifications of this sensor invalidate."""
    store, whose = workspace.store, {"robot": verification.robot}
    flags = room.flag_episodes(
        store.find(Episode, whose), store.find(Verification, whose), store.find(Calibration, whose)
    )
    return tuple(flag.episode for flag in flags if flag.sensor == verification.sensor)


def _decide_status(verification: Verification, slow: float) -> Status:
    """Pass only without any warning; accumulated drift is a warning."""
    if verification.views == 0:
        return Status.CANNOT_TELL
    return Status.PASSED if verification.is_good and slow < 1.0 else Status.FAILED


def _write_message(verification: Verification, slow: float) -> Note:
    if verification.views == 0:
        return note("calibrate.marker_unseen")
    p_value = verification.drift.p_value if verification.drift else None
    return note(
        _choose_code(verification, slow),
        off_mm=verification.translation_mm,
        off_deg=verification.rotation_deg,
        p_value=p_value,
    )


def _choose_code(verification: Verification, slow: float) -> str:
    if verification.halts_collection:
        return "calibrate.marker_halts"
    if not verification.is_good:
        return "calibrate.marker_warns"
    if verification.drift and verification.drift.moved:
        return "calibrate.marker_moved"
    return "calibrate.marker_drifts" if slow >= 1.0 else "calibrate.marker_good"


def _read_marker_views(
    workspace: Workspace,
    calibration: Calibration,
    written: dict[str, WrittenPoses],
    rotation: tuple[str, ...],
    units: tuple[str, ...],
) -> list[room.View]:
    if calibration.parent != BASE and MOUNT not in written:
        raise BadInput(f"{calibration.sensor} sits on the {calibration.parent}: each view needs {MOUNT} too.")
    poses = {}
    for name, each in written.items():
        reading = choose_reading(each, rotation, units)
        wrong = find_impossible_poses(each, reading, workspace.protocol())
        if wrong.complaints:
            raise BadInput(f"{name}: {write_sentence(wrong.complaints[0])}")
        poses[name] = convert_to_matrices(each, reading)
        poses[name][sorted(wrong.rows)] = np.nan  # such a view counts as missing
    mounts = poses[MOUNT] if calibration.parent != BASE else [None] * len(poses[SEEN])
    return [
        room.View(
            _convert_to_matrix(known), _convert_to_matrix(seen), None if mount is None else _convert_to_matrix(mount)
        )
        for known, seen, mount in zip(poses[KNOWN], poses[SEEN], mounts, strict=True)
    ]


def _convert_to_matrix(pose: Floats) -> Matrix:
    return tuple(tuple(map(float, row)) for row in pose)
