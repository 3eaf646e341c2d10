"""A stretch of a video file: its packets without decoding, its pixels on demand."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.pictures.decoder import borrow_decoder
from fieldloop.ingest.pictures.demux import list_packets_by_demuxer
from fieldloop.ingest.pictures.depth_video import CODES, LAST_CODE, DepthCodes
from fieldloop.ingest.pictures.mp4 import list_packets_by_boxes
from fieldloop.ingest.pictures.packets import Packets
from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture
from fieldloop.ingest.stand_in import describe_pointer_file
from fieldloop.model.stream import VideoPart

MANY = 64  # so many frames in one go are worth threads


def read_packets(path: Path) -> Packets:
    """List a video's packets; ValueError where it is not a readable video."""
    try:
        state = path.stat()
    except FileNotFoundError as absent:
        raise ValueError(describe_pointer_file(path) or "the file is missing") from absent
    return _read_packets_cached(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)  # episodes of a v3.0 dataset share a file
def _read_packets_cached(path: Path, _mtime_ns: int, _size: int) -> Packets:
    try:
        return list_packets_by_boxes(path)
    except ValueError as unread:
        if not _size:
            raise ValueError("the file is empty") from unread
        if pointer := describe_pointer_file(path):
            raise ValueError(pointer) from unread
        try:
            return list_packets_by_demuxer(path)
        except ValueError as unreadable:
            raise ValueError(f"{unreadable}; {unread}") from unread


class VideoSpan:
    """A FrameSource over frames `first` to `last` (not included) of a video file; with `depth`, of distances."""

    def __init__(self, path: Path, packets: Packets, first: int, last: int, depth: DepthCodes | None = None) -> None:
        self._path, self._packets, self._first, self._last = path, packets, first, last
        self._depth = depth

    @property
    def path(self) -> Path:
        """The file that the stretch is a part of."""
        return self._path

    @property
    def packets(self) -> Packets:
        """Every packet of the file."""
        return self._packets

    @property
    def bounds(self) -> tuple[int, int]:
        """The first frame of the stretch in the file, and the one behind its last."""
        return self._first, self._last

    @property
    def depth(self) -> DepthCodes | None:
        """How its codes stand for distances; None for a video of colours."""
        return self._depth

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process without the rest of the file's packets."""
        start = self._packets.find_key_frame_before(self._first) if len(self) else self._first
        part = self._packets.select_packets(start, self._last)
        return VideoSpan, (self._path, part, self._first - start, self._last - start, self._depth)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._packets.width, self._packets.height

    @property
    def part(self) -> VideoPart:
        """Where the frames lie in the file."""
        return VideoPart(str(self._path), self._packets.pts[self._first : self._last])

    @property
    def times_ns(self) -> NDArray[np.int64]:
        """Container stamps from the beginning of the file."""
        return self._packets.times_ns[self._first : self._last]

    def __len__(self) -> int:
        return self._last - self._first

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        wanted = list(range(len(self)) if indices is None else sorted(indices))
        done = 0
        for picture in self._decode(wanted):
            done += 1
            yield picture
        yield from (NOTHING for _ in range(len(wanted) - done))

    def fingerprint(self) -> Iterator[bytes]:
        """Yield what names this stretch: when each packet is shown, its size and kind; the first and the last packet.

        All packets would be better and cost as much as reading the whole file; sizes of compressed pictures differ
        from one take to the next about as surely.
        """
        part = slice(self._first, self._last)
        table = self._packets
        shown_ns = table.compute_times_since_first_ns(self._first, self._last)
        yield b"".join((shown_ns.tobytes(), table.sizes[part].tobytes(), table.keys[part].tobytes()))
        with self._path.open("rb", buffering=0) as file:
            for index in sorted({self._first, self._last - 1}) if len(self) else ():
                file.seek(max(0, int(table.positions[index])))
                yield file.read(int(table.sizes[index]))

    def _decode(self, wanted: list[int]) -> Iterator[Picture]:
        import av

        if not wanted:
            return
        many = len(wanted) >= MANY and wanted[-1] - wanted[0] < 2 * len(wanted)
        try:
            with borrow_decoder(self._path, many_frames=many) as decoder:
                pixels = _make_depth_converter(self._depth) if self._depth else decoder.convert_to_rgb
                for index in wanted:
                    frame = decoder.decode_frame_at(self._first + index, self._packets)
                    fits = frame is not None and (frame.width, frame.height) == self.size
                    yield pixels(frame) if fits else NOTHING
        except (av.FFmpegError, OSError, ValueError, IndexError):
            return  # the caller yields what is missing as empty frames


def _make_depth_converter(codes: DepthCodes) -> Callable[[Any], Picture]:
    metres = codes.convert_to_metres()
    return lambda frame: metres[np.minimum(frame.to_ndarray(format=CODES), LAST_CODE)]
