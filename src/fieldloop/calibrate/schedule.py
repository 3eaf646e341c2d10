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


def schedule(
    robots: Iterable[Robot],
    known: Known,
    at_ns: int,
    settings: Section,
    *,
    floors: Iterable[str] = (),
    precise: bool = False,
) -> tuple[Due, ...]:
    """List what is due on each sensor, overdue first; `floors` are the deployed sites, all others laboratories.

    It covers the sensors that a robot is registered with and those ever calibrated on it.
    """
    on_floor = frozenset(floors)
    due_work = [
        due
        for robot in robots
        for sensor in _sensors(robot, known)
        for due in _due_on_sensor(
            _History.of(robot, sensor, known, at_ns), at_ns, settings, on_floor=robot.site in on_floor, precise=precise
        )
    ]
    return tuple(sorted(due_work, key=lambda d: (not d.overdue, d.due_ns is None, d.due_ns or 0, d.robot, d.sensor)))


def _sensors(robot: Robot, known: Known) -> Iterable[str]:
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
    def of(cls, robot: Robot, sensor: str, known: Known, at_ns: int) -> "_History":
        names = {sensor, *(s.serial for s in robot.sensors if s.stream == sensor and s.serial)}
        held = [c for c in known.calibrations if c.robot == robot.id and c.sensor in names and c.holds_at(at_ns)]
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
            max((v.at_ns for v in looks if v.good), default=begun),
            max(sittings, key=lambda s: s.opened_ns, default=None),
        )


def _due_on_sensor(past: _History, at_ns: int, settings: Section, *, on_floor: bool, precise: bool) -> Iterator[Due]:
    def due(work: Work, when_ns: int | None, why: Note) -> Due:
        return Due(past.robot, past.sensor, work, when_ns, when_ns is not None and when_ns <= at_ns, why)

    if past.calibration is None:
        yield due(Work.CALIBRATE, at_ns, note("calibrate.due_none"))
    elif past.calibration.status is not Status.PASSED:
        why = note("calibrate.due_status", status=past.calibration.status.value)
        yield due(Work.CALIBRATE, past.calibration.valid_from_ns, why)
    elif past.last is not None and not past.last.good:
        yield due(Work.CALIBRATE, past.last.at_ns, note("calibrate.due_failed"))
    elif not on_floor:
        week_ns = int(settings.number("calibration_max_age_h") * MINUTES_PER_HOUR) * NS_PER_MINUTE
        yield due(Work.VERIFY, past.last_good_ns + week_ns, note("calibrate.due_weekly"))
    else:
        minutes = "precision_calibration_max_age_min" if precise else "floor_calibration_max_age_min"
        yield _due_on_floor(past, int(settings.number(minutes)), due)


def _due_on_floor(past: _History, every_min: int, due: Callable[[Work, int | None, Note], Due]) -> Due:
    session = past.session
    if session is not None and past.last_good_ns < session.opened_ns:
        return due(Work.VERIFY, session.opened_ns, note("calibrate.due_start"))
    if session is not None and session.closed_ns is None:
        why = note("calibrate.due_every", every_min=every_min)
        return due(Work.VERIFY, past.last_good_ns + every_min * NS_PER_MINUTE, why)
    if session is not None and session.closed_ns is not None and past.last_good_ns < session.closed_ns:
        return due(Work.VERIFY, session.closed_ns, note("calibrate.due_end"))
    return due(Work.VERIFY, None, note("calibrate.due_next"))
