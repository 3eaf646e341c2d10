"""The head of a picture message of ROS, read without touching the picture."""

import struct
from typing import NamedTuple

from fieldloop.ingest.messages.layout import PADDING, Layout
from fieldloop.ingest.messages.ros import RosDecoder
from fieldloop.ingest.messages.ros_types import SENSED
from fieldloop.model.stream import NS_PER_S

WIDTHS = {"u4": "I", "i4": "i"}


class PictureHead(NamedTuple):
    """When, in which frame and in which form a picture was taken."""

    stamp_ns: int | None
    frame_id: str
    form: str


class _Known(NamedTuple):
    """A message whose bytes, but for its stamp and the picture at its end, were understood."""

    before: bytes
    behind: bytes
    stamp_at: int
    stamp: struct.Struct
    count_at: int
    number: struct.Struct
    frame_id: str
    form: str


class PicturePeek:
    """Reads heads. Messages of one camera differ in stamp and picture alone, so most need only be compared."""

    def __init__(self, decoder: RosDecoder) -> None:
        self._decoder = decoder
        self._known: _Known | None = None

    def __reduce__(self) -> tuple[type["PicturePeek"], tuple[RosDecoder]]:
        """Travel to another process without what is only kept for speed."""
        return PicturePeek, (self._decoder,)

    def __call__(self, payload: bytes | memoryview) -> PictureHead:
        """Read one head; ValueError where the bytes do not fit the type."""
        known = self._known
        if known is None or not _matches_known_message(payload, known):
            layout = self._decoder.find_layout(payload)
            known = self._known = _remember_message(payload, layout)
            if known is None:
                return PictureHead(None, *_find_frame_and_form(layout))
        seconds, rest = known.stamp.unpack_from(payload, known.stamp_at)
        return PictureHead(seconds * NS_PER_S + rest, known.frame_id, known.form)


def _remember_message(payload: bytes | memoryview, layout: Layout) -> _Known | None:
    """Remember a message; None where it has no stamp before its last list, which is the picture."""
    at = next((layout.stamps[path] for path in SENSED if path in layout.stamps), None)
    if at is None or not layout.fixed or at + 8 > layout.fixed[-1][0]:
        return None
    order, count_at = layout.seconds[0], layout.fixed[-1][0]
    stamp = struct.Struct(f"{order}{WIDTHS[layout.seconds[1:]]}I")
    before, behind = bytes(payload[:at]), bytes(payload[at + 8 : count_at])
    return _Known(before, behind, at, stamp, count_at, struct.Struct(f"{order}I"), *_find_frame_and_form(layout))


def _matches_known_message(payload: bytes | memoryview, known: _Known) -> bool:
    """Does the message differ from the known one in its stamp and its picture alone, and is the picture whole?"""
    begin = known.count_at + known.number.size
    if len(payload) < begin or payload[: known.stamp_at] != known.before:
        return False
    if payload[known.stamp_at + 8 : known.count_at] != known.behind:
        return False
    (count,) = known.number.unpack_from(payload, known.count_at)
    return bool(begin + count <= len(payload) <= begin + count + PADDING)


def _find_frame_and_form(layout: Layout) -> tuple[str, str]:
    texts = {path.rpartition(".")[2]: words[0] for path, words in layout.words.items() if words}
    return texts.get("frame_id", ""), texts.get("format", texts.get("encoding", ""))
