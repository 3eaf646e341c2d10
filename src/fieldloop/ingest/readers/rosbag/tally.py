"""Count what was read from a rosbag2 recording and compare it with its metadata.yaml."""

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.arrived import Arrived
from fieldloop.ingest.readers.rosbag.bag_metadata import FILE_NAME, BagMetadata
from fieldloop.model.note import Note, note


class Tally:
    """Counts messages while they pass."""

    def __init__(self) -> None:
        self._topics: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._first_ns: int | None = None
        self._last_ns: int | None = None

    def count_messages(self, part: str, topic: str, arrived: Arrived) -> None:
        """Count some messages of a topic in a file."""
        if not (count := len(arrived.log_ns)):
            return
        self._topics[topic] = self._topics.get(topic, 0) + count
        self._parts[part] = self._parts.get(part, 0) + count
        first, last = int(arrived.log_ns.min()), int(arrived.log_ns.max())
        self._first_ns = first if self._first_ns is None else min(self._first_ns, first)
        self._last_ns = last if self._last_ns is None else max(self._last_ns, last)

    def compare_with_metadata(self, metadata: BagMetadata, complain: Complaints) -> None:
        """Report every statement that the files contradict."""
        total = sum(self._topics.values())
        if metadata.count is not None and metadata.count != total:
            complain(FILE_NAME, _make_mismatch_note(metadata.count, total))
        for topic in sorted(metadata.topics.keys() | (self._topics.keys() if metadata.topics else set())):
            if topic not in metadata.topics:
                complain(FILE_NAME, note("ingest.topic_not_listed", topic=topic, messages=self._topics[topic]))
            elif metadata.topics[topic] != self._topics.get(topic, 0):
                stated, counted = metadata.topics[topic], self._topics.get(topic, 0)
                complain(
                    FILE_NAME, note("ingest.count_mismatch", stated=stated, what="messages", found=counted, of=topic)
                )
        for part, expected in metadata.part_counts.items():
            if expected != self._parts.get(part, 0):
                counted = self._parts.get(part, 0)
                complain(
                    FILE_NAME, note("ingest.count_mismatch", stated=expected, what="messages", found=counted, of=part)
                )
        self._compare_times(metadata, complain)

    def _compare_times(self, metadata: BagMetadata, complain: Complaints) -> None:
        if self._first_ns is None or self._last_ns is None:
            return
        if metadata.start_ns is not None and metadata.start_ns != self._first_ns:
            complain(FILE_NAME, note("ingest.start_differs", stated_ns=metadata.start_ns, found_ns=self._first_ns))
        span = self._last_ns - self._first_ns
        if metadata.duration_ns is not None and metadata.duration_ns != span:
            complain(FILE_NAME, note("ingest.duration_differs", stated_ns=metadata.duration_ns, found_ns=span))


def _make_mismatch_note(stated_count: int, counted: int, subject: str = "") -> Note:
    return note("ingest.count_mismatch", stated=stated_count, what="messages", found=counted, of=subject)
