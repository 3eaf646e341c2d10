"""A session opens when everything is in order, and for every single thing that is not it says which."""

import dataclasses
import random

import pytest

from fieldloop.collect import Station, may_open, open_session
from fieldloop.errors import Refused
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot, Sensor
from fieldloop.model.identity import Ids
from fieldloop.model.person import Operator
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import default_operations

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


def ids():
    return Ids(lambda: NOW, random.Random(1).getrandbits)


def against(station=STATION, done=DONE, calibrations=(GOOD,), at_ns=NOW):
    return may_open(station, done, calibrations, at_ns, SETTINGS)


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
    ("reasons", "says"),
    [
        (lambda: against(done=DONE[1:]), DONE[0]),
        (lambda: against(calibrations=()), "Camera cam-7 has no calibration in force"),
        (lambda: against(calibrations=[dataclasses.replace(GOOD, robot="r2")]), "no calibration in force"),
        (lambda: against(calibrations=[dataclasses.replace(GOOD, valid_to_ns=NOW)]), "no calibration in force"),
        (
            lambda: against(calibrations=[dataclasses.replace(GOOD, status=Status.CANNOT_TELL)]),
            "cam-7 is cannot_tell",
        ),
        (lambda: against(calibrations=[dataclasses.replace(GOOD, valid_from_ns=NOW - 169 * HOUR)]), "10140 min old"),
        (lambda: against(changed_robot(sensors=())), None),
        (lambda: against(changed_robot(sensors=()), calibrations=()), "r1 has no calibration in force"),
        (lambda: against(changed_robot(cycles=50_000)), "Inspect it"),
        (
            lambda: against(
                changed_robot(sensors=(Sensor("ft", StreamKind.FORCE_TORQUE, "force"),)), calibrations=[GOOD]
            ),
            "Sensor ft (force)",
        ),
        (lambda: against(dataclasses.replace(STATION, task="fold")), "qualified on pick, not on fold"),
    ],
)
def test_every_single_thing_amiss_is_named_alone(reasons, says):
    found = reasons()
    assert len(found) == (says is not None)
    assert says is None or says in found[0]


def test_the_floor_and_precision_shorten_how_old_a_calibration_may_be():
    aged = [dataclasses.replace(GOOD, valid_from_ns=NOW - HOUR * 3 // 4)]
    assert against(dataclasses.replace(STATION, on_floor=True), calibrations=aged) == ()
    assert "45 min old; at most 30 allowed" in against(dataclasses.replace(STATION, precise=True), calibrations=aged)[0]


def test_a_newer_good_calibration_heals_an_older_bad_one():
    bad = dataclasses.replace(GOOD, id="c0", status=Status.FAILED, valid_from_ns=NOW - 2 * HOUR)
    assert against(calibrations=[GOOD, bad]) == ()


def test_refusal_gives_all_reasons_at_once():
    with pytest.raises(Refused) as caught:
        open_session(STATION, (), (), NOW, SETTINGS, ids())
    assert all(item in str(caught.value) for item in DONE)
    assert "Camera cam-7" in str(caught.value)
