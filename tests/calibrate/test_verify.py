"""A camera that moved is caught, and so is every episode it spoilt."""

import dataclasses

import numpy as np
import pytest

from fieldloop.calibrate import (
    Verification,
    View,
    cut_to_trusted_periods,
    find_calibration_in_force,
    flag_episodes,
    verify_calibration,
)
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol

CAMERA = tf.make_transform(tf.rotation_from_vector([0.1, 2.9, 0.2]), [0.4, -0.1, 1.1])
PROTOCOL = default_protocol()


def matrix(array):
    return tuple(tuple(float(x) for x in row) for row in array)


def calibration(**changes):
    base = Calibration(
        id="c1",
        kind="extrinsic",
        robot="r1",
        sensor="camera/overhead",
        parent="base",
        child="camera/overhead",
        parent_from_child=matrix(CAMERA),
        method="",
        residual_mm=0.5,
        residual_deg=0.1,
        points=20,
        status=Status.PASSED,
        valid_from_ns=0,
    )
    return dataclasses.replace(base, **changes)


def views(shift_mm=(0, 0, 0), turn_deg=0.0, count=5, noise_mm=0.1):
    """What a camera sees that really stands aside from where the calibration says."""
    rng = np.random.default_rng(0)
    moved = tf.make_transform(tf.make_rotation_about_axis("y", np.radians(turn_deg)), np.array(shift_mm) / 1e3)
    for _ in range(count):
        marker = tf.make_transform(np.eye(3), np.array([0.5, 0.1, 0.2]) + rng.uniform(-0.05, 0.05, 3))
        seen = tf.invert_transform(CAMERA @ moved) @ marker
        seen[:3, 3] += rng.normal(0, noise_mm / 1e3, 3)
        yield View(matrix(marker), matrix(seen))


def verified(**moved):
    return verify_calibration(calibration(), list(views(**moved)), PROTOCOL, at_ns=5)


@pytest.mark.parametrize(
    ("shift_mm", "good", "halts"),
    [((0, 0, 0), True, False), ((1.5, 0, 0), True, False), ((0, 2.5, 0), False, False), ((0, 0, 4), False, True)],
)
def test_a_shifted_camera_warns_then_halts(shift_mm, good, halts):
    found = verified(shift_mm=shift_mm)
    assert (found.is_good, found.halts_collection) == (good, halts)
    assert found.translation_mm == pytest.approx(np.linalg.norm(shift_mm), abs=0.35)
    assert found.rotation_deg == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("turn_deg", "halts"), [(0.3, True), (0.7, True), (1.2, True)])
def test_a_turned_camera_is_caught(turn_deg, halts):
    found = verified(turn_deg=turn_deg)
    assert found.rotation_deg == pytest.approx(turn_deg, abs=0.01)
    assert found.halts_collection is halts  # a metre away, 0.3° are 5 mm


def test_a_turned_marker_alone_shows_rotation_alone():
    turn = tf.make_transform(tf.make_rotation_about_axis("z", np.radians(0.7)), np.zeros(3))
    turned = [View(v.base_from_marker, matrix(np.array(v.camera_from_marker) @ turn)) for v in views(noise_mm=0)]
    found = verify_calibration(calibration(), turned, PROTOCOL, at_ns=5)
    by_check = {f.check.partition(".")[2]: f.status for f in found.findings}
    assert by_check == {
        "warn_translation": Status.PASSED,
        "warn_rotation": Status.FAILED,
        "halt_translation": Status.PASSED,
        "halt_rotation": Status.PASSED,
    }


def test_one_bad_view_neither_halts_nor_hides():
    seen = list(views())
    off = np.array(seen[0].camera_from_marker)
    off[:3, 3] += 0.1
    assert verify_calibration(
        calibration(), [View(seen[0].base_from_marker, matrix(off)), *seen[1:]], PROTOCOL, at_ns=5
    ).is_good
    moved = list(views(shift_mm=(0, 0, 4)))
    assert verify_calibration(calibration(), [*moved[:4], seen[0]], PROTOCOL, at_ns=5).halts_collection


@pytest.mark.parametrize("seen", [[], [View(matrix(np.full((4, 4), np.nan)), matrix(np.eye(4)))]])
def test_without_a_usable_view_it_is_not_good(seen):
    found = verify_calibration(calibration(), seen, PROTOCOL, at_ns=5)
    assert (found.views, found.is_good, found.halts_collection) == (0, False, True)
    assert {f.status for f in found.findings} == {Status.CANNOT_TELL}


def test_poses_of_another_shape_and_calibrations_out_of_force_are_refused():
    with pytest.raises(BadInput, match="4 × 4"):
        verify_calibration(calibration(), [View(((1.0,),), ((1.0,),))], PROTOCOL, at_ns=5)
    with pytest.raises(BadInput, match="not in force"):
        verify_calibration(calibration(valid_to_ns=3), list(views()), PROTOCOL, at_ns=5)


