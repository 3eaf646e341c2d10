"""Video stored message by message (H.264, H.265 …), decoded on demand from the previous key frame."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.arrived import Payloads
from fieldloop.ingest.messages.picture_messages import PictureMessages
from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture
from fieldloop.ingest.pictures.placed import PlacedPictures

CODECS = {"h264": "h264", "h265": "hevc", "hevc": "hevc", "vp9": "vp9", "av1": "libdav1d"}
START_CODE = b"\x00\x00\x01"
H264_KEY = {5, 7}  # an instantaneous refresh, or the parameters that come before one
H265_KEY = {*range(16, 22), 32, 33, 34}
MOST_UNITS = 16  # parameters come first; the rest of a picture need not be searched


def is_key_frame(form: str, data: bytes) -> bool:
    """Can decoding begin at this picture? Of codecs whose bytes are not looked into, only the first one can."""
    if form not in ("h264", "h265", "hevc"):
        return False
    at = data.find(START_CODE)
    for _ in range(MOST_UNITS):
        if at < 0 or at + 3 >= len(data):
            return False
        kind, keys = (data[at + 3] & 0x1F, H264_KEY) if form == "h264" else (data[at + 3] >> 1 & 0x3F, H265_KEY)
        if kind in keys:
            return True
        at = data.find(START_CODE, at + 3)
    return False


class VideoOnDemand(PlacedPictures):
    """A FrameSource over the messages of one video topic; `keys` are those at which decoding can begin."""

    def __init__(
        self, source: Payloads, places: NDArray[np.int64], keys: NDArray[np.int64], messages: PictureMessages, form: str
    ) -> None:
        super().__init__(places)
        self._source, self._messages, self._form = source, messages, form
        self._keys = keys

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        wanted = np.arange(len(self)) if indices is None else np.asarray(sorted(indices), np.int64)
        starts = self._keys[np.maximum(np.searchsorted(self._keys, wanted, side="right") - 1, 0)]
        for run in np.split(wanted, np.flatnonzero(np.diff(starts)) + 1):
            if len(run):
                yield from self._decode_from_key_frame(self._find_key_frame_before(int(run[0])), run.tolist())

    def _find_key_frame_before(self, index: int) -> int:
        before = self._keys[self._keys <= index]
        return int(before[-1]) if len(before) else 0

    def _decode_from_key_frame(self, key_frame: int, wanted_frames: list[int]) -> Iterator[Picture]:
        """Decode from a key frame on; a picture may come out a few packets after it went in."""
        due = iter(wanted_frames)
        waiting = next(due, None)
        for index, picture in self._decode_packets(key_frame, wanted_frames[-1]):
            while waiting is not None and waiting < index:
                yield NOTHING
                waiting = next(due, None)
            while waiting == index:
                yield picture
                waiting = next(due, None)
        while waiting is not None:
            yield NOTHING
            waiting = next(due, None)

    def _decode_packets(self, start: int, last: int) -> Iterator[tuple[int, Picture]]:
        import av

        try:
            context: Any = av.CodecContext.create(CODECS.get(self._form, self._form), "r")
        except (av.FFmpegError, ValueError):
            return
        for index, payload in enumerate(self._source.fetch(self._places[start : last + 1]), start):
            try:
                packet = av.Packet(self._messages.read(payload).data)
                packet.pts = packet.dts = index
                yield from ((f.pts, f.to_ndarray(format="rgb24")) for f in context.decode(packet) if f.pts is not None)
            except (av.FFmpegError, ValueError):
                continue  # its frame is yielded empty
        try:
            yield from ((f.pts, f.to_ndarray(format="rgb24")) for f in context.decode(None) if f.pts is not None)
        except av.FFmpegError:
            return
