"""An open video that returns frames by presentation time; a few are kept open for reuse."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.ingest.pictures.packets import Packets
from fieldloop.ingest.pictures.picture_bytes import Picture

MOST_OPEN = 8
WORTH_A_SEEK = 4  # decoding on over this many frames costs about what a seek does
TRIES = 4
Key = tuple[str, int, int, bool]


class Decoder:
    """An open video, used by one caller at a time. It remembers its position, so the next frame is cheap."""

    def __init__(self, path: Path, *, many: bool) -> None:
        import av
        from av.video.reformatter import VideoReformatter

        self._container = av.open(str(path))
        self._stream = self._container.streams.video[0]
        # several threads give out frames late: good for a long run, a waste for a single frame
        self._stream.thread_type = "AUTO" if many else "SLICE"
        if not many:
            self._stream.codec_context.thread_count = 1
        self._colours = VideoReformatter()  # one for all frames: setting it up costs ten times what it does
        self._coming: Iterator[Any] = iter(())
        self._frame: Any = None
        self._began: int | None = None
        self._before: int | None = None

    def decode_frame_at(self, index: int, packets: Packets) -> Any:
        """Return the decoded frame of a packet; None where it does not decode."""
        target = int(packets.pts[index])
        if self._has_passed_frame(target):
            return None
        if not self._is_nearer_than_seeking(index, packets):
            self._seek_to_key(packets.find_key_frame_before(index), packets)
        while self._frame is not None and self._frame.pts < target:
            self._before = self._frame.pts
            self._frame = next(self._coming, None)
        is_target = self._frame is not None and self._frame.pts == target
        return self._frame if is_target and not self._frame.is_corrupt else None

    def convert_to_rgb(self, frame: Any) -> Picture:
        """Turn a decoded frame into red, green and blue."""
        return np.asarray(self._colours.reformat(frame, format="rgb24", threads=1).to_ndarray())

    def close(self) -> None:
        """Let go of the file."""
        self._container.close()

    def _has_passed_frame(self, timestamp: int) -> bool:
        """Was the frame already missing when decoding passed it? Then looking again is useless."""
        return (
            self._before is not None
            and self._before < timestamp
            and (self._frame is None or timestamp < self._frame.pts)
        )

    def _is_nearer_than_seeking(self, index: int, packets: Packets) -> bool:
        """Is it shorter to decode on than to seek?"""
        if self._frame is None or self._frame.pts > packets.pts[index]:
            return False
        here = int(np.searchsorted(packets.pts, self._frame.pts))
        return index - here <= WORTH_A_SEEK or packets.find_key_frame_before(index) - here <= WORTH_A_SEEK

    def _seek_to_key(self, key_frame: int, packets: Packets) -> None:
        """Begin to decode at a key frame, or at one before it where the container's own index leads too far."""
        wanted = int(packets.pts[key_frame]) if len(packets.pts) else 0
        for earlier in range(TRIES):
            start = packets.find_key_frame_before(max(0, key_frame - earlier))
            at = int(packets.pts[start]) if earlier < TRIES - 1 else int(packets.pts[0])
            self._container.seek(at - earlier, stream=self._stream, backward=True)
            self._began = None
            self._coming = self._decode_packets()
            self._frame = next(self._coming, None)
            self._before = wanted - 1
            if self._began is None or self._began <= wanted:
                return

    def _decode_packets(self) -> Iterator[Any]:
        import av

        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
                if self._began is None and packet.pts is not None:
                    self._began = packet.pts
            except (StopIteration, av.FFmpegError, OSError):
                return
            try:
                yield from (frame for frame in packet.decode() if frame.pts is not None)
            except av.FFmpegError:
                continue  # a broken packet: its frame is missing


class _Pool:
    """Idle decoders, the last used at the end."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[tuple[Key, Decoder]] = []

    def take_decoder(self, key: Key) -> Decoder | None:
        with self.lock:
            for place in reversed(range(len(self.idle))):
                if self.idle[place][0] == key:
                    return self.idle.pop(place)[1]
        return None

    def return_decoder(self, key: Key, decoder: Decoder) -> None:
        with self.lock:
            self.idle.append((key, decoder))
            old = self.idle.pop(0)[1] if len(self.idle) > MOST_OPEN else None
        if old is not None:
            old.close()


_pool = _Pool()


def _reset_pool() -> None:
    """A forked child shares its parent's place in each open file: it opens its own."""
    global _pool  # noqa: PLW0603 - what a fork copies is per process by nature
    _pool = _Pool()


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=_reset_pool)


@contextmanager
def borrow_decoder(path: Path, *, many_frames: bool) -> Iterator[Decoder]:
    """Lend a decoder of this file, reusing an open one unless the file has changed."""
    state = path.stat()
    key = (str(path), state.st_mtime_ns, state.st_size, many_frames)
    decoder = _pool.take_decoder(key) or Decoder(path, many=many_frames)
    sound = not many_frames  # a long run is over when it ends; its threads are not kept waiting
    try:
        yield decoder
    except Exception:
        sound = False
        raise
    finally:  # also where the caller stops early
        if sound:
            _pool.return_decoder(key, decoder)
        else:
            decoder.close()
