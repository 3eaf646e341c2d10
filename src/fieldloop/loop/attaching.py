"""What a calibration is attached by: a sensor that its robot really has, and a time from which it holds."""

from datetime import datetime

from fieldloop.calibrate import in_force, trusted
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.hardware import Robot
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.verification import Verification


def known_sensor(workspace: Workspace, robot: str, sensor: str) -> None:
    """Refuse a sensor that a registered robot does not have; of a robot that lists none nothing is known."""
    known = workspace.store.get(Robot, robot) if workspace.store.count(Robot) else None
    names = [name for s in (known.sensors if known else ()) for name in (s.stream, s.serial)]
    if names and sensor not in names:
        raise UnknownName(f"sensor of {robot}", sensor, names)


def since_ns(text: str) -> int | None:
    """Read a time with its zone; nothing given is None.

    >>> since_ns("2026-11-15T08:00:00Z")
    1794729600000000000
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as wrong:
        raise BadInput(f"{text!r} is no time. Write it as 2026-11-15T08:00:00Z.") from wrong
    if moment.tzinfo is None:
        raise BadInput(f"{text!r} does not say its zone. End it with Z for UTC.")
    return int(moment.timestamp()) * NS_PER_S


def in_force_on(workspace: Workspace, robot: str, sensor: str, at_ns: int) -> Calibration:
    """Return the calibration of a sensor that holds at a time, or say which sensors are calibrated at all."""
    known = workspace.store.find(Calibration, {"robot": robot})
    found = in_force(known, sensor, at_ns, robot=robot)
    if found is None and sensor not in {c.sensor for c in known}:
        raise UnknownName(f"calibrated sensor of {robot}", sensor, {c.sensor for c in known})
    if found is None:
        raise BadInput(f"No calibration of {sensor} on {robot} is in force at that time. Calibrate it first.")
    return found


def trusted_calibrations(workspace: Workspace, robot: str = "") -> tuple[Calibration, ...]:
    """Return calibrations for as long as verifications let them be relied on, of all robots or of one."""
    whose = {"robot": robot} if robot else {}
    return trusted(workspace.store.find(Calibration, whose), workspace.store.find(Verification, whose))
