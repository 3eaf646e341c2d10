"""Depth with planted noise, holes and units."""

import numpy as np
import pytest

from fieldloop.check import CHECKS
from fieldloop.testing.injuries.depth import DEPTH, add_depth_noise, repeat_depth_frame, scale_depth
from fieldloop.testing.injuries.injury import change_episode
from fieldloop.testing.injuries.repaint import change_camera_frames, get_camera_pictures, shift_camera_view
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case


def found(check, case):
    return measure_by_subject(check, case)[DEPTH]


@pytest.mark.parametrize("deviation_mm", [0.3, 1.0, 1.8, 2.2, 5.0])
def test_noise_is_what_was_planted_at_half_a_metre(deviation_mm):
    value = found("depth.noise", add_depth_noise(make_healthy_case(), deviation_mm)).value
    assert value == pytest.approx(deviation_mm, rel=0.12)  # a little moves too
    assert (value <= 2.0) == (deviation_mm <= 2.0)


def test_whole_millimetres_hide_no_noise():
    random = np.random.default_rng(0)

    def shake(frame):
        return np.round(frame + random.normal(0, 0.002, frame.shape) * (frame / 0.5) ** 2, 3).astype(np.float32)

    assert found("depth.noise", change_camera_frames(make_healthy_case(), DEPTH, shake)).value == pytest.approx(
        2.0, rel=0.15
    )


def test_an_arm_that_moves_is_no_noise():
    case = shift_camera_view(
        make_healthy_case(), DEPTH, (i * 0.03 % 1.0 for i in range(300))
    )  # a third of the picture is in motion
    assert found("depth.noise", case).value < 0.5


def test_still_moments_tell_the_noise_of_a_camera_that_moves():
    random = np.random.default_rng(0)
    shift = np.concatenate([np.zeros(100), np.cumsum(np.full(200, 0.004))])

    frames = iter(range(300))

    def carried(frame):
        noise = random.normal(0, 0.001, frame.shape) * (frame / 0.5) ** 2
        return (frame + np.float32(shift[next(frames)]) + noise).astype(np.float32)

    assert found("depth.noise", change_camera_frames(make_healthy_case(), DEPTH, carried)).value == pytest.approx(
        1.0, rel=0.15
    )


def test_a_camera_that_never_rests_tells_no_noise():
    frames = iter(range(300))
    case = change_camera_frames(make_healthy_case(), DEPTH, lambda frame: frame + np.float32(0.1 * (next(frames) % 7)))
    assert found("depth.noise", case).cannot_tell.code == "check.everything_moves"


def test_a_stalled_camera_has_no_noise_and_is_reported_by_another_check():
    case = shift_camera_view(
        make_healthy_case(), DEPTH, [get_camera_pictures(make_healthy_case(), DEPTH).places[0]] * 300
    )
    assert found("depth.noise", case).cannot_tell.code == "check.too_few_frame_pairs"
    assert found("depth.frozen", case).value > 3
    assert found("depth.frozen", repeat_depth_frame(make_healthy_case())).at_s == pytest.approx(4.2)


@pytest.mark.parametrize(("factor", "plausible"), [(1.0, True), (1000.0, False), (0.001, False), (5.0, True)])
def test_another_unit_is_not_plausible(factor, plausible):
    value = found("depth.plausible", scale_depth(make_healthy_case(), factor)).value
    assert (0.05 <= value <= 20.0) == plausible


@pytest.mark.parametrize("hole", [np.nan, 0.0])
def test_a_distance_that_is_not_known_is_a_hole(hole):
    def drill(frame):
        frame[:12] = hole
        return frame

    assert found("depth.holes", change_camera_frames(make_healthy_case(), DEPTH, drill)).value == pytest.approx(0.25)


def test_nothing_but_holes_tells_no_distance():
    case = change_camera_frames(make_healthy_case(), DEPTH, lambda frame: np.full_like(frame, np.nan))
    assert found("depth.holes", case).value == 1
    for name in ("depth.range", "depth.plausible", "depth.noise"):
        assert found(name, case).cannot_tell


def test_who_was_asked_for_nothing_is_not_held_to_a_distance():
    case = change_episode(scale_depth(make_healthy_case(), 6.0), protocol="")
    assert found("depth.range", case).cannot_tell.code == "check.nearest_tenth"


def test_frames_that_do_not_decode_break_nothing():
    case = change_camera_frames(make_healthy_case(), DEPTH, lambda _: np.empty((0, 0), np.float32))
    for name in (n for n in CHECKS if n.startswith("depth.")):
        assert found(name, case).cannot_tell
    assert measure_by_subject("vision.undecodable", case)[DEPTH].value == 300
