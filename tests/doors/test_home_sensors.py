"""Home says what came of looking at a sensor: a look that halts collection is no good news."""

import pytest
from tests.doors.story import DAY, NOW, empty_workspace

from fieldloop.loop.home.home import show_home
from fieldloop.model import event as happened
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Subject
from fieldloop.model.verification import Verification
from fieldloop.say import write_sentence

IDENTITY = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))
HALT, WARNING = "calibration.halt_shift", "calibration.warn_shift"
P, F = Status.PASSED, Status.FAILED


@pytest.fixture
def workspace(tmp_path):
    made = empty_workspace(tmp_path / "w")
    calibrated(made, "calibration_1", NOW - 9 * DAY)
    taken = tuple(
        Episode(id=name * 64, name=name, format="mcap", robot="arm-1", start_ns=NOW - n * DAY, end_ns=NOW - n * DAY + 1)
        for n, name in enumerate("abc", start=2)
    )
    made.write(happened.LogIngested(Log(Blob("d" * 64, 1), "x.mcap", "mcap", tuple(e.id for e in taken)), taken))
    yield made
    made.close()


def calibrated(workspace, name, from_ns, kind="hand_eye", status=P):
    found = Calibration(
        name, kind, "arm-1", "camera/wrist", "base", "camera", IDENTITY, "park", 0.8, 0.1, 18, status, from_ns
    )
    workspace.write(happened.CalibrationAttached(found))


def looked(workspace, at_ns, *, halt=P, warn=P, name="verification_1"):
    findings = tuple(
        Finding(check, Subject("camera/wrist"), status, 3.0, None, 2.0, "mm")
        for check, status in ((HALT, halt), (WARNING, warn))
    )
    seen = Verification("calibration_1", "arm-1", "camera/wrist", at_ns, 3, 3.0, 0.2, findings, id=name)
    workspace.write(happened.SensorVerified(seen))


def steps(workspace):
    now = show_home(workspace)
    return [step for step in (now.next, *now.then) if "camera/wrist" in write_sentence(step.sentence)]


def newest(workspace):
    change = show_home(workspace).changes[0]
    return change.mark, write_sentence(change.text), change.detail and write_sentence(change.detail)


def test_a_good_look_is_good_news_and_nothing_to_do(workspace):
    looked(workspace, NOW - DAY)
    assert newest(workspace) == ("good", "Sensor verified: camera/wrist of arm-1", "")
    assert not steps(workspace)


@pytest.mark.parametrize("halt", [Status.FAILED, Status.CANNOT_TELL])
def test_a_look_that_halts_is_bad_and_to_be_put_right(workspace, halt):
    looked(workspace, NOW - DAY, halt=halt, warn=halt)
    mark, text, detail = newest(workspace)
    assert (mark, text) == ("bad", "Sensor failed its verification: camera/wrist of arm-1")
    assert detail.startswith("Stop collecting")
    (step,) = steps(workspace)
    assert (step.mark, write_sentence(step.sentence)) == ("bad", "Stop collecting and calibrate camera/wrist of arm-1")
    assert "3 episodes are flagged" in write_sentence(step.why)
    assert step.command == "fieldloop calibrate hand-eye POSES --robot arm-1 --sensor camera/wrist"


def test_a_look_that_warns_is_a_warning(workspace):
    looked(workspace, NOW - 5 * DAY // 2, name="verification_0")
    looked(workspace, NOW - DAY, warn=F)
    assert newest(workspace)[0] == "warn"
    (step,) = steps(workspace)
    assert (step.mark, write_sentence(step.sentence)) == ("warn", "Calibrate camera/wrist of arm-1 again soon")
    assert "1 episode is flagged" in write_sentence(step.why), "the two before the good look are not"


def test_only_a_calibration_that_passed_or_a_good_look_settles_it(workspace):
    looked(workspace, NOW - 3 * DAY, halt=F, warn=F)
    calibrated(workspace, "calibration_2", NOW - 2 * DAY, status=F)
    assert steps(workspace)
    calibrated(workspace, "calibration_3", NOW - 2 * DAY)
    assert not steps(workspace)
    looked(workspace, NOW - DAY, halt=F, warn=F, name="verification_2")
    assert steps(workspace)
    looked(workspace, NOW, name="verification_3")
    assert not steps(workspace)


def test_it_is_calibrated_again_the_way_it_was(workspace):
    calibrated(workspace, "calibration_1", NOW - 9 * DAY, kind="extrinsic")
    looked(workspace, NOW - DAY, halt=F)
    (step,) = steps(workspace)
    assert step.command == "fieldloop calibrate POINTS.csv --robot arm-1 --sensor camera/wrist"
