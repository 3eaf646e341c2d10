"""One injury a check: a healthy case made to fail it. What else it fails is declared, with why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Batch, Case
from fieldloop.model.episode import Defect
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.testing.synthetic import Pictures, with_streams

STEP_NS = NS_PER_S // 1000


@dataclass(frozen=True, slots=True)
class Injury:
    """How to hurt a case, and which other checks notice."""

    hurt: Callable[[Case], Case]
    also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BatchInjury:
    """How to hurt a batch, and which other checks notice."""

    hurt: Callable[[Batch], Batch]
    also: Mapping[str, str] = field(default_factory=dict)


def change_stream(case: Case, name: str, **fields: Any) -> Case:
    """Replace fields of one stream."""
    stream = replace(case.recording.streams[name], **fields)
    return replace(case, recording=with_streams(case.recording, {name: stream}), _kept={})


def change_episode(case: Case, **fields: Any) -> Case:
    """Replace facts of the episode."""
    recording = replace(case.recording, episode=replace(case.episode, **fields))
    return replace(case, recording=recording, _kept={})


def take(stream: Stream, rows: NDArray[np.int64]) -> Stream:
    """Keep some samples of a stream."""
    pictures = stream.pictures
    if isinstance(pictures, Pictures):
        pictures = replace(pictures, places=tuple(pictures.places[i] for i in rows))
    clocks = {kind: times[rows] for kind, times in stream.clocks.items()}
    return replace(
        stream, clocks=clocks, values=None if stream.values is None else stream.values[rows], pictures=pictures
    )


def change_values(case: Case, name: str, change: Callable[[NDArray[Any]], None]) -> Case:
    """Change a copy of one stream's values in place."""
    values = np.array(case.recording.streams[name].values)
    change(values)
    return change_stream(case, name, values=values)


