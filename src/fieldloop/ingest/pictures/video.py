"""A stretch of a video file: its packets without decoding, its pixels on demand."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture

NS_PER_S = 1_000_000_000
FAR_FRAMES = 32  # a jump this long is worth a seek to the next key frame


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """Every packet of a video in the order it is shown."""

    width: int
    height: int
    pts: NDArray[np.int64]
    times_ns: NDArray[np.int64]
    sizes: NDArray[np.int64]
    keys: NDArray[np.bool_]
    positions: NDArray[np.int64]
    codec: str


def read_packets(path: Path) -> Packets:
    """List a video's packets; ValueError says why it is no video that can be read."""
    state = path.stat()
    return _read_packets(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)  # episodes of a v3.0 dataset share a file
def _read_packets(path: Path, _mtime_ns: int, _size: int) -> Packets:
    import av

    rows: list[tuple[int, int, bool, int]] = []
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise ValueError("it has no video stream")
            stream = container.streams.video[0]
            context, base = stream.codec_context, stream.time_base
            if context is None or base is None:
                raise ValueError("its codec is not known")
            width, height, codec = context.width, context.height, context.name
            for packet in container.demux(stream):
                if packet.pts is not None and packet.size:
                    at = packet.pos if packet.pos is not None else -1
                    rows.append((packet.pts, packet.size, packet.is_keyframe, at))
    except (av.FFmpegError, OSError) as wrong:
        if not rows:
            raise ValueError(str(wrong)) from wrong
    rows.sort()
    pts = np.asarray([row[0] for row in rows], np.int64)
    times = np.asarray([int(p * base.numerator * NS_PER_S // base.denominator) for p in pts.tolist()], np.int64)
    sizes, keys, places = (np.asarray([row[k] for row in rows]) for k in (1, 2, 3))
    return Packets(
        width, height, pts, times, sizes.astype(np.int64), keys.astype(np.bool_), places.astype(np.int64), codec
    )


class VideoSpan:
    """A FrameSource over frames `first` to `last` (not included) of a video file."""

    def __init__(self, path: Path, packets: Packets, first: int, last: int) -> None:
        self._path, self._packets, self._first, self._last = path, packets, first, last

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._packets.width, self._packets.height

    @property
    def times_ns(self) -> NDArray[np.int64]:
        """Container stamps from the beginning of the file."""
        return self._packets.times_ns[self._first : self._last]

    def __len__(self) -> int:
        return self._last - self._first

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        wanted = range(len(self)) if indices is None else sorted(indices)
        targets = [int(self._packets.pts[self._first + index]) for index in wanted]
        done = 0
        for picture in self._decode(targets):
            done += 1
            yield picture
        yield from (NOTHING for _ in range(len(targets) - done))

    def fingerprint(self) -> Iterator[bytes]:
        """Yield what names this stretch: its packet table, its first and its last packet."""
        part = slice(self._first, self._last)
        table = self._packets
        yield (table.times_ns[part] - table.times_ns[part][:1]).tobytes()
        yield table.sizes[part].tobytes()
        yield table.keys[part].tobytes()
        with self._path.open("rb") as file:
            for index in {self._first, self._last - 1} if len(self) else ():
                file.seek(max(0, int(table.positions[index])))
                yield file.read(int(table.sizes[index]))

    def _decode(self, targets: list[int]) -> Iterator[Picture]:
        import av
        from av.video.reformatter import VideoReformatter

        colours = VideoReformatter()  # one for all frames: setting it up costs ten times what it does
        try:
            with av.open(str(self._path)) as container:
                stream = container.streams.video[0]
                stream.thread_type = "AUTO"
                at = 0
                while at < len(targets):
                    before = at
                    for frame in _frames_from(container, stream, targets[at]):
                        while at < len(targets) and frame.pts > targets[at]:
                            at += 1
                            yield NOTHING
                        while at < len(targets) and frame.pts == targets[at]:
                            at += 1
                            plain = colours.reformat(frame, format="rgb24", threads=1)
                            yield NOTHING if frame.is_corrupt else plain.to_ndarray()
                        if at == len(targets) or (at > before and self._worth_a_seek(frame.pts, targets[at])):
                            break
                    else:
                        return  # the file ended before the last target
        except (av.FFmpegError, OSError):
            return  # the caller yields what is missing as empty frames

    def _worth_a_seek(self, now: int, target: int) -> bool:
        here, there = np.searchsorted(self._packets.pts, [now, target])
        return bool(there - here > FAR_FRAMES and self._packets.keys[here + 1 : there + 1].any())


def _frames_from(container: Any, stream: Any, pts: int) -> Iterator[Any]:
    import av

    container.seek(pts, stream=stream, backward=True)
    for packet in container.demux(stream):
        try:
            yield from (frame for frame in packet.decode() if frame.pts is not None)
        except av.FFmpegError:
            continue  # a broken packet: its frame is missed by whoever waits for it
