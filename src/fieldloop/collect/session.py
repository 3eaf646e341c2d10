"""Opening a session: it needs a complete checklist, calibrations in force and verified clocks."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from fieldloop.errors import Refused
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Session
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.person import Operator
from fieldloop.model.stream import MINUTES_PER_HOUR, NS_PER_MINUTE, StreamKind
from fieldloop.protocol import Section, Unverified

SEES = (StreamKind.RGB, StreamKind.DEPTH)


@dataclass(frozen=True, slots=True)
class Station:
    """The setting of a session: operator, robot, task and protocol.

    `on_floor` and `precise` shorten the allowed age of a calibration. `unverified` are devices with unverified clocks.
    """

    robot: Robot
    operator: Operator
    task: str
    protocol: str
    work_order: str | None = None
    on_floor: bool = False
    precise: bool = False
    unverified: tuple[Unverified, ...] = ()


def list_reasons_against_opening(
    station: Station,
    checklist_done: Collection[str],
    calibrations: Iterable[Calibration],
    at_ns: int,
    settings: Section,
) -> tuple[Note, ...]:
    """List every reason against opening a session now; an empty list means that it may open."""
    return (
        *_list_unticked_items(checklist_done, settings),
        *_list_calibration_problems(station, tuple(calibrations), at_ns, settings),
        *_list_unsynchronised_devices(station.robot),
        *(
            note("collect.clock_not_verified", about=Subject(device.stream), reason=device.reason)
            for device in station.unverified
        ),
        *_check_inspection_due(station.robot, settings),
        *_check_qualification(station),
    )


def open_session(
    station: Station,
    checklist_done: Collection[str],
    calibrations: Iterable[Calibration],
    at_ns: int,
    settings: Section,
    ids: Ids,
) -> Session:
    """Open a session, or refuse with every reason at once (`Refused.reasons`)."""
    known = tuple(calibrations)
    if reasons := list_reasons_against_opening(station, checklist_done, known, at_ns, settings):
        raise Refused(f"No session on {station.robot.id} now", reasons)
    return Session(
        id=ids.new("session"),
        site=station.robot.site,
        robot=station.robot.id,
        operator=station.operator.id,
        task=station.task,
        protocol=station.protocol,
        opened_ns=at_ns,
        work_order=station.work_order,
        checklist=tuple(item for item in settings["checklist"]),
        calibrations=tuple(c.id for c in _select_calibrations_in_force(station.robot, known, at_ns)),
    )


def _list_unticked_items(checklist_done: Collection[str], settings: Section) -> Iterator[Note]:
    for item in settings["checklist"]:
        if item not in checklist_done:
            yield note("collect.item_not_done", item=item)


def _list_calibration_problems(
    station: Station, calibrations: tuple[Calibration, ...], at_ns: int, settings: Section
) -> Iterator[Note]:
    in_force = _select_calibrations_in_force(station.robot, calibrations, at_ns)
    cameras = {s.serial for s in station.robot.sensors if s.kind in SEES}
    calibrated = {c.sensor for c in in_force}
    streams = {s.serial: s.stream for s in station.robot.sensors}
    for serial in sorted(cameras):
        if serial not in calibrated and streams[serial] not in calibrated:
            yield note("collect.camera_not_calibrated", about=Subject(streams[serial]), serial=serial)
    if not in_force and not cameras:
        yield note("collect.robot_not_calibrated", about=Subject(robot=station.robot.id))
    limit_min = _get_max_calibration_age_min(station, settings)
    for calibration in in_force:
        age_min = (at_ns - calibration.valid_from_ns) / NS_PER_MINUTE
        if calibration.status is not Status.PASSED:
            verdict = calibration.status.value
            yield note("collect.calibration_not_passed", sensor=calibration.sensor, verdict=verdict)
        elif age_min > limit_min:
            yield note("collect.calibration_too_old", sensor=calibration.sensor, age_min=age_min, limit_min=limit_min)


def _select_calibrations_in_force(
    robot: Robot, calibrations: tuple[Calibration, ...], at_ns: int
) -> tuple[Calibration, ...]:
    """Return the newest calibration of each kind and sensor of this robot that holds now."""
    newest: dict[tuple[str, str], Calibration] = {}
    for calibration in sorted(calibrations, key=lambda c: c.valid_from_ns):
        if calibration.robot == robot.id and calibration.is_in_force_at(at_ns):
            newest[calibration.kind, calibration.sensor] = calibration
    return tuple(newest.values())


def _get_max_calibration_age_min(station: Station, settings: Section) -> float:
    if station.precise:
        return settings.number("precision_calibration_max_age_min")
    if station.on_floor:
        return settings.number("floor_calibration_max_age_min")
    return settings.number("calibration_max_age_h") * MINUTES_PER_HOUR


def _list_unsynchronised_devices(robot: Robot) -> Iterator[Note]:
    for sensor in robot.sensors:
        if not sensor.synchronised_by:
            yield note("collect.clock_not_declared", about=Subject(sensor.stream), serial=sensor.serial)


def _check_inspection_due(robot: Robot, settings: Section) -> Iterator[Note]:
    limit = int(settings.number("inspection_cycles"))
    if robot.cycles >= limit:
        yield note("collect.inspection_due", about=Subject(robot=robot.id), cycles=robot.cycles, limit_cycles=limit)


def _check_qualification(station: Station) -> Iterator[Note]:
    qualified = station.operator.qualified_on
    if qualified and station.task not in qualified:
        yield note(
            "collect.operator_not_qualified",
            operator=station.operator.id,
            qualified_on=tuple(qualified),
            task=station.task,
        )
