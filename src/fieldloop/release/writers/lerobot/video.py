"""Frames of many episodes in one video file after another, each episode beginning with a key frame."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FILE_BYTES = 200 << 20
KEY_FRAME_EVERY = "2"  # random access is what a learner does; LeRobot's own default
QUALITY = "20"


class Span(NamedTuple):
    """Where an episode's frames of one camera lie."""

    chunk: int
    file: int
    from_s: float
    to_s: float


class VideoWriter:
    """One camera's videos. `add` an episode's frames, then `close`."""

    def __init__(self, folder: Path, key: str, fps: int) -> None:
        self._folder, self._key, self._fps = folder, key, fps
        self._file, self._frames = -1, 0
        self._container: Any = None
        self._stream: Any = None
        self._bytes = 0
        self.size: tuple[int, int] | None = None

    def add(self, pictures: Iterable[Any]) -> Span:
        """Encode one episode's frames behind what is there."""
        start, first = self._frames, True
        for picture in pictures:
            if self._container is None or (first and self._bytes > FILE_BYTES):
                self._open(picture.shape[1], picture.shape[0])
                start = 0
            self._encode(picture, key=first)
            first = False
        return Span(0, max(self._file, 0), start / self._fps, self._frames / self._fps)

    def close(self) -> None:
        """Write what the encoder still holds and finish the file."""
        if self._container is not None:
            for packet in self._stream.encode():
                self._container.mux(packet)
            self._container.close()
            self._container = None

    def _open(self, width: int, height: int) -> None:
        import av

        self.close()
        self._file += 1
        self._frames, self._bytes, self.size = 0, 0, (width, height)
        path = self._folder / f"videos/{self._key}/chunk-000/file-{self._file:03d}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._container = av.open(str(path), "w", options={"movflags": "faststart"})
        options = {"crf": QUALITY, "g": KEY_FRAME_EVERY, "preset": "veryfast", "bf": "0"}
        self._stream = self._container.add_stream("libx264", rate=self._fps, options=options)
        self._stream.width, self._stream.height = width, height
        # half-resolution colour needs even sides; a picture is never cut to fit
        self._stream.pix_fmt = "yuv420p" if width % 2 == 0 and height % 2 == 0 else "yuv444p"

    def _encode(self, picture: Any, *, key: bool) -> None:
        import av
        from av.video.frame import PictureType

        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts, frame.time_base = self._frames, Fraction(1, self._fps)
        if key:
            frame.pict_type = PictureType.I
        for packet in self._stream.encode(frame):
            self._bytes += packet.size
            self._container.mux(packet)
        self._frames += 1
