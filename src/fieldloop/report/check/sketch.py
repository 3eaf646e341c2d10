"""Sketches of an episode, taken while its log is open: a few hundred points and a few small pictures."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Recording
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

MOST_POINTS = 400
MOST_COLUMNS = 6
MOST_STREAMS = 8
MOST_PICTURES = 6
PICTURE_WIDTH = 344
EVEN = 0.1
TRACED = (StreamKind.JOINT_POSITION, StreamKind.GRIPPER, StreamKind.FORCE_TORQUE)
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """The time between samples of one stream, in its own periods."""

    name: str
    clock: ClockKind
    hz: float
    at_s: Numbers
    periods: Numbers

    @property
    def is_worth_drawing(self) -> bool:
        """Are these timestamps worth drawing? Generated ones only where they are uneven."""
        made_up = self.clock in (ClockKind.SYNTHETIC, ClockKind.CONTAINER)
        return not made_up or bool((np.abs(self.periods - 1.0) > EVEN).any())


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The columns of one stream that move most."""

    name: str
    unit: str
    at_s: Numbers
    values: Numbers
    columns: tuple[str, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """One frame, scaled down."""

    stream: str
    at_s: float
    data_uri: str
    flagged: bool


@dataclass(frozen=True, slots=True, eq=False)
class EpisodeSketch:
    """Everything drawn of one episode."""

    intervals: tuple[Intervals, ...]
    traces: tuple[Trace, ...]
    thumbnails: tuple[Thumbnail, ...]


def sketch_episode(recording: Recording, report: EpisodeReport) -> EpisodeSketch:
    """Return the sketch of an episode; flagged moments decide which frames are shown."""
    streams = [s for s in recording.streams.values() if len(s) > 2 and s.kind is not StreamKind.OTHER]  # noqa: PLR2004 - intervals
    flagged = [f for f in report.findings if f.status is Status.FAILED]
    named = {name for f in flagged for name in f.about.streams}
    first = sorted(streams, key=lambda s: (s.name not in named, s.clock is ClockKind.SYNTHETIC))
    intervals = [one for s in first if (one := _measure_intervals(s, recording)).is_worth_drawing][:MOST_STREAMS]
    traces = tuple(
        _make_trace(s, recording) for kind in TRACED for s in streams if s.kind is kind and s.values is not None
    )
    return EpisodeSketch(tuple(intervals), traces[:3], tuple(_make_thumbnails(recording, flagged))[:MOST_PICTURES])


def _get_seconds_from_start(stream: Stream, recording: Recording) -> Numbers:
    """Return seconds from the episode's start; a stream on another clock (a video from 0) counts from its own."""
    begins, episode = int(stream.times_ns.min()), recording.episode
    start = episode.start_ns if episode.start_ns <= begins <= episode.end_ns else begins
    at_s: Numbers = (stream.times_ns - start) / NS_PER_S
    return at_s


def _measure_intervals(stream: Stream, recording: Recording) -> Intervals:
    steps = np.diff(stream.times_ns).astype(np.float64)
    forward = steps[steps > 0]
    period = float(np.median(forward)) if len(forward) else 1.0
    at_s, periods = _get_seconds_from_start(stream, recording)[1:], steps / period
    keep = _select_extreme_rows(periods)
    return Intervals(stream.name, stream.clock, NS_PER_S / period, at_s[keep], periods[keep])


def _select_extreme_rows(values: Numbers) -> NDArray[np.int64]:
    """Keep the point farthest from 1 of each of a few hundred bins: thinning must not hide a gap."""
    if len(values) <= MOST_POINTS:
        return np.arange(len(values))
    bins = np.array_split(np.arange(len(values)), MOST_POINTS)
    return np.asarray([part[np.argmax(np.abs(values[part] - 1.0))] for part in bins])


def _select_rows_around_jumps(values: Numbers) -> NDArray[np.int64]:
    """Keep the first row of each bin and the rows around its largest step: thinning must not hide a jump."""
    if len(values) <= MOST_POINTS:
        return np.arange(len(values))
    steps = np.concatenate([[0.0], np.nan_to_num(np.abs(np.diff(values, axis=0))).max(axis=1)])
    bins = np.array_split(np.arange(len(values)), MOST_POINTS // 3)
    largest = [part[np.argmax(steps[part])] for part in bins]
    return np.unique([row for part, at in zip(bins, largest, strict=True) for row in (part[0], max(at - 1, 0), at)])


def _make_trace(stream: Stream, recording: Recording) -> Trace:
    assert stream.values is not None
    values = stream.values.reshape(len(stream), -1).astype(np.float64)
    reach = np.ptp(np.nan_to_num(values), axis=0)
    chosen = np.sort(np.argsort(-reach, kind="stable")[:MOST_COLUMNS])
    rows = _select_rows_around_jumps(values)
    names = tuple(stream.columns[i] if i < len(stream.columns) else f"[{i}]" for i in chosen)
    return Trace(
        stream.name, stream.unit, _get_seconds_from_start(stream, recording)[rows], values[rows][:, chosen], names,
        values.shape[1] - len(chosen),
    )  # fmt: skip


def _make_thumbnails(recording: Recording, flagged_findings: list[Finding]) -> Iterator[Thumbnail]:
    cameras = [s for s in recording.streams.values() if s.kind is StreamKind.RGB and s.pictures is not None and len(s)]
    named = [c for c in cameras if any(c.name in f.about.streams for f in flagged_findings)]
    for camera in [*named, *(c for c in cameras if c not in named)][:2]:
        camera_findings = [f for f in flagged_findings if camera.name in f.about.streams] or flagged_findings
        moments = sorted({f.at_s for f in camera_findings if f.at_s is not None})[:3]
        at_s = _get_seconds_from_start(camera, recording)
        yield from _make_camera_thumbnails(
            camera, at_s, moments or [0.0, float(at_s[-1]) / 2, float("inf")], flagged=bool(moments)
        )


def _make_camera_thumbnails(
    camera: Stream, at_s: Numbers, moments: list[float], *, flagged: bool
) -> Iterator[Thumbnail]:
    assert camera.pictures is not None
    at_s = at_s[: len(camera.pictures)]
    picks = sorted({min(int(np.searchsorted(at_s, at)), len(at_s) - 1) for at in moments})
    for index, frame in zip(picks, camera.pictures.frames(picks), strict=True):
        yield Thumbnail(camera.name, float(at_s[index]), _encode_thumbnail(frame), flagged)


def _encode_thumbnail(frame: NDArray[np.uint8]) -> str:
    """Return a small JPEG as a data URI; '' where the frame did not decode."""
    import cv2

    if not frame.size:
        return ""
    height, width = frame.shape[:2]
    scale = min(1.0, PICTURE_WIDTH / width)
    small = cv2.resize(
        frame, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=cv2.INTER_AREA
    )
    done, data = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 80])
    return f"data:image/jpeg;base64,{base64.b64encode(data.tobytes()).decode()}" if done else ""
