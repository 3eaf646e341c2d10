"""The topics of an MCAP file. Channels of the same topic, type and encoding (two publishers) are one topic."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.arrived import Described
from fieldloop.ingest.readers.mcap.records import Channel, Schema
from fieldloop.model.note import Note, note

CHANNELS = 1 << 16
UNKNOWN = -1


class Catalogue:
    """Fills up as schemas and channels are met; `described` lists topics in the order they were first described."""

    def __init__(self) -> None:
        self.describe: list[Described] = []
        self._schemas: dict[int, Schema] = {}
        self._numbers: dict[tuple[str, str, str, bytes], int] = {}
        self._topic_of: NDArray[np.int64] = np.full(CHANNELS, UNKNOWN, np.int64)

    def add_description(self, record: Schema | Channel, *, keep_known: bool = False) -> Note | None:
        """Add a description; return a defect where it uses a schema that is not described.

        With `keep_known`, what is known already stays as it is.
        """
        if isinstance(record, Schema):
            self._schemas.setdefault(record.id, record) if keep_known else self._schemas.update({record.id: record})
            return None
        if keep_known and self._topic_of[record.id] != UNKNOWN:
            return None
        schema = self._schemas.get(record.schema_id) or Schema(0, "", "", b"")
        key = (record.topic, schema.name, record.message_encoding, schema.data)
        if key not in self._numbers:
            self._numbers[key] = len(self.describe)
            self.describe.append(
                Described(
                    record.topic, schema.name, record.message_encoding, schema.encoding, schema.data, record.metadata
                )
            )
        self._topic_of[record.id] = self._numbers[key]
        if record.schema_id and not schema.id:
            return note("ingest.schema_unknown", channel=record.id, schema=record.schema_id)
        return None

    def look_up_topics(self, channels: NDArray[np.uint16]) -> NDArray[np.int64]:
        """Return the topic of each channel, UNKNOWN where it was not described."""
        return self._topic_of[channels]
