"""Frames of many episodes in one video file after another, each episode beginning with a key frame."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from fieldloop.model.stream import VideoPart
from fieldloop.release.writers.lerobot.copied_video import CopiedVideo, copy_packets
from fieldloop.release.writers.lerobot.files import Place, Places

Codec = Literal["keep", "h264", "av1"]
"""`keep` copies the source's packets where they are h264 or AV1, and encodes h264 where they cannot be copied."""
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
KEY_FRAME_EVERY = 2  # random access is what a learner does; LeRobot's own default
DEPTH_KEY_FRAME_EVERY = 1  # a distance is exact whatever the encoder makes of the frames around it
LONGEST_S = 1000.0
"""LeRobot compares stamps within a file as float32 to 0.1 ms; from 1024 s on it could not tell them apart."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How pictures are encoded: the encoder's name and options, and what the format calls the result."""

    encoder: str
    codec: str
    pix_fmt: str
    source: str
    options: Mapping[str, str] = field(default_factory=dict)


def choose_encoding(codec: Codec, size: tuple[int, int], *, crf: int, depth: bool) -> Encoding:
    """Choose an encoding. Distances are kept without loss beyond their steps, whatever the codec for colour."""
    if depth:
        exact = f"lossless=1:keyint={DEPTH_KEY_FRAME_EVERY}:bframes=0:log-level=none"
        options = {"g": str(DEPTH_KEY_FRAME_EVERY), "preset": "ultrafast", "x265-params": exact}
        return Encoding("libx265", "hevc", "gray12le", "gray12le", options)
    gop = {"g": str(KEY_FRAME_EVERY)}
    # half-resolution colour needs even sides; a picture is never cut to fit
    whole = size[0] % 2 == 0 and size[1] % 2 == 0
    if codec == "av1":
        os.environ.setdefault("SVT_LOG", "1")  # the library writes its settings onto the terminal otherwise
        # not preset 12: of pictures of 64 pixels and less it gives every second frame as a copy of the one before
        return Encoding("libsvtav1", "av1", "yuv420p", "rgb24", gop | {"crf": str(crf), "preset": "10"})
    # with a key frame every second there is nothing to look ahead for: a third of the time for 4 % of the size
    plain = "rc-lookahead=0:mbtree=0:scenecut=0"
    fast = {"crf": str(crf), "preset": "veryfast", "bf": "0", "threads": "1", "x264-params": plain}
    return Encoding("libx264", "h264", "yuv420p" if whole else "yuv444p", "rgb24", gop | fast)


class Span(NamedTuple):
    """Where an episode's frames of one camera lie."""

    place: Place
    from_s: float
    to_s: float


class VideoWriter:
    """One camera's videos. `add` an episode's frames, then `close`.

    An episode is encoded alone, so that it can be cut out again without being encoded anew, and its packets are then
    put behind those of the episodes before.
    """

    def __init__(self, folder: Path, key: str, fps: int, how: Encoding, places: Places) -> None:
        self._folder, self._key, self._fps, self._how, self._places = folder, key, fps, how, places
        self._alone = folder / "videos" / f"{key}.part.mp4"
        self._alone.parent.mkdir(exist_ok=True)
        self._frames = 0
        self._container: Any = None
        self._stream: Any = None
        self._head: bytes | None = None  # decoder settings, which all episodes of a file share

    def encode_episode(self, pictures: Iterable[Any]) -> Span:
        """Encode one episode's frames behind what is there."""
        return self.append_episode(self._encode_pictures(pictures))

    def copy_episode(self, part: VideoPart, codecs: Collection[str]) -> CopiedVideo | None:
        """Copy one episode's packets beside what is there, to be appended; None where that is not possible."""
        return copy_packets(part, self._alone, self._fps, codecs)

    def append_episode(self, count: int) -> Span:
        """Put the episode that was copied or encoded last behind what is there."""
        import av

        size = self._alone.stat().st_size
        with av.open(str(self._alone)) as alone:
            head = alone.streams.video[0].codec_context.extradata
            full = (self._frames + count) / self._fps > LONGEST_S or head != self._head
            place, is_new = self._places.choose_file(size, too_long=full)
            if is_new:
                self._open(place, alone.streams.video[0])
                self._head = head
            for packet in alone.demux(video=0):
                if packet.size:
                    self._append_packet(packet)
        self._alone.unlink()
        self._places.note_written_bytes(size)
        start, self._frames = self._frames, self._frames + count
        return Span(place, start / self._fps, self._frames / self._fps)

    def close(self) -> None:
        """Finish the file."""
        if self._container is not None:
            self._container.close()
            self._container = None

    def _open(self, place: Place, template: Any) -> None:
        import av

        self.close()
        self._frames = 0
        path = self._folder / place.fill_template(VIDEO_PATH, video_key=self._key)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._container = av.open(str(path), "w", options={"movflags": "faststart"})
        self._stream = self._container.add_stream_from_template(template, opaque=True)

    def _append_packet(self, packet: Any) -> None:
        shift = round(Fraction(self._frames, self._fps) / packet.time_base)
        packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
        packet.stream = self._stream
        self._container.mux(packet)

    def _encode_pictures(self, pictures: Iterable[Any]) -> int:
        import av

        count = 0
        with av.open(str(self._alone), "w") as container:
            stream = container.add_stream(self._how.encoder, rate=self._fps, options=dict(self._how.options))
            stream.pix_fmt = self._how.pix_fmt
            for picture in pictures:
                if not count:
                    stream.height, stream.width = picture.shape[:2]
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format=self._how.source)
                frame.pts, frame.time_base = count, Fraction(1, self._fps)
                container.mux(stream.encode(frame))
                count += 1
            container.mux(stream.encode())
        return count
