"""A session opens when everything is in order, and for every single thing that is not it says which."""

import dataclasses
import random

import pytest

from fieldloop.collect import Station, list_reasons_against_opening, open_session
from fieldloop.errors import Refused
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot, Sensor
from fieldloop.model.identity import Ids
from fieldloop.model.note import note
from fieldloop.model.person import Operator
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import Unverified, default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["collect"]
HOUR = 3600 * 10**9
NOW = 1000 * HOUR
UNIT = ((1.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0))

ROBOT = Robot("r1", "arm", "north", (Sensor("cam-7", StreamKind.RGB, "camera/overhead", synchronised_by="PTP"),))
STATION = Station(ROBOT, Operator("op1", qualified_on=("pick",)), "pick", "pick v1")
GOOD = Calibration(
    "c1", "hand-eye", "r1", "cam-7", "base", "camera", UNIT, "park", 0.8, 0.1, 20, Status.PASSED, NOW - HOUR
)
DONE = SETTINGS["checklist"]
LATE = Unverified("camera/overhead", note("protocol.clock_not_declared"))


def ids():
    return Ids(lambda: NOW, random.Random(1).getrandbits)


def against(station=STATION, done=DONE, calibrations=(GOOD,), at_ns=NOW):
    return list_reasons_against_opening(station, done, calibrations, at_ns, SETTINGS)


def changed_robot(**changes):
    return dataclasses.replace(STATION, robot=dataclasses.replace(ROBOT, **changes))


def test_everything_in_order_opens_and_records_what_it_rests_on():
    assert against() == ()
    session = open_session(STATION, DONE, [GOOD], NOW, SETTINGS, ids())
    assert (session.site, session.robot, session.operator, session.opened_ns) == ("north", "r1", "op1", NOW)
    assert session.calibrations == ("c1",)
    assert session.checklist == DONE
    assert session.closed_ns is None


@pytest.mark.parametrize(
    ("reasons", "code", "numbers"),
    [
        (lambda: against(done=DONE[1:]), "item_not_done", {"item": DONE[0]}),
        (lambda: against(calibrations=()), "camera_not_calibrated", {"serial": "cam-7"}),
        (lambda: against(calibrations=[dataclasses.replace(GOOD, robot="r2")]), "camera_not_calibrated", {}),
        (lambda: against(calibrations=[dataclasses.replace(GOOD, valid_to_ns=NOW)]), "camera_not_calibrated", {}),
        (
            lambda: against(calibrations=[dataclasses.replace(GOOD, status=Status.CANNOT_TELL)]),
            "calibration_not_passed",
            {"sensor": "cam-7", "verdict": "cannot_tell"},
        ),
        (
            lambda: against(calibrations=[dataclasses.replace(GOOD, valid_from_ns=NOW - 169 * HOUR)]),
            "calibration_too_old",
            {"age_min": 10140.0},
        ),
        (lambda: against(changed_robot(sensors=())), None, {}),
        (lambda: against(changed_robot(sensors=()), calibrations=()), "robot_not_calibrated", {}),
        (lambda: against(changed_robot(cycles=50_000)), "inspection_due", {"cycles": 50_000}),
        (
            lambda: against(
                changed_robot(sensors=(Sensor("ft", StreamKind.FORCE_TORQUE, "force"),)), calibrations=[GOOD]
            ),
            "clock_not_declared",
            {"serial": "ft"},
        ),
        (
            lambda: against(dataclasses.replace(STATION, task="fold")),
            "operator_not_qualified",
            {"qualified_on": ("pick",), "task": "fold"},
        ),
        (
            lambda: against(dataclasses.replace(STATION, unverified=(LATE,))),
            "clock_not_verified",
            {"reason": LATE.reason},
        ),
    ],
)
def test_every_single_thing_amiss_is_named_alone(reasons, code, numbers):
    found = reasons()
    assert [reason.code for reason in found] == ([f"collect.{code}"] if code else [])
    assert all(numbers.items() <= dict(reason.numbers).items() for reason in found)


def test_the_floor_and_precision_shorten_how_old_a_calibration_may_be():
    aged = [dataclasses.replace(GOOD, valid_from_ns=NOW - HOUR * 3 // 4)]
    assert against(dataclasses.replace(STATION, on_floor=True), calibrations=aged) == ()
    (old,) = against(dataclasses.replace(STATION, precise=True), calibrations=aged)
    assert (old.code, old["age_min"], old["limit_min"]) == ("collect.calibration_too_old", 45.0, 30.0)
    assert "45 min old; at most 30 min allowed" in write_sentence(old)


def test_a_newer_good_calibration_heals_an_older_bad_one():
    bad = dataclasses.replace(GOOD, id="c0", status=Status.FAILED, valid_from_ns=NOW - 2 * HOUR)
    assert against(calibrations=[GOOD, bad]) == ()


def test_refusal_gives_all_reasons_at_once():
    with pytest.raises(Refused) as caught:
        open_session(STATION, (), (), NOW, SETTINGS, ids())
    codes = [reason.code for reason in caught.value.reasons]
    assert codes == ["collect.item_not_done"] * len(DONE) + ["collect.camera_not_calibrated"]