def change_stamps(case: Case, name: str, change: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Case:
    """Change every clock of one stream alike."""
    clocks = {kind: change(np.array(times)) for kind, times in case.recording.streams[name].clocks.items()}
    return change_stream(case, name, clocks=clocks)


def drop_samples(case: Case, name: str = "force", first: int = 900, count: int = 4) -> Case:
    """Lose some samples in a row."""
    stream = case.recording.streams[name]
    rows = np.delete(np.arange(len(stream)), slice(first, first + count))
    return replace(case, recording=with_streams(case.recording, {name: take(stream, rows)}), _kept={})


def set_clock_back(case: Case) -> Case:
    """Repeat one stamp."""

    def back(times: NDArray[np.int64]) -> NDArray[np.int64]:
        times[500] = times[499]
        return times

    return change_stamps(case, "imu", back)


def shake_clock(case: Case) -> Case:
    """Let every third stamp come almost a period late."""
    period = round(NS_PER_S / 240)

    def late(times: NDArray[np.int64]) -> NDArray[np.int64]:
        times[::3] += round(0.8 * period)
        return times

    return change_stamps(case, "imu", late)


def shift_clock(case: Case) -> Case:
    """Put one camera 12 ms beside the others."""
    return change_stamps(case, "camera/wrist", lambda times: times + 12 * STEP_NS)


def forget_stamps(case: Case) -> Case:
    """Keep only a made-up clock of one stream."""
    times = case.recording.streams["imu"].times_ns
    return change_stream(case, "imu", clocks={ClockKind.SYNTHETIC: times - times[0]})


def freeze_joints(case: Case) -> Case:
    """Repeat the wrench for a second in mid-movement."""

    def repeat(values: NDArray[Any]) -> None:
        values[800:1100] = values[800]

    return change_values(case, "force", repeat)


def jump(case: Case) -> Case:
    """Let one joint be somewhere else for a sample."""

    def away(values: NDArray[Any]) -> None:
        values[500, 2] += 1.0

    return change_values(case, "joints", away)


def delay_arm(case: Case) -> Case:
    """Let the commands come 0.8 s early."""
    return change_stamps(case, "action", lambda times: times - 800 * STEP_NS)


def freeze_frames(case: Case) -> Case:
    """Repeat a picture for half a second in mid-movement."""
    pictures = case.recording.streams["camera/wrist"].pictures
    assert isinstance(pictures, Pictures)
    places = list(pictures.places)
    places[90:105] = [places[90]] * 15
    return change_stream(case, "camera/wrist", pictures=replace(pictures, places=tuple(places)))


def shrink(case: Case) -> Case:
    """Let the overhead camera give a quarter of its pixels."""
    pictures = case.recording.streams["camera/overhead"].pictures
    assert isinstance(pictures, Pictures)
    return change_stream(case, "camera/overhead", pictures=replace(pictures, width=32, height=24))


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A FrameSource with some frames replaced."""

    inner: Pictures
    instead: Mapping[int, NDArray[Any]]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.inner.size

    def __len__(self) -> int:
        return len(self.inner)

    def frames(self, indices: Any = None) -> Any:
        """Yield the inner frames, some replaced."""
        wanted = list(range(len(self)) if indices is None else sorted(indices))
        for index, frame in zip(wanted, self.inner.frames(wanted), strict=True):
            yield self.instead.get(index, frame)


def spoil_frames(case: Case, frames: range, picture: NDArray[Any]) -> Case:
    """Replace frames of the wrist camera."""
    inner = case.recording.streams["camera/wrist"].pictures
    assert isinstance(inner, Pictures)
    return change_stream(case, "camera/wrist", pictures=Spoilt(inner, dict.fromkeys(frames, picture)))


def blind(case: Case) -> Case:
    """Turn the light off for a second; noise keeps the frames from being the same."""
    inner = case.recording.streams["camera/wrist"].pictures
    assert isinstance(inner, Pictures)
    random = np.random.default_rng(0)
    dark = {i: random.integers(0, 6, (inner.height, inner.width, 3), np.uint8) for i in range(100, 130)}
    return change_stream(case, "camera/wrist", pictures=Spoilt(inner, dark))


def crush(case: Case) -> Case:
    """Grip three times as hard."""

    def harder(values: NDArray[Any]) -> None:
        values *= 3.0

    return change_values(case, "gripper/effort", harder)


def cut(case: Case, keep: Callable[[NDArray[np.float64]], NDArray[np.bool_]]) -> Case:
    """Keep of every stream what lies in a span of seconds from the beginning."""
    start = min(int(s.times_ns[0]) for s in case.recording.streams.values())
    shorter: dict[str, Stream | None] = {
        name: take(stream, np.flatnonzero(keep((stream.times_ns - start) / NS_PER_S)))
        for name, stream in case.recording.streams.items()
    }
    return replace(case, recording=with_streams(case.recording, shorter), _kept={})


def squeeze(case: Case) -> Case:
    """Let the attempt pass in half the time: 3 s instead of 6."""
    start = int(case.recording.streams["joints"].times_ns[0])
    begin, end = start + round(1.5 * NS_PER_S), start + round(7.5 * NS_PER_S)

    def faster(times: NDArray[np.int64]) -> NDArray[np.int64]:
        inside = np.clip(times, begin, end) - begin
        return times - inside // 2

    streams: dict[str, Stream | None] = {}
    for name, stream in case.recording.streams.items():
        clocks = {kind: faster(np.array(times)) for kind, times in stream.clocks.items()}
        streams[name] = replace(stream, clocks=clocks, nominal_hz=None)
    return replace(case, recording=with_streams(case.recording, streams), _kept={})


def set_nan(case: Case) -> Case:
    """Let one reading be no number."""

    def spoil(values: NDArray[Any]) -> None:
        values[700, 1] = np.nan

    return change_values(case, "force", spoil)


def overwind(case: Case) -> Case:
    """Turn one joint a full turn and more beyond its stop, as a wrong zero does."""

    def turn(values: NDArray[Any]) -> None:
        values[:, 3] += 7.0

    return change_values(case, "joints", turn)


def add_defect(case: Case) -> Case:
    """Let the reader have missed something."""
    defect = Defect("log.mcap", "byte 4096", "A chunk cannot be read.")
    return replace(case, recording=replace(case.recording, defects=(defect,)), _kept={})


INJURIES: dict[str, Injury] = {
    "integrity.readable": Injury(add_defect),
    "integrity.required_streams": Injury(
        lambda case: replace(case, recording=with_streams(case.recording, {"camera/overhead": None}), _kept={}),
    ),
    "integrity.not_finite": Injury(set_nan),
    "integrity.frozen": Injury(freeze_joints),
    "timing.longest_gap": Injury(drop_samples),
    "timing.not_monotonic": Injury(set_clock_back),
    "timing.jitter": Injury(shake_clock),
    "timing.rate": Injury(lambda case: change_stream(case, "imu", nominal_hz=330.0)),
    "timing.real_stamps": Injury(forget_stamps),
    "timing.stream_offset": Injury(shift_clock),
    "motion.joint_limit": Injury(overwind),
    "motion.teleport": Injury(jump),
    "motion.action_follows_state": Injury(delay_arm),
    "vision.resolution": Injury(shrink),
    "vision.frozen_frames": Injury(freeze_frames),
    "vision.black_or_blown": Injury(blind),
    "vision.undecodable": Injury(lambda case: spoil_frames(case, range(40, 41), np.empty((0, 0, 3), np.uint8))),
    "force.window": Injury(crush),
    "adherence.duration": Injury(squeeze, {"timing.rate": "time that passes twice as fast looks like twice the rate"}),
    "adherence.pre_roll": Injury(lambda case: cut(case, lambda at_s: at_s >= 1.0)),  # leaves half a second
    "adherence.post_roll": Injury(lambda case: cut(case, lambda at_s: at_s <= 8.5)),  # noqa: PLR2004 - leaves one second
    "adherence.operator_recorded": Injury(
        lambda case: change_episode(case, operator=""), {"metadata.missing_fields": "the operator is one of the fields"}
    ),
    "metadata.missing_fields": Injury(lambda case: change_episode(case, site="", session="")),
    "calibration.in_force": Injury(lambda case: replace(case, calibrations=(), _kept={})),
}


def one_operator(batch: Batch) -> Batch:
    """Let one person do half of it."""
    hands = [e.operator if i % 2 else "operator-0" for i, e in enumerate(batch.episodes)]
    return replace(batch, episodes=tuple(replace(e, operator=h) for e, h in zip(batch.episodes, hands, strict=True)))


BATCH_INJURIES: dict[str, BatchInjury] = {
    "batch.operator_share": BatchInjury(one_operator),
    "batch.operators": BatchInjury(
        lambda batch: replace(
            batch, episodes=tuple(replace(e, operator=f"operator-{i % 2}") for i, e in enumerate(batch.episodes))
        ),
        {"batch.operator_share": "two people cannot both stay below a third"},
    ),
    "corpus.defects": BatchInjury(lambda batch: replace(batch, defects=(Defect("info.json", "fps", "No rate."),))),
    "corpus.duplicates": BatchInjury(
        lambda batch: replace(
            batch, episodes=(*batch.episodes[:-1], replace(batch.episodes[-1], id=batch.episodes[0].id))
        ),
    ),
    "corpus.index_gaps": BatchInjury(
        lambda batch: replace(batch, episodes=tuple(e for i, e in enumerate(batch.episodes) if i not in (5, 6))),
    ),
    "corpus.length_outliers": BatchInjury(
        lambda batch: replace(
            batch,
            episodes=(
                replace(batch.episodes[0], end_ns=batch.episodes[0].end_ns + 60 * NS_PER_S),
                *batch.episodes[1:],
            ),
        ),
    ),
}
