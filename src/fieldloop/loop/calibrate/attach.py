"""Where calibrations are stored: the sensor, the robot and the start of validity, checked."""

from datetime import UTC, datetime, timedelta

from fieldloop.calibrate import cut_to_trusted_periods, find_calibration_in_force
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.hardware import Robot
from fieldloop.model.verification import Verification


def require_known_sensor(workspace: Workspace, robot: str, sensor: str) -> None:
    """Refuse a sensor that a registered robot does not have; a robot without listed sensors accepts any."""
    known = workspace.store.get(Robot, robot) if workspace.store.count(Robot) else None
    names = [name for s in (known.sensors if known else ()) for name in (s.stream, s.serial)]
    if names and sensor not in names:
        raise UnknownName(f"sensor of {robot}", sensor, names)


def choose_workspace_to_store_in(workspace: Workspace | None, robot: str, sensor: str) -> Workspace | None:
    """Return the workspace that stores the result for a sensor; None where none is named.

    An incomplete name, a missing workspace or an unknown sensor is refused before any work is done.
    """
    if bool(sensor) != bool(robot):
        raise BadInput("Give both --sensor and --robot to store the result, or neither.")
    if not sensor:
        return None
    if workspace is None:
        raise BadInput(
            "This folder is not a workspace, so the result cannot be stored. Leave --sensor out, or name a workspace "
            "with --workspace."
        )
    require_known_sensor(workspace, robot, sensor)
    return workspace


def parse_time_ns(text: str) -> int | None:
    """Read a time with its zone; nothing given is None.

    >>> parse_time_ns("2026-11-15T08:00:00Z"), parse_time_ns("2026-11-15T09:00:00.25+01:00")
    (1794729600000000000, 1794729600250000000)
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as wrong:
        raise BadInput(f"{text!r} is not a valid time. Write it as 2026-11-15T08:00:00Z.") from wrong
    if moment.tzinfo is None:
        raise BadInput(f"{text!r} has no time zone. End it with Z for UTC.")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000


def require_calibration(workspace: Workspace, robot: str, sensor: str, at_ns: int) -> Calibration:
    """Return the calibration of a sensor that is in force at a time; an error lists the calibrated sensors."""
    known = workspace.store.find(Calibration, {"robot": robot})
    calibration = find_calibration_in_force(known, sensor, at_ns, robot=robot)
    if calibration is None and sensor not in {c.sensor for c in known}:
        raise UnknownName(f"calibrated sensor of {robot}", sensor, {c.sensor for c in known})
    if calibration is None:
        raise BadInput(f"No calibration of {sensor} on {robot} is in force at that time. Calibrate it first.")
    return calibration


def find_trusted_calibrations(workspace: Workspace, robot: str = "") -> tuple[Calibration, ...]:
    """Return calibrations for as long as verifications confirm them, of all robots or of one."""
    whose = {"robot": robot} if robot else {}
    return cut_to_trusted_periods(workspace.store.find(Calibration, whose), workspace.store.find(Verification, whose))
