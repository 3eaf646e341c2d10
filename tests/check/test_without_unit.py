"""Faults that show in any unit: readings that drop out and return, and commands that never change."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check.judging import is_protocol_named
from fieldloop.model.finding import BEYOND, Status
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import StreamKind
from fieldloop.say import write_sentence
from fieldloop.testing.planted import make_case, make_stream, measure_by_subject

ROWS = 200
DROPS, CONSTANT = "integrity.dropouts", "motion.constant_action"
WAY = np.round(40 + 30 * np.sin(np.arange(ROWS) / 20))
NO_UNIT = {ASSUMPTION_NOTES[StreamFact.UNIT]: "nothing states it"}


def make_joints(*columns, kind=StreamKind.JOINT_POSITION, name="joints"):
    return replace(make_stream(name, kind, np.column_stack(columns), unit="", hz=10), notes=NO_UNIT)


def drop(column, rows, value=90.0):
    dropped = column.copy()
    dropped[rows] = value
    return dropped


def judge(case, name):
    named = is_protocol_named((case.episode,), case.protocol)
    findings = check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=named)
    return [one for one in findings if one.check == name]


@pytest.mark.parametrize("value", [90.0, -20.0, -250.0])
def test_readings_that_drop_out_fail_in_any_unit_without_a_protocol(value):
    case = make_case(make_joints(WAY, drop(WAY, [20, 21, 95, 150, 151], value)))
    (found,) = judge(case, DROPS)
    assert (found.status, found.measured) == (Status.FAILED, 5)
    assert found.at_s == pytest.approx(2.0)
    assert "jumps to" in write_sentence(found.place)


def make_healthy_columns():
    random = np.random.default_rng(0)
    switch = (np.arange(ROWS) % 40 < 2) * 1.0  # a button, pressed for two rows
    gripper = np.repeat(np.tile([0.0, 100.0], 10), 10) + random.normal(0, 0.2, ROWS)
    tapping = 4 + (np.arange(ROWS) % 25 == 3) * 80.0 + random.normal(0, 0.2, ROWS)
    turning = 179 + np.round(np.sin(np.arange(ROWS)) * 1.4)
    return {
        "path": WAY,
        "twice": drop(WAY, [20, 90]),
        "held for three rows": drop(WAY, [20, 21, 22, 80, 81, 82, 150, 151, 152]),
        "each time another value": drop(WAY, [20, 80, 150], np.array([91.0, 99.0, 107.0])),
        "switch": switch,
        "gripper": gripper,
        "tapping": tapping,
        "degrees that wrap": np.where(turning > 179, turning - 360, turning),
        "radians that wrap": np.angle(np.exp(1j * (np.pi + 0.05 * np.sin(np.arange(ROWS))))).round(3),
        "noise": np.round(random.normal(0, 3, ROWS)),
        "flicker": np.round(WAY / 8 + random.uniform(-0.5, 0.5, ROWS)),
        "still": np.full(ROWS, 7.0),
    }


@pytest.mark.parametrize("name", make_healthy_columns())
def test_healthy_columns_do_not_drop_out(name):
    assert measure_by_subject(DROPS, make_case(make_joints(make_healthy_columns()[name])))["joints"].value == 0


def test_columns_of_assumed_meaning_cannot_fail():
    joints = make_joints(drop(WAY, [20, 95, 150]))
    assumed = replace(joints, notes={ASSUMPTION_NOTES[StreamFact.MEANING]: "by its name"})
    assert [one.status for one in judge(make_case(assumed), DROPS)] == [Status.CANNOT_TELL]


def test_commands_that_never_change_are_a_warning_in_any_unit():
    held = make_joints(np.full(ROWS, 90.0), np.full(ROWS, 45.0), kind=StreamKind.ACTION, name="action")
    (found,) = judge(make_case(make_joints(WAY, WAY), held), CONSTANT)
    assert (found.status, found.measured, found.counts) == (Status.CANNOT_TELL, 2, True)
    assert found.reason.code == BEYOND


def test_commands_that_never_change_fit_joints_that_rest():
    held = make_joints(np.full(ROWS, 90.0), kind=StreamKind.ACTION, name="action")
    resting = drop(np.full(ROWS, 86.0), [20, 80, 150])  # single bad readings are no motion
    assert all(not one.counts for one in judge(make_case(make_joints(resting), held), CONSTANT))
