"""There and onwards: from any format into any other, what both can hold is kept and the rest is named."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release import writers
from fieldloop.testing.round_trip import Limits, find_differences
from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.writer import check_writer, make_sample_recording

LIMITS = {
    "mcap": Limits(levels=3.0),  # JPEG of quality 95, unless PNG is asked for
    # pictures as video, depth in 4096 steps; a row's number and a video's frame make two clocks
    "lerobot": Limits(levels=6.0, depth_m=0.01, remade=(ClockKind.CONTAINER, ClockKind.SYNTHETIC)),
    "hdf5": Limits(),
    "rlds": Limits(),
}
"""What each format cannot hold of anything; what it cannot hold of these recordings it must say."""

WRITERS = {name.removeprefix("write_"): getattr(writers, name) for name in writers.__all__ if name.startswith("write_")}


def recordings_in(path):
    return list(open_log(path).recordings)


def test_every_writer_says_what_its_format_cannot_hold():
    assert WRITERS.keys() == LIMITS.keys()


@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_keeps_its_promises(name, tmp_path):
    check_writer(WRITERS[name], recordings_in, tmp_path, LIMITS[name])


@pytest.fixture(scope="module", params=WRITERS)
def arrived(request, tmp_path_factory):
    """Two recordings as they are read from one of the formats."""
    target = tmp_path_factory.mktemp(request.param) / "first"
    WRITERS[request.param]([make_sample_recording(seed) for seed in (3, 4)], target)
    return recordings_in(target)


@pytest.mark.parametrize("onwards", WRITERS)
def test_from_any_format_into_any_other(arrived, onwards, tmp_path):
    assert len(arrived) == 2
    written = WRITERS[onwards](arrived, tmp_path / "second")
    after = {recording.episode.name: recording for recording in recordings_in(tmp_path / "second")}
    for before in arrived:
        assert list(find_differences(before, after[before.episode.name], written, LIMITS[onwards])) == []


@pytest.mark.parametrize("name", ["rlds-octo-bridge", "hdf5-robomimic", "hdf5-d4rl-adroit-human"])
def test_other_people_s_sets_come_through_mcap_without_a_loss(name, tmp_path):
    folder = find_shared_data(name)
    if folder is None:
        pytest.skip(f"{name}: this machine has no shared data")
    before = list(islice(open_log(folder).recordings, 2))
    written = writers.write_mcap(before, tmp_path / "logs")
    assert written.left_out == ()  # pictures are passed on as they are stored
    after = {recording.episode.name: recording for recording in recordings_in(tmp_path / "logs")}
    for recording in before:
        assert list(find_differences(recording, after[recording.episode.name], written, Limits())) == []


# ── the laws themselves notice


def injured(recording, name, **changes):
    return replace(recording, streams={**recording.streams, name: replace(recording.streams[name], **changes)})


@pytest.mark.parametrize(
    ("hurt", "said"),
    [
        (lambda r: replace(r, streams={n: s for n, s in r.streams.items() if n != "force"}), "force is gone"),
        (lambda r: replace(r, episode=replace(r.episode, operator="")), "operator was"),
        (lambda r: replace(r, episode=replace(r.episode, facts=())), "the fact lux was '420'"),
        (lambda r: injured(r, "force", unit="lbf"), "its unit was"),
        (lambda r: injured(r, "force", serial=""), "its serial was"),
        (lambda r: injured(r, "imu", values=r.streams["imu"].values + 1e-9), "its numbers differ"),
        (lambda r: injured(r, "imu", values=r.streams["imu"].values.astype(np.float32)), "are float32"),
        (lambda r: injured(r, "imu", values=None), "its values are gone"),
        (lambda r: injured(r, "force", notes={}), "its note unit was 'newtons are assumed'"),
        (lambda r: injured(r, "force", nominal_hz=7.0), "its nominal rate is 7.0"),
        (lambda r: injured(r, "state", nominal_hz=7.0), "its nominal rate is 7.0, and should be None"),
        (
            lambda r: injured(
                r, "joints", clocks={k: t + (k is ClockKind.LOG) for k, t in r.streams["joints"].clocks.items()}
            ),
            "its log stamps differ",
        ),
        (lambda r: injured(r, "joints", clocks={ClockKind.LOG: r.streams["joints"].times_ns}), "header clock is gone"),
        (
            lambda r: injured(
                r,
                "joints",
                clocks=dict(r.streams["joints"].clocks) | {ClockKind.SYNTHETIC: r.streams["joints"].times_ns},
            ),
            "never had a clock called synthetic",
        ),
        (lambda r: injured(r, "camera/wrist", pictures=r.streams["camera/overhead"].pictures), "is off by"),
        (lambda r: injured(r, "camera/wrist", pictures=r.streams["depth/overhead"].pictures), "was uint8"),
        (lambda r: injured(r, "camera/wrist", kind=StreamKind.DEPTH), "its kind was"),
    ],
)
def test_a_loss_that_was_not_named_is_found(hurt, said):
    recording = make_sample_recording(1)
    nothing = writers.Written(None, 1, 0)
    assert list(find_differences(recording, recording, nothing, Limits())) == []
    assert any(said in difference for difference in find_differences(recording, hurt(recording), nothing, Limits()))


class Careless:
    """Writes through MCAP, with a fault of its own."""

    def __init__(self, fault):
        self.fault = fault

    def __call__(self, recordings, target):
        recordings = list(recordings)
        if self.fault == "beside":
            (target.parent / "scrap").write_bytes(b"")
        if self.fault == "takes anything" and not recordings:
            return writers.Written(target, 0, 0)
        if self.fault == "forgets":
            recordings = [replace(r, episode=replace(r.episode, operator="")) for r in recordings]
        done = writers.write_mcap(recordings, target)
        return replace(done, left_out=()) if self.fault == "hushes" else done


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("beside", "nothing beside it"),
        ("takes anything", "no recording is refused"),
        ("forgets", "operator was"),
        ("hushes", "left out, and named"),
    ],
)
def test_a_writer_that_breaks_its_promises_gets_their_names(fault, complaint, tmp_path):
    with pytest.raises(AssertionError, match=complaint):
        check_writer(Careless(fault), recordings_in, tmp_path, LIMITS["mcap"])


@pytest.mark.parametrize(
    ("hurt", "said"),
    [
        (lambda r: injured(r, "force", notes={}), "its note unit was"),
        (lambda r: injured(r, "force", notes={"unit": "newtons are assumed"}), "no note states that it was resampled"),
        (lambda r: injured(r, "force", nominal_hz=1000.0), "its nominal rate is 1000.0, and should be 30"),
        (
            lambda r: injured(
                r,
                "state",
                clocks={k: t - 500_000 * (k is ClockKind.HEADER) for k, t in r.streams["state"].clocks.items()},
            ),
            "its header stamps differ",
        ),
        (
            lambda r: injured(
                r,
                "camera/overhead",
                clocks=dict(r.streams["camera/overhead"].clocks)
                | {ClockKind.LOG: r.streams["camera/overhead"].clocks[ClockKind.LOG][[0, 1, 2, 2, *range(4, 24)]]},
            ),
            "its log stamps differ",
        ),
    ],
)
def test_a_loss_on_the_grid_that_was_not_named_is_found(hurt, said, tmp_path):
    before = make_sample_recording(1)
    written = writers.write_hdf5([before], tmp_path / "set")
    (after,) = recordings_in(tmp_path / "set")
    assert list(find_differences(before, after, written, Limits())) == []
    assert any(said in difference for difference in find_differences(before, hurt(after), written, Limits()))
