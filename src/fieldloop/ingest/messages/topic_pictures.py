"""The pictures of a topic: only their places are kept; pixels are fetched and decoded on demand."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.arrived import Payloads
from fieldloop.ingest.messages.decoded import replace_unstorable_stamp
from fieldloop.ingest.messages.picture_messages import PictureMessages
from fieldloop.ingest.messages.video_messages import VideoOnDemand, is_key_frame
from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture
from fieldloop.ingest.pictures.placed import PlacedPictures
from fieldloop.model.stream import FrameSource

COLUMNS = 3  # message, stamp, whether decoding can begin there


class TopicPictures:
    """Reads the head of every picture message and remembers where it lies."""

    def __init__(self, source: Payloads, messages: PictureMessages) -> None:
        self.frame_id = self.form = ""
        self._source, self._messages = source, messages
        self._failed, self._first_failure = 0, (0, "")
        self._rows: list[NDArray[np.int64]] = []
        self._places: list[NDArray[np.int64]] = []

    def add_messages(
        self, first_message: int, payloads: Sequence[bytes | memoryview], places: NDArray[np.int64]
    ) -> None:
        """Note the pictures in messages `first_message`, `first_message` + 1, …"""
        rows = []
        for index, payload in enumerate(payloads):
            try:
                head = self._messages.read_head(payload)
            except ValueError as wrong:
                self._first_failure = self._first_failure if self._failed else (first_message + index, str(wrong))
                self._failed += 1
                continue
            key = self._messages.is_video and is_key_frame(head.form, head.data)
            rows.append((index, replace_unstorable_stamp(head.stamp_ns), key))
            self.frame_id, self.form = self.frame_id or head.frame_id, self.form or head.form
        if rows:
            kept = np.asarray(rows, np.int64)
            self._places.append(places[kept[:, 0]])
            self._rows.append(kept + np.asarray([first_message, 0, 0]))

    def find_readable_messages(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which messages hold a picture, and their sensing stamps."""
        rows = self._concatenate_rows()
        return rows[:, 0], rows[:, 1].copy()

    def make_frame_source(self) -> FrameSource:
        """Return the pictures."""
        places = np.concatenate(self._places) if self._places else np.empty((0, 1), np.int64)
        if not self._messages.is_video:
            return PicturesOnDemand(self._source, places, self._messages)
        keys = np.union1d([0], np.flatnonzero(self._concatenate_rows()[:, 2]))
        return VideoOnDemand(self._source, places, keys, self._messages, self.form)

    def describe_failure(self) -> tuple[int, int, str] | None:
        """How many messages could not be decoded, which was the first, and why? None where all could."""
        return (self._failed, *self._first_failure) if self._failed else None

    def _concatenate_rows(self) -> NDArray[np.int64]:
        return np.concatenate(self._rows) if self._rows else np.empty((0, COLUMNS), np.int64)


class PicturesOnDemand(PlacedPictures):
    """An EncodedSource over the messages of one image topic."""

    def __init__(self, source: Payloads, places: NDArray[np.int64], messages: PictureMessages) -> None:
        super().__init__(places)
        self._source, self._messages = source, messages

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        for payload in self._fetch_payloads(indices):
            try:
                yield self._messages.decode_picture(payload)
            except ValueError:
                yield NOTHING

    def encoded(self, indices: Iterable[int] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield form and bytes as they are stored, in ascending order; ('', b'') for plain pixels."""
        for payload in self._fetch_payloads(indices):
            try:
                fields = self._messages.read(payload)
            except ValueError:
                yield "", b""
                continue
            yield ("", b"") if self._messages.is_raw else (fields.form, fields.data)

    def _fetch_payloads(self, indices: Iterable[int] | None) -> Iterator[bytes]:
        wanted = np.arange(len(self)) if indices is None else np.asarray(sorted(indices), np.int64)
        return self._source.fetch(self._places[wanted])
