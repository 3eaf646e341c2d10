"""Calibration work that is due: laboratories weekly; floors at the start and end of sessions and hourly."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Session
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.note import Note, note
from fieldloop.model.stream import MINUTES_PER_HOUR, NS_PER_MINUTE, StreamKind
from fieldloop.model.verification import Verification
from fieldloop.protocol import Section

CALIBRATED = (StreamKind.RGB, StreamKind.DEPTH, StreamKind.FORCE_TORQUE)


class Work(StrEnum):
    """What is to be done."""

    CALIBRATE = "calibrate"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Due:
    """One thing to do on one sensor; without a time it is due when the next session begins."""

    robot: str
    sensor: str
    work: Work
    due_ns: int | None
    overdue: bool
    why: Note


@dataclass(frozen=True, slots=True)
class Known:
    """The calibrations, verifications and sessions on record."""

    calibrations: Sequence[Calibration]
    verifications: Sequence[Verification]
    sessions: Sequence[Session]


def list_due_work(
    robots: Iterable[Robot],
    known: Known,
    at_ns: int,
    settings: Section,
    *,
    deployed_sites: Iterable[str] = (),
    precise: bool = False,
) -> tuple[Due, ...]:
    """List what is due on each sensor, overdue first; `deployed_sites` are the deployed sites, all others laboratories.

    It covers the sensors that a robot is registered with and those ever calibrated on it.
    """
    on_floor = frozenset(deployed_sites)
    due_work = [
        due
        for robot in robots
        for sensor in _list_sensors(robot, known)
        for due in _list_due_on_sensor(
            _History.from_records(robot, sensor, known, at_ns),
            at_ns,
            settings,
            on_floor=robot.site in on_floor,
            precise=precise,
        )
    ]
    return tuple(sorted(due_work, key=lambda d: (not d.overdue, d.due_ns is None, d.due_ns or 0, d.robot, d.sensor)))


def _list_sensors(robot: Robot, known: Known) -> Iterable[str]:
    registered = [s.stream or s.serial for s in robot.sensors if s.kind in CALIBRATED]
    serials = {s.serial for s in robot.sensors}
    calibrated = [c.sensor for c in known.calibrations if c.robot == robot.id and c.sensor not in serials]
    return dict.fromkeys([*registered, *sorted(calibrated)])


@dataclass(frozen=True, slots=True)
class _History:
    robot: str
    sensor: str
    calibration: Calibration | None
    last: Verification | None
    last_good_ns: int
    session: Session | None

    @classmethod
    def from_records(cls, robot: Robot, sensor: str, known: Known, at_ns: int) -> "_History":
        names = {sensor, *(s.serial for s in robot.sensors if s.stream == sensor and s.serial)}
        held = [c for c in known.calibrations if c.robot == robot.id and c.sensor in names and c.is_in_force_at(at_ns)]
        calibration = max(held, key=lambda c: c.valid_from_ns, default=None)
        begun = calibration.valid_from_ns if calibration else 0
        mine = (v for v in known.verifications if v.robot == robot.id and v.sensor in names)
        looks = sorted((v for v in mine if begun <= v.at_ns <= at_ns), key=lambda v: v.at_ns)
        sittings = [s for s in known.sessions if s.robot == robot.id and s.opened_ns <= at_ns]
        return cls(
            robot.id,
            sensor,
            calibration,
            looks[-1] if looks else None,
            max((v.at_ns for v in looks if v.is_good), default=begun),
            max(sittings, key=lambda s: s.opened_ns, default=None),
        )


def _list_due_on_sensor(
    history: _History, at_ns: int, settings: Section, *, on_floor: bool, precise: bool
) -> Iterator[Due]:
    def make_due(work: Work, when_ns: int | None, why: Note) -> Due:
        return Due(history.robot, history.sensor, work, when_ns, when_ns is not None and when_ns <= at_ns, why)

    if history.calibration is None:
        yield make_due(Work.CALIBRATE, at_ns, note("calibrate.due_none"))
    elif history.calibration.status is not Status.PASSED:
        why = note("calibrate.due_status", status=history.calibration.status.value)
        yield make_due(Work.CALIBRATE, history.calibration.valid_from_ns, why)
    elif history.last is not None and not history.last.is_good:
        yield make_due(Work.CALIBRATE, history.last.at_ns, note("calibrate.due_failed"))
    elif not on_floor:
        week_ns = int(settings.number("calibration_max_age_h") * MINUTES_PER_HOUR) * NS_PER_MINUTE
        yield make_due(Work.VERIFY, history.last_good_ns + week_ns, note("calibrate.due_weekly"))
    else:
        minutes = "precision_calibration_max_age_min" if precise else "floor_calibration_max_age_min"
        yield _schedule_floor_verification(history, int(settings.number(minutes)), make_due)


def _schedule_floor_verification(
    history: _History, every_min: int, make_due: Callable[[Work, int | None, Note], Due]
) -> Due:
    session = history.session
    if session is not None and history.last_good_ns < session.opened_ns:
        return make_due(Work.VERIFY, session.opened_ns, note("calibrate.due_start"))
    if session is not None and session.closed_ns is None:
        why = note("calibrate.due_every", every_min=every_min)
        return make_due(Work.VERIFY, history.last_good_ns + every_min * NS_PER_MINUTE, why)
    if session is not None and session.closed_ns is not None and history.last_good_ns < session.closed_ns:
        return make_due(Work.VERIFY, session.closed_ns, note("calibrate.due_end"))
    return make_due(Work.VERIFY, None, note("calibrate.due_next"))
