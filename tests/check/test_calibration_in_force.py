"""Calibrations that hold, begin late, end early, or belong to another camera."""

from dataclasses import replace

import pytest

from fieldloop.check.episode.calibration import recount_calibrations
from fieldloop.loop.work.measure_part import Rules
from fieldloop.model.finding import Measured, Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import default_protocol
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.synthetic import START_NS, make_healthy_case

CAMERA = "camera/wrist"


def changed(**fields):
    case = make_healthy_case()
    own = [replace(c, **fields) if c.sensor == CAMERA else c for c in case.calibrations]
    return replace(case, calibrations=tuple(own), _kept={})


@pytest.mark.parametrize(
    ("fields", "count", "code"),
    [
        ({}, 1, None),
        ({"valid_to_ns": START_NS + 5 * NS_PER_S}, 0, "check.calibration_ended_within"),
        ({"valid_from_ns": START_NS + NS_PER_S}, 0, "check.calibration_not_yet_valid"),
        ({"status": Status.FAILED}, 0, "check.calibration_failed"),
        ({"sensor": "camera/other"}, 0, "check.calibration_unknown"),
        ({"sensor": "camera/wrist-1"}, 1, None),  # by the device's serial number
    ],
)
def test_a_calibration_counts_where_it_is_good_and_holds_from_start_to_end(fields, count, code):
    found = measure_by_subject("calibration.in_force", changed(**fields))[CAMERA]
    assert found.value == count
    assert (found.place.code if found.place else None) == code


def test_what_is_attached_later_is_counted_anew_without_the_log():
    before = changed(sensor="camera/other")
    measured = Measured("calibration.in_force", tuple(measure_by_subject("calibration.in_force", before).values()))
    again = recount_calibrations(measured, before.episode, make_healthy_case().calibrations)
    assert [m.value for m in again.measurements] == [1, 1]
    assert all(not m.place for m in again.measurements)


@pytest.mark.parametrize(("known", "code"), [(None, "check.no_calibrations"), ({}, "check.never_calibrated")])
def test_a_robot_without_calibrations_differs_from_a_check_without_a_workspace(known, code):
    healthy = make_healthy_case()
    case = Rules(default_protocol(), calibrations=known).make_case(healthy.recording)
    assert case.find_missing_input(("calibrations",)).code == code
    measured = Measured("calibration.in_force", tuple(measure_by_subject("calibration.in_force", healthy).values()))
    assert recount_calibrations(measured, healthy.episode, None).reason.code == "check.never_calibrated"
