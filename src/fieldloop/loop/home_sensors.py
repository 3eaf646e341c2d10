"""Sensors whose last look at a marker was not good, and that nobody has calibrated since."""

from dataclasses import dataclass

from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.verification import Verification

AGAIN = {"extrinsic": "POINTS.csv"}
"""What `calibrate` is given to find a sensor's place again, by the kind of its calibration; poses unless it says so."""


@dataclass(frozen=True, slots=True)
class SlippedSensor:
    """A sensor to calibrate again: the look that says so, and how many episodes are flagged because of it."""

    seen: Verification
    flagged: int
    kind: str

    @property
    def command(self) -> str:
        """What puts it right, the way it was calibrated before."""
        again = AGAIN.get(self.kind, "hand-eye POSES")
        return f"fieldloop calibrate {again} --robot {self.seen.robot} --sensor {self.seen.sensor}"


def slipped_sensors(workspace: Workspace) -> tuple[SlippedSensor, ...]:
    """Return the sensors that wait for a calibration, those that halt collection first."""
    newest = {(v.robot, v.sensor): v for v in sorted(workspace.store.find(Verification), key=lambda v: (v.at_ns, v.id))}
    waiting = [v for v in newest.values() if not v.good and not _calibrated_since(workspace, v)]
    found = (SlippedSensor(seen, _flagged(workspace, seen), _kind(workspace, seen)) for seen in waiting)
    return tuple(sorted(found, key=lambda s: (not s.seen.halts, s.seen.robot, s.seen.sensor)))


def _calibrated_since(workspace: Workspace, seen: Verification) -> bool:
    known = workspace.store.find(Calibration, {"robot": seen.robot, "sensor": seen.sensor})
    return any(c.status is Status.PASSED and c.valid_from_ns > seen.at_ns for c in known)


def _kind(workspace: Workspace, seen: Verification) -> str:
    known = workspace.store.find(Calibration, {"robot": seen.robot, "sensor": seen.sensor})
    return next((c.kind for c in known if c.id == seen.calibration), "")


def _flagged(workspace: Workspace, seen: Verification) -> int:
    from fieldloop.calibrate import flags  # a workspace without a bad look needs no calibration room

    store, whose = workspace.store, {"robot": seen.robot}
    found = flags(store.find(Episode, whose), store.find(Verification, whose), store.find(Calibration, whose))
    return sum(flag.sensor == seen.sensor for flag in found)
