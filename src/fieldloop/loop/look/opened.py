"""One opened episode: its view, and the bytes behind it: packets, pictures, signals."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.ingest.messages.video_messages import VideoOnDemand
from fieldloop.ingest.pictures.encoded_span import EncodedSpan, list_encoded_packets
from fieldloop.ingest.pictures.video import VideoSpan
from fieldloop.loop.look.decoded_ahead import DecodedAhead
from fieldloop.loop.look.picture_files import PictureFile, find_depth_range_m, make_picture_file
from fieldloop.loop.look.thinning import count_sent_rows, reduce_signal
from fieldloop.loop.look.timing import Seconds, compute_start_and_duration, get_stream_seconds
from fieldloop.loop.look.view import EpisodeView
from fieldloop.model.episode import Recording
from fieldloop.model.explored import Beside, CameraSeen, SignalListed
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import FrameSource, Stream, StreamKind

ReadBeside = Callable[[], Beside]
Check = Callable[[Recording], Beside]
CAMERA = "camera/"
NOT_FOUND = "this camera has no frames that can be opened"


class OpenedEpisode:
    """A recording that stays open while someone looks at it. Pictures are read by one caller at a time."""

    def __init__(
        self, key: str, source: str, recording: Recording, check_recording: Check, read_beside: ReadBeside = Beside
    ) -> None:
        self.key, self.source, self.recording = key, source, recording
        self._check_recording, self._read_beside = check_recording, read_beside
        self._checked: Beside | None = None
        self._checking = threading.Lock()
        self._reading = threading.Lock()
        streams = recording.streams.values()
        self._cameras = tuple(s for s in streams if s.pictures is not None and s.clocks and len(s))
        self._signals = tuple(s for s in streams if s.pictures is None and _is_signal(s))
        self._start_ns, self._duration_s = compute_start_and_duration(recording)

    def make_view(self) -> EpisodeView:
        """Everything but the bytes; labels and findings are those of now."""
        beside, (cameras, signals, grid) = self._read_beside(), self._contents
        return EpisodeView(
            self.key, self.source, self.recording.episode, self._start_ns, self._duration_s, grid, cameras, signals,
            beside.segments, beside.calibrations, beside.report, beside.lags, self.recording.defects,
        )  # fmt: skip

    def check_now(self) -> EpisodeView:
        """Return the view with findings and lags; what is not known yet is measured now, once."""
        with self._checking:
            self._checked = self._checked or self._check_recording(self.recording)
        view, checked = self.make_view(), self._checked
        return replace(view, report=view.report or checked.report, lags=view.lags or checked.lags)

    @cached_property
    def _contents(self) -> tuple[tuple[CameraSeen, ...], tuple[SignalListed, ...], str]:
        """Cameras and signals, and which of them gives the steps."""
        cameras = tuple(self._describe_camera(number) for number in range(len(self._cameras)))
        signals = tuple(_describe_signal(number, stream) for number, stream in enumerate(self._signals))
        longest = max(signals, key=lambda signal: signal.rows, default=None)
        first = next((camera.name for camera in cameras if camera.frames > 1), longest.name if longest else "")
        return (*cameras, *self._describe_missing_cameras(len(cameras))), signals, first

    def get_camera_times(self, number: int) -> Seconds:
        """Return when each frame of a camera lies."""
        camera = self._find_camera(number)
        return get_stream_seconds(camera, self._start_ns, self.recording.episode.end_ns, _count_frames(camera))

    def list_packets(self, number: int) -> EncodedSpan:
        """List the packets of a camera's video; ValueError states why there are none to give out."""
        pictures = self._find_camera(number).pictures
        if not isinstance(pictures, VideoSpan):
            raise ValueError("its frames are pictures")  # noqa: TRY004 - of what is stored, not of the call
        return list_encoded_packets(pictures)

    def get_video_file(self, number: int) -> Path:
        """Return the file that a camera's packets lie in."""
        return self.list_packets(number).path

    def read_picture(self, number: int, frame: int) -> PictureFile:
        """Return one frame as a picture file: the stored bytes where they are one; b'' where it does not decode."""
        camera = self._find_camera(number)
        if camera.pictures is None or not 0 <= frame < _count_frames(camera):
            raise UnknownName("frame", str(frame), [])
        with self._reading:
            return make_picture_file(self._sources[number], frame, self._depth_ranges.get(number))

    def read_signal(self, number: int) -> tuple[Seconds, np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
        """Return when the samples of a signal lie, and its values, a row for each column; a long one is thinned."""
        if not 0 <= number < len(self._signals):
            raise UnknownName("signal", str(number), [str(n) for n in range(len(self._signals))])
        stream = self._signals[number]
        assert stream.values is not None
        rows = min(len(stream), len(stream.values))
        times = get_stream_seconds(stream, self._start_ns, self.recording.episode.end_ns, rows)
        values = np.asarray(stream.values[:rows]).reshape(rows, -1)
        return reduce_signal(times, np.ascontiguousarray(values.T, np.float32))

    @cached_property
    def _sources(self) -> dict[int, FrameSource]:
        """Where pictures are read from: video in messages through a few decoded frames."""
        sources = {
            number: camera.pictures for number, camera in enumerate(self._cameras) if camera.pictures is not None
        }
        return {n: DecodedAhead(one) if isinstance(one, VideoOnDemand) else one for n, one in sources.items()}

    @cached_property
    def _depth_ranges(self) -> dict[int, tuple[float, float]]:
        found = {}
        for number, camera in enumerate(self._cameras):
            if camera.kind is StreamKind.DEPTH and camera.pictures is not None:
                found[number] = find_depth_range_m(camera.pictures)
        return found

    def _find_camera(self, number: int) -> Stream:
        if not 0 <= number < len(self._cameras):
            raise UnknownName("camera", str(number), [str(n) for n in range(len(self._cameras))])
        return self._cameras[number]

    def _describe_camera(self, number: int) -> CameraSeen:
        camera = self._cameras[number]
        assert camera.pictures is not None
        frames = _count_frames(camera)
        with self._reading:
            width, height = camera.pictures.size if frames else (0, 0)
        codec, why_not = "", ""
        try:
            codec = self.list_packets(number).config.codec
        except (ValueError, OSError) as wrong:
            why_not = str(wrong)
        return CameraSeen(
            number, camera.name, width, height, frames if width else 0, camera.hz, camera.clock.value, bool(codec),
            codec, why_not if width else NOT_FOUND, self._depth_ranges.get(number),
        )  # fmt: skip

    def _describe_missing_cameras(self, number: int) -> list[CameraSeen]:
        """List cameras that the log names and whose frames cannot be opened."""
        from fieldloop.say import write_sentence

        known = {camera.name for camera in self._cameras}
        missing = [d for d in self.recording.defects if d.subject.startswith(CAMERA) and d.subject not in known]
        unique = {defect.subject: defect for defect in reversed(missing)}
        return [
            CameraSeen(number + k, name, 0, 0, 0, None, "", why_not=write_sentence(unique[name].message))
            for k, name in enumerate(sorted(unique))
        ]


def _count_frames(camera: Stream) -> int:
    return 0 if camera.pictures is None else min(len(camera), len(camera.pictures))


def _is_signal(stream: Stream) -> bool:
    """Can this stream be drawn as lines?"""
    values = stream.values
    return bool(values is not None and stream.clocks and len(stream) and values.size and values.dtype.kind in "fiub")


def _describe_signal(number: int, stream: Stream) -> SignalListed:
    assert stream.values is not None
    rows = min(len(stream), len(stream.values))
    count = int(np.prod(stream.values.shape[1:], dtype=np.int64)) if stream.values.ndim > 1 else 1
    names = [stream.columns[k] if k < len(stream.columns) else f"[{k}]" for k in range(count)]
    return SignalListed(
        number, stream.name, stream.kind.value, stream.unit, tuple(names), rows, count_sent_rows(rows),
        stream.clock.value, stream.get_provenance(StreamFact.UNIT),
    )  # fmt: skip
