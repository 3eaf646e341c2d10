"""Sensors that failed their last verification and were not calibrated since."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.verification import Verification

AGAIN = {"extrinsic": "POINTS.csv"}
"""The argument of `calibrate` by kind of calibration; hand-eye poses for other kinds."""


@dataclass(frozen=True, slots=True)
class SlippedSensor:
    """A sensor to calibrate again: its failed verification, and the number of episodes flagged because of it."""

    seen: Verification
    flagged: int
    kind: str

    @property
    def command(self) -> str:
        """The command that calibrates it again, by the same method as before."""
        again = AGAIN.get(self.kind, "hand-eye POSES")
        return f"fieldloop calibrate {again} --robot {self.seen.robot} --sensor {self.seen.sensor}"


def find_slipped_sensors(workspace: Workspace) -> tuple[SlippedSensor, ...]:
    """Return the sensors that wait for a calibration, those that halt collection first."""
    known = sorted(workspace.find_all(Verification), key=lambda v: (v.at_ns, v.id))
    bad = [v for v in {(v.robot, v.sensor): v for v in known}.values() if not v.is_good]
    if not bad:
        return ()
    robots = sorted({seen.robot for seen in bad})
    calibrations = workspace.store.find(Calibration, {"robot": robots})
    waiting = [seen for seen in bad if not _is_calibrated_since(calibrations, seen)]
    flagged = _count_flagged_episodes(workspace, {seen.robot for seen in waiting}, calibrations)
    found = (SlippedSensor(v, flagged[v.robot, v.sensor], _find_calibration_kind(calibrations, v)) for v in waiting)
    return tuple(sorted(found, key=lambda s: (not s.seen.halts_collection, s.seen.robot, s.seen.sensor)))


def _is_calibrated_since(calibrations: Sequence[Calibration], seen: Verification) -> bool:
    same = (c for c in calibrations if (c.robot, c.sensor) == (seen.robot, seen.sensor))
    return any(c.status is Status.PASSED and c.valid_from_ns > seen.at_ns for c in same)


def _find_calibration_kind(calibrations: Sequence[Calibration], seen: Verification) -> str:
    return next((c.kind for c in calibrations if c.id == seen.calibration), "")


def _count_flagged_episodes(
    workspace: Workspace, robots: Collection[str], calibrations: Sequence[Calibration]
) -> Counter[tuple[str, str]]:
    """Count flagged episodes by robot and sensor."""
    from fieldloop.calibrate import flag_episodes  # a workspace without a failed verification needs no calibration room

    counts = Counter[tuple[str, str]]()
    episodes = workspace.store.find(Episode, {"robot": sorted(robots)}) if robots else []
    verifications = workspace.find_all(Verification)[::-1]
    for robot in robots:
        robot_flags = flag_episodes(
            [e for e in episodes if e.robot == robot],
            [v for v in verifications if v.robot == robot],
            [c for c in calibrations if c.robot == robot],
        )
        counts.update((robot, flag.sensor) for flag in robot_flags)
    return counts
