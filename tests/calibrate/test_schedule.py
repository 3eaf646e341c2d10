"""What is due when, on the floor and in the laboratory; overdue first."""

import dataclasses

from fieldloop.calibrate.schedule import Known, Work, list_due_work
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Session
from fieldloop.model.finding import Finding, Status
from fieldloop.model.hardware import Robot, Sensor
from fieldloop.model.note import Subject
from fieldloop.model.stream import StreamKind
from fieldloop.model.verification import Verification
from fieldloop.protocol import default_operations

MINUTE = 60 * 10**9
HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE
SETTINGS = default_operations()["collect"]
CAMERA = Sensor("D435", StreamKind.RGB, "camera/wrist")
ROBOT = Robot("arm", "ur5", "hall", (CAMERA, Sensor("J", StreamKind.JOINT_POSITION, "joints")))
EYE = ((1.0, 0.0, 0.0, 0.0),)
GOOD = Calibration(
    "c", "hand_eye", "arm", "camera/wrist", "gripper", "camera/wrist", EYE, "", 1.0, 0.1, 20, Status.PASSED, 0
)


def look(at_ns, *, good=True):
    status = Status.PASSED if good else Status.FAILED
    finding = Finding("calibration.warn_translation", Subject("camera/wrist"), status, 1.0, None, 2.0, "mm")
    return Verification("c", "arm", "camera/wrist", at_ns, 5, 1.0, 0.1, (finding,))


def sitting(opened_ns, closed_ns=None):
    return Session("s", "hall", "arm", "op", "pick", "p", opened_ns, closed_ns=closed_ns)


def due(at_ns, *, looks=(), sessions=(), calibrations=(GOOD,), floor=True, precise=False, robots=(ROBOT,)):
    known = Known(calibrations, looks, sessions)
    return list_due_work(robots, known, at_ns, SETTINGS, deployed_sites=("hall",) if floor else (), precise=precise)


def test_a_laboratory_is_verified_weekly():
    (one,) = due(3 * DAY, floor=False)
    assert (one.work, one.due_ns, one.overdue) == (Work.VERIFY, 7 * DAY, False)
    assert due(8 * DAY, floor=False)[0].overdue
    assert due(8 * DAY, floor=False, looks=[look(6 * DAY)])[0].due_ns == 13 * DAY


def test_a_floor_is_verified_at_start_and_end_and_every_hour():
    day = DAY
    begun = [sitting(day)]
    (start,) = due(day + MINUTE, sessions=begun)
    assert (start.due_ns, start.overdue, start.why.code) == (day, True, "calibrate.due_start")
    (next_one,) = due(day + 10 * MINUTE, sessions=begun, looks=[look(day + MINUTE)])
    assert (next_one.due_ns, next_one.overdue) == (day + 61 * MINUTE, False)
    assert due(day + 40 * MINUTE, sessions=begun, looks=[look(day)], precise=True)[0].overdue
    ended = [sitting(day, day + 2 * HOUR)]
    (end,) = due(day + 3 * HOUR, sessions=ended, looks=[look(day + HOUR)])
    assert (end.due_ns, end.why.code, end.overdue) == (day + 2 * HOUR, "calibrate.due_end", True)
    (idle,) = due(day + 3 * HOUR, sessions=ended, looks=[look(day + 2 * HOUR)])
    assert (idle.due_ns, idle.overdue) == (None, False)


def test_a_sensor_that_was_not_registered_is_due_once_it_was_calibrated():
    bare = dataclasses.replace(ROBOT, sensors=())
    (one,) = due(8 * DAY, floor=False, robots=(bare,))
    assert (one.sensor, one.work, one.overdue) == ("camera/wrist", Work.VERIFY, True)
    by_serial = dataclasses.replace(GOOD, sensor="D435")
    assert [d.sensor for d in due(DAY, calibrations=[by_serial])] == ["camera/wrist"]  # one camera, not two


def test_what_is_not_calibrated_or_failed_is_due_now():
    assert due(DAY, calibrations=())[0].work is Work.CALIBRATE
    failed = dataclasses.replace(GOOD, status=Status.FAILED)
    assert due(DAY, calibrations=[failed])[0].overdue
    (bad,) = due(DAY, looks=[look(HOUR), look(2 * HOUR, good=False)])
    assert (bad.work, bad.due_ns) == (Work.CALIBRATE, 2 * HOUR)
    again = dataclasses.replace(GOOD, id="d", valid_from_ns=3 * HOUR)
    assert due(DAY, looks=[look(2 * HOUR, good=False)], calibrations=[again], floor=False)[0].work is Work.VERIFY


def test_overdue_comes_first_and_a_serial_counts_as_its_stream():
    second = dataclasses.replace(ROBOT, id="other", sensors=(Sensor("X", StreamKind.FORCE_TORQUE, "force"),))
    by_serial = dataclasses.replace(GOOD, sensor="D435")
    found = due(DAY, calibrations=[by_serial], robots=(ROBOT, second), floor=False)
    assert [(d.robot, d.overdue) for d in found] == [("other", True), ("arm", False)]
    assert not due(DAY, robots=())
