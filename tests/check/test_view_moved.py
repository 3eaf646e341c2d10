"""From recordings to the finding: imprints of simulated episodes, and a batch that is told which camera was moved."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.check.floor_views import floor_recording

from fieldloop import check
from fieldloop.check import BATCH_CHECKS, Batch, Case
from fieldloop.check.imprint.view import imprint_camera_views
from fieldloop.check.imprinting import take_imprint_with
from fieldloop.check.measuring import measure_with
from fieldloop.model.episode import Recording
from fieldloop.model.finding import Status
from fieldloop.model.imprint import Imprint
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import parse_protocol
from fieldloop.say.findings import write_finding
from fieldloop.testing.batches import Shape, make_healthy_batch
from fieldloop.testing.injuries import BATCH_INJURIES
from fieldloop.testing.injuries.injury import change_imprints, relabel
from fieldloop.testing.synthetic import START_NS, make_healthy_recording

FEW_FRAMES = parse_protocol(
    "[episode.max_scanned_frames]\nvalue = 24\n[episode.scanned_stretch]\nvalue = 2\n", "drawn quickly"
)
PICTURE, STAYS = "view/camera/overhead/picture", "view/camera/overhead/stays"


def findings(batch):
    return check.judge_measurements(measure_with([BATCH_CHECKS["batch.view_moved"]], batch), batch.protocol, named=True)


@pytest.fixture(scope="module")
def floor():
    """Three episodes of a camera that stood, and one of the same camera turned by a degree."""
    turns = ((0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0))
    recordings = [floor_recording("leipzig", n, turn_deg=turn) for n, turn in enumerate(turns)]
    imprints = [take_imprint_with([imprint_camera_views], Case(one, FEW_FRAMES)) for one in recordings]
    episodes = [
        replace(one.episode, name=f"e{n}", start_ns=START_NS + n * 60 * NS_PER_S, site="leipzig", robot="arm-1")
        for n, one in enumerate(recordings)
    ]
    return Batch(tuple(episodes), imprints={e.id: one for e, one in zip(episodes, imprints, strict=True)})


def test_a_fixed_camera_stays_and_a_wrist_camera_does_not(floor):
    for one in floor.imprints.values():
        assert one.get("view/camera/overhead/stays")[0] > 0.65
        assert one.get("view/camera/wrist/stays")[0] < 0.3
        assert one.get(PICTURE).shape == (120, 160)
        assert one.get(PICTURE).dtype == np.uint8


def test_the_moved_camera_is_found_and_the_wrist_camera_is_not_asked(floor):
    (finding,) = findings(replace(floor, episodes=floor.episodes[::-1]))  # listed in any order, compared in time's
    assert finding.status is Status.FAILED
    assert finding.subject == "camera/overhead at leipzig (arm-1)"
    assert "between e2 and e3 (2026-01-01 00:03:00 UTC); no calibrations are known" in write_finding(finding)
    assert finding.low < finding.measured < finding.high
    (before,) = findings(replace(floor, episodes=floor.episodes[:3]))
    assert before.status is Status.PASSED


def test_one_episode_cannot_tell(floor):
    (finding,) = findings(replace(floor, episodes=floor.episodes[:1]))
    assert finding.status is Status.CANNOT_TELL


def test_a_calibration_in_between_excuses_by_name_or_by_serial():
    hurt = BATCH_INJURIES["batch.view_moved"].hurt(make_healthy_batch(Shape(7)))
    first, second = hurt.calibrations
    in_time = replace(second, valid_from_ns=hurt.episodes[5 * 12].start_ns - NS_PER_S)
    (excused,) = findings(replace(hurt, calibrations=(first, in_time)))
    assert excused.status is Status.PASSED
    serial = relabel(hurt, lambda _, e: {"facts": (*e.facts, ("serial.camera/overhead", "X1"))})
    (excused,) = findings(replace(serial, calibrations=(replace(in_time, sensor="X1"),)))
    assert excused.status is Status.PASSED
    others = (replace(in_time, robot="arm-2"), replace(in_time, sensor="force"), replace(in_time, status=Status.FAILED))
    (told,) = findings(replace(hurt, calibrations=(first, *others)))
    assert told.status is Status.FAILED
    assert "between made-4-0 and made-5-0" in write_finding(told)
    assert told.place.code == "check.view_jumped_uncalibrated"


def test_a_camera_that_rides_in_most_episodes_is_no_fixed_camera():
    hurt = BATCH_INJURIES["batch.view_moved"].hurt(make_healthy_batch())
    riding = change_imprints(hurt, STAYS, lambda i, stays: stays * np.float32(0.1 if i % 24 else 1.0))
    assert [f.status for f in findings(riding)] == [Status.NOT_APPLICABLE]


def test_dark_views_cannot_tell():
    dark = change_imprints(make_healthy_batch(Shape(4)), PICTURE, lambda _, picture: picture // 255)
    dark = change_imprints(dark, STAYS, lambda *_: np.asarray([math.nan], np.float32))
    assert [f.status for f in findings(dark)] == [Status.CANNOT_TELL]


def test_another_scene_cannot_tell():
    mirrored = change_imprints(
        make_healthy_batch(Shape(7)), PICTURE, lambda i, p: p[::-1, ::-1].copy() if i >= 5 * 12 else p
    )
    (finding,) = findings(replace(mirrored, calibrations=None))
    assert finding.status is Status.CANNOT_TELL
    assert "between made-4-0 and made-5-0" in write_finding(finding)


def test_of_very_many_views_some_are_looked_at():
    batch = make_healthy_batch()
    limit = batch.protocol.limits["batch.view_moved"]
    few = limit.replace_parameters(max_views=4)
    thrifty = replace(batch.protocol, limits={**batch.protocol.limits, "batch.view_moved": few})
    (finding,) = findings(replace(batch, protocol=thrifty, calibrations=None))
    assert "(3 comparisons; 4 of 16 episodes examined)" in write_finding(finding)


def test_nothing_is_taken_of_tiny_or_few_pictures():
    assert take_imprint_with([imprint_camera_views], Case(make_healthy_recording())).get(
        "view/camera/wrist/picture"
    ).shape == (48, 64)
    made = make_healthy_recording()
    camera = made.streams["camera/overhead"]
    short = replace(camera, pictures=replace(camera.pictures, places=camera.pictures.places[:3]))
    tiny = replace(camera, pictures=replace(camera.pictures, width=20, height=15))
    for spoilt in (short, tiny):
        case = Case(Recording(made.episode, {"camera/overhead": spoilt}))
        assert take_imprint_with([imprint_camera_views], case).arrays == Imprint().arrays