def test_the_newest_calibration_that_holds_is_in_force():
    old = calibration(id="old", valid_to_ns=100)
    new = calibration(id="new", valid_from_ns=100)
    other = calibration(id="other", sensor="camera/wrist")
    for at_ns, expected in ((0, "old"), (99, "old"), (100, "new"), (10**9, "new")):
        assert find_calibration_in_force([new, old, other], "camera/overhead", at_ns).id == expected
    assert find_calibration_in_force([new, old], "camera/overhead", -1) is None
    assert find_calibration_in_force([new, old], "camera/overhead", 5, robot="r2") is None


def checked(at_ns, *, good, sensor="camera/overhead", robot="r1"):
    seen = list(views(shift_mm=(0, 0, 0) if good else (0, 0, 5)))
    return verify_calibration(calibration(sensor=sensor, robot=robot), seen, PROTOCOL, at_ns=at_ns)


def flagged(*given):
    return tuple(flag.episode for flag in flag_episodes(*given))


EPISODES = [Episode(f"e{n}", f"e{n}", "mcap", robot="r1", start_ns=10 * n, end_ns=10 * n + 5) for n in range(10)]


def test_everything_since_the_last_good_verification_is_flagged():
    history = [checked(18, good=True), checked(48, good=False)]
    assert flagged(EPISODES, history) == ("e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9")
    assert flagged(EPISODES, [*history, checked(68, good=True)]) == ("e2", "e3", "e4", "e5", "e6")
    again = calibration(id="c2", valid_from_ns=58)
    assert flagged(EPISODES, history, [again]) == ("e2", "e3", "e4", "e5")


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANNOT_TELL])
def test_a_calibration_that_does_not_pass_clears_no_flag(status):
    history = [checked(18, good=True), checked(48, good=False)]
    again = calibration(id="c2", valid_from_ns=58, status=status)
    assert flagged(EPISODES, history, [again]) == flagged(EPISODES, history)
    first = calibration(valid_from_ns=0, valid_to_ns=58)
    assert [
        (c.id, c.valid_from_ns, c.valid_to_ns, c.status) for c in cut_to_trusted_periods([first, again], history)
    ] == [
        ("c1", 0, 18, Status.PASSED),
        ("c2", 58, 58, Status.FAILED),
    ]


def test_a_calibration_was_good_when_it_was_made():
    assert flagged(EPISODES, [checked(28, good=False)], [calibration(valid_from_ns=8)])[0] == "e1"
    assert flagged(EPISODES, [checked(28, good=False)])[0] == "e0"


def test_episodes_across_the_edge_count_and_other_robots_do_not():
    history = [checked(22, good=True), checked(32, good=False), checked(37, good=True)]
    assert flagged(EPISODES, history) == ("e2", "e3")
    assert not flagged([dataclasses.replace(e, robot="r2") for e in EPISODES], history)


def test_good_verifications_flag_nothing():
    assert not flagged(EPISODES, [checked(n, good=True) for n in (0, 50, 100)])
    assert not flagged(EPISODES, [])


def test_two_sensors_are_kept_apart():
    wrist_fails = checked(48, good=False, sensor="camera/wrist")
    assert isinstance(wrist_fails, Verification)
    assert flagged(EPISODES, [checked(38, good=True), wrist_fails])[0] == "e0"  # the overhead's good look says nothing


def spans(*looks, calibrations=None):
    kept = cut_to_trusted_periods(calibrations or [calibration(valid_from_ns=10)], looks)
    return [(c.valid_from_ns, c.valid_to_ns) for c in kept]


def test_a_look_that_is_not_good_takes_its_span_out_of_the_calibration():
    assert spans() == [(10, None)]
    assert spans(checked(20, good=True)) == [(10, None)]
    assert spans(checked(20, good=True), checked(30, good=False)) == [(10, 20)]
    assert spans(checked(20, good=True), checked(30, good=False), checked(40, good=True)) == [(10, 20), (40, None)]
    assert spans(checked(30, good=False)) == [(10, 10)]  # since it was made nobody has seen it to be right
    assert spans(checked(30, good=False, sensor="camera/wrist")) == [(10, None)]
    again = [calibration(valid_from_ns=10, valid_to_ns=50), calibration(id="c2", valid_from_ns=50)]
    assert spans(checked(20, good=True), checked(30, good=False), calibrations=again) == [(10, 20), (50, None)]
    assert spans(checked(30, good=False), checked(35, good=False), calibrations=again) == [(10, 10), (50, None)]


def test_spans_are_kept_to_the_nanosecond():
    begun = 1_794_729_600_000_000_001
    looks = [checked(begun + 1002, good=True), checked(begun + 2004, good=False)]
    assert spans(*looks, calibrations=[calibration(valid_from_ns=begun)]) == [(begun, begun + 1002)]


def test_trusted_calibrations_and_flagged_episodes_say_the_same():
    looks = [checked(18, good=True), checked(48, good=False), checked(68, good=True)]
    held = cut_to_trusted_periods([calibration(valid_from_ns=0)], looks)
    spoilt = flagged(EPISODES, looks, [calibration(valid_from_ns=0)])
    assert spoilt
    for episode in EPISODES:
        whole = any(c.is_in_force_at(episode.start_ns) and c.is_in_force_at(episode.end_ns) for c in held)
        assert whole != (episode.id in spoilt)
