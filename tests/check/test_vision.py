"""Cameras that stall, repeat, blur or see nothing, and healthy ones that look like it."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.check import CHECKS
from fieldloop.check.signals.pictures import scan_colour_frames
from fieldloop.model.stream import ClockKind
from fieldloop.protocol import parse_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.injuries.injury import change_episode, change_stream
from fieldloop.testing.injuries.repaint import change_camera_frames, get_camera_pictures, shift_camera_view
from fieldloop.testing.injuries.vision import WRIST, blur_frames, cover_lens, freeze_frames, halve_frame_rate
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.synthetic import Pictures, make_healthy_case, replace_streams


def found(check, case):
    return measure_by_subject(check, case)[WRIST]


# ── frozen and repeated


def test_a_still_scene_is_no_frozen_camera():
    places = list(get_camera_pictures(make_healthy_case(), WRIST).places)
    places[:40] = [places[0]] * 40  # before anything moves
    assert found("vision.frozen_frames", shift_camera_view(make_healthy_case(), WRIST, places)).value < 0.2


def test_a_frozen_camera_is_found_with_its_moment():
    frozen = found("vision.frozen_frames", freeze_frames(make_healthy_case()))
    assert frozen.value == pytest.approx(14 / 30, abs=0.05)
    assert (write_sentence(frozen.place), frozen.at_s) == ("at 4.20 s", pytest.approx(4.2))


def test_without_joints_a_still_picture_cannot_be_distinguished_from_a_frozen_one():
    case = make_healthy_case()
    alone = replace_streams(case.recording, {n: None for n in case.recording.streams if n != WRIST})
    assert (
        found("vision.frozen_frames", replace(case, recording=alone, _kept={})).cannot_tell.code
        == "check.movement_unknown"
    )


def test_frames_that_are_merely_counted_tell_no_seconds():
    case = freeze_frames(make_healthy_case())
    times = {ClockKind.SYNTHETIC: case.recording.streams[WRIST].times_ns}
    case = change_stream(case, WRIST, clocks=times, nominal_hz=None)
    assert found("vision.frozen_frames", case).cannot_tell.code == "check.no_rate"


def swept(step, repeats=1):
    """Let the square travel by so much a frame, and be told so often."""
    count = len(get_camera_pictures(make_healthy_case(), WRIST))
    return shift_camera_view(make_healthy_case(), WRIST, ((i // repeats) * step % 1.0 for i in range(count)))


@pytest.mark.parametrize(("repeats", "share"), [(1, 0.0), (2, 0.5)])
def test_the_share_of_repeated_frames_is_what_was_planted(repeats, share):
    assert found("vision.repeated_frames", swept(0.05, repeats)).value == pytest.approx(share, abs=0.03)


def test_a_camera_of_two_thirds_the_rate_repeats_every_third_frame():
    count = len(get_camera_pictures(make_healthy_case(), WRIST))
    case = shift_camera_view(make_healthy_case(), WRIST, ((i * 2 // 3) * 0.05 % 1.0 for i in range(count)))
    repeated = found("vision.repeated_frames", case)
    assert repeated.value == pytest.approx(1 / 3, abs=0.05)
    assert "about 20 of 30 frames per second are new" in write_sentence(repeated.place)


def test_compression_that_leaves_a_little_difference_hides_no_repeat():
    random = np.random.default_rng(0)
    noisy = change_camera_frames(
        swept(0.05, 2), WRIST, lambda f: np.clip(f + random.normal(0, 2.0, f.shape[:2])[..., None], 0, 255)
    )
    assert found("vision.repeated_frames", noisy).value > 0.4


def test_motion_that_comes_and_goes_is_no_repeat():
    speed = 0.02 * (1 + np.sin(np.arange(300) * 0.5)) + 0.02
    assert (
        found("vision.repeated_frames", shift_camera_view(make_healthy_case(), WRIST, np.cumsum(speed) % 1.0)).value
        < 0.05
    )


def test_a_still_picture_repeats_by_right():
    case = shift_camera_view(make_healthy_case(), WRIST, [0.5] * 300)
    assert found("vision.repeated_frames", case).cannot_tell.code == "check.little_motion_in_picture"


def renew_noise_at_key_frames(case, every=2):
    """Repaint a camera as an encoder does that codes details anew with each key frame and copies them between."""
    random, noise = np.random.default_rng(0), []

    def repaint(frame):
        if len(noise) % every:
            noise.append(noise[-1])
        else:
            height, width, _ = frame.shape
            blocks = random.normal(0, 9.0, (16, height // 16, 16, width // 16))
            noise.append((blocks - blocks.mean((1, 3), keepdims=True)).reshape(height, width, 1))  # means are kept
        return np.clip(frame * 0.5 + 64 + noise[-1], 0, 255).astype(frame.dtype)

    return change_camera_frames(case, WRIST, repaint)


def test_noise_that_an_encoder_renews_in_a_still_scene_is_no_motion():
    still = renew_noise_at_key_frames(shift_camera_view(make_healthy_case(), WRIST, [0.5] * 300))
    assert found("vision.repeated_frames", still).cannot_tell.code == "check.little_motion_in_picture"


@pytest.mark.parametrize(("repeats", "share"), [(1, 0.0), (2, 0.5)])
def test_renewed_noise_neither_hides_nor_adds_a_repeat(repeats, share):
    stop = [0.5] * 150
    moves = [(i // repeats) * 0.05 % 1.0 for i in range(150)]
    case = renew_noise_at_key_frames(shift_camera_view(make_healthy_case(), WRIST, stop + moves))
    assert found("vision.repeated_frames", case).value == pytest.approx(share, abs=0.05)


# ── long recordings


class Counting:
    """A source that counts what it decodes."""

    def __init__(self, inner):
        self.inner, self.size, self.asked = inner, inner.size, []

    def __len__(self):
        return len(self.inner)

    def frames(self, indices=None):
        self.asked += list(indices)
        yield from self.inner.frames(indices)


def test_frames_are_decoded_once_for_all_checks():
    counting = Counting(Pictures(tuple(np.linspace(0, 1, 300).tolist())))
    case = change_stream(make_healthy_case(), WRIST, pictures=counting)
    for name in (n for n in CHECKS if n.startswith("vision.")):
        list(CHECKS[name].look(case))
    assert len(counting.asked) == 300


def test_of_long_recordings_stretches_are_looked_at_so_that_repeats_show():
    protocol = parse_protocol("[episode.max_scanned_frames]\nvalue = 100\n[episode.scanned_stretch]\nvalue = 20")
    case = replace(swept(0.05, 2), protocol=protocol)
    seen = scan_colour_frames(case, case.recording.streams[WRIST])
    assert len(seen.indices) == 100
    assert (seen.indices[0], seen.indices[-1]) == (0, 299)
    assert np.count_nonzero(np.isinf(seen.change)) == 5  # one frame in each stretch has none before it
    repeated = found("vision.repeated_frames", case)
    assert repeated.value == pytest.approx(0.5, abs=0.1)
    assert (repeated.place["examined"], repeated.place["frames"]) == (100, 300)


# ── exposure and focus


def test_a_camera_that_was_never_there_is_reported():
    case = change_camera_frames(make_healthy_case(), WRIST, np.zeros_like)
    black = found("vision.black_or_blown", case)
    assert black.value == 1
    assert black.place.code == "check.black_throughout"


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5])
def test_the_share_that_is_burnt_out_is_what_was_planted(share):
    def burn(frame):
        frame[: round(share * len(frame))] = 255
        return frame

    assert found("vision.overexposed", change_camera_frames(make_healthy_case(), WRIST, burn)).value == pytest.approx(
        share, abs=0.01
    )


def test_black_bars_are_not_overexposed():
    def letterbox(frame):
        frame[:20] = 0
        return frame

    assert found("vision.overexposed", change_camera_frames(make_healthy_case(), WRIST, letterbox)).value == 0


def test_a_covered_lens_is_found_for_as_long_as_it_is():
    covered = found("vision.covered", cover_lens(make_healthy_case()))
    assert covered.value == pytest.approx(30 / 300)
    assert covered.at_s == pytest.approx(100 / 30, abs=0.01)
    assert found("vision.black_or_blown", cover_lens(make_healthy_case())).value == 0


def test_a_lens_out_of_focus_is_found_and_one_that_a_move_blurs_is_not():
    blurred = found("vision.sharpness", blur_frames(make_healthy_case()))
    assert blurred.value < 0.15
    assert blurred.at_s == pytest.approx(100 / 30, abs=0.5)
    assert found("vision.sharpness", blur_frames(make_healthy_case(), frames=6)).value > 0.5


def test_a_picture_without_an_edge_has_no_sharpness_to_lose():
    flat = np.tile(np.linspace(90, 140, 64).astype(np.uint8)[None, :, None], (48, 1, 3))
    case = change_camera_frames(make_healthy_case(), WRIST, lambda _: flat)
    assert found("vision.sharpness", case).cannot_tell


# ── rate and size


def test_who_was_asked_for_nothing_is_not_held_to_a_rate():
    case = change_episode(halve_frame_rate(make_healthy_case()), protocol="")
    assert found("vision.frame_rate", case).cannot_tell.code == "check.frame_rate_is"
    assert found("vision.frame_rate", halve_frame_rate(make_healthy_case())).value == pytest.approx(15.0, rel=0.01)


def test_a_declared_rate_counts_where_stamps_are_made_up():
    times = {ClockKind.SYNTHETIC: make_healthy_case().recording.streams[WRIST].times_ns}
    told = found("vision.frame_rate", change_stream(make_healthy_case(), WRIST, clocks=times))
    assert (told.value, told.place.code) == (30.0, "check.as_declared")
    unknown = found("vision.frame_rate", change_stream(make_healthy_case(), WRIST, clocks=times, nominal_hz=None))
    assert unknown.cannot_tell


@pytest.mark.parametrize(("size", "share"), [((64, 48), 1.0), ((128, 96), 1.0), ((48, 64), 0.75), ((32, 24), 0.25)])
def test_a_picture_must_be_as_wide_and_as_high_as_asked(size, share):
    case = make_healthy_case()
    pictures = replace(get_camera_pictures(case, "camera/overhead"), width=size[0], height=size[1])
    case = change_stream(case, "camera/overhead", pictures=pictures)
    assert measure_by_subject("vision.resolution", case)["camera/overhead"].value == pytest.approx(share)
