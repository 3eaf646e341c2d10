"""Is each camera still where its calibration says? Against a marker, with what follows from the answer."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fieldloop import calibrate as room
from fieldloop.calibrate.conventions import impossible, read, reading_of
from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats
from fieldloop.ingest.poses import KNOWN, MOUNT, SEEN, read_marker_views
from fieldloop.loop.attaching import in_force_on, since_ns
from fieldloop.loop.judged import remember_episodes
from fieldloop.loop.measurements import judged, measured_in
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration, Matrix
from fieldloop.model.episode import Episode
from fieldloop.model.event import SensorVerified
from fieldloop.model.finding import Status
from fieldloop.model.verification import Verification
from fieldloop.model.written_poses import WrittenPoses

BASE = "base"


@dataclass(frozen=True, slots=True)
class Verified:
    """What the marker showed, what it means for collecting, and which episodes it spoils.

    `slow_drift` is the evidence of drift over all verifications of this calibration, as a share of what raises the
    alarm; 1 and more does.
    """

    status: Status
    halts: bool
    says: str
    verification: Verification
    slow_drift: float
    flagged: tuple[str, ...]

    @property
    def exit_ok(self) -> bool:
        """May the calibration be relied on?"""
        return self.status is Status.PASSED


def verify(
    workspace: Workspace,
    views: Path,
    *,
    sensor: str,
    robot: str,
    rotation: tuple[str, ...] = (),
    units: tuple[str, ...] = (),
    at: str = "",
) -> Verified:
    """Look whether a camera still stands where its calibration says; warn, halt, and flag what it spoils.

    Every episode since the last good verification is flagged by itself when this one is not good.

    Arguments:
        views: JSON or CSV with base_from_marker and camera_from_marker, and base_from_gripper for a camera on the wrist
        sensor: the camera that looked, such as camera/wrist
        robot: whose camera
        rotation: how rotations are written, such as rpy-xyz-deg or quaternion-wxyz
        units: m or mm
        at: when it looked, as ISO-8601 such as 2026-11-15T08:00:00Z; now unless given
    """
    moment = since_ns(at)
    at_ns = workspace.clock() if moment is None else moment
    calibration = in_force_on(workspace, robot, sensor, at_ns)
    past = [
        v
        for v in workspace.store.find(Verification, {"robot": robot, "sensor": sensor})
        if v.calibration == calibration.id and v.at_ns < at_ns
    ]
    past.sort(key=lambda v: v.at_ns)
    found = room.verify(
        calibration,
        _views(workspace, calibration, read_marker_views(views), rotation, units),
        workspace.protocol(),
        at_ns=at_ns,
        since=next((v.drift for v in past if v.good and v.drift), None),
        verification_id=workspace.ids.new("verification"),
    )
    before = _spoilt_by(found, workspace)
    workspace.write(SensorVerified(found))
    history = [v.drift for v in (*past, found) if v.drift]
    slow = room.slow_drift(history, workspace.protocol())[-1] if history else 0.0
    after = _spoilt_by(found, workspace)
    _judge_again(workspace, {*before, *after})
    return Verified(_status(found, slow), found.halts, _says(found, slow), found, slow, () if found.good else after)


def _judge_again(workspace: Workspace, episodes: Collection[str]) -> None:
    """Let what a failed look spoilt, or a good one set right, be judged at once: nobody has to think of it."""
    if episodes:
        found = workspace.store.find(Episode, {"id": sorted(episodes)})
        remember_episodes(workspace, judged(workspace, measured_in(workspace, found)))


def _spoilt_by(found: Verification, workspace: Workspace) -> tuple[str, ...]:
    """Return the episodes of this robot that looks at this sensor have spoilt."""
    store, whose = workspace.store, {"robot": found.robot}
    flags = room.flags(store.find(Episode, whose), store.find(Verification, whose), store.find(Calibration, whose))
    return tuple(flag.episode for flag in flags if flag.sensor == found.sensor)


def _status(found: Verification, slow: float) -> Status:
    """Only a look that leaves nothing to warn of passes; drift that adds up is something to warn of."""
    if found.views == 0:
        return Status.CANNOT_TELL
    return Status.PASSED if found.good and slow < 1.0 else Status.FAILED


def _says(found: Verification, slow: float) -> str:
    if found.views == 0:
        return "No view of the marker could be used: look again before anything is recorded."
    off = f"The marker is off by {found.translation_mm:.2f} mm and {found.rotation_deg:.2f}°"
    if found.halts:
        return f"{off}: stop collecting until the camera is calibrated again."
    if not found.good:
        return f"{off}: calibrate again soon; what was recorded since the last good look is flagged."
    if found.drift and found.drift.moved:
        return f"{off}, within limits, but it has moved (p = {found.drift.p_value:.1g}): find out what touched it."
    if slow >= 1.0:
        return f"{off}, within limits, but it drifts from one verification to the next: look at its mount."
    return f"{off}, within limits."


def _views(
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
        reading = reading_of(each, rotation, units)
        wrong = impossible(each, reading, workspace.protocol())
        if wrong.complaints:
            raise BadInput(f"{name}: {wrong.complaints[0]}")
        poses[name] = read(each, reading)
        poses[name][sorted(wrong.rows)] = np.nan  # such a view counts as not seen
    mounts = poses[MOUNT] if calibration.parent != BASE else [None] * len(poses[SEEN])
    return [
        room.View(_matrix(known), _matrix(seen), None if mount is None else _matrix(mount))
        for known, seen, mount in zip(poses[KNOWN], poses[SEEN], mounts, strict=True)
    ]


def _matrix(pose: Floats) -> Matrix:
    return tuple(tuple(map(float, row)) for row in pose)
