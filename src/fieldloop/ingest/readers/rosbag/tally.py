"""What was read from a rosbag2 recording, counted, and held against what its metadata.yaml says."""

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.arrived import Arrived
from fieldloop.ingest.readers.rosbag.bag_metadata import FILE_NAME, BagMetadata


class Tally:
    """Counts messages while they pass."""

    def __init__(self) -> None:
        self._topics: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._first_ns: int | None = None
        self._last_ns: int | None = None

    def count(self, part: str, topic: str, arrived: Arrived) -> None:
        """Count some messages of a topic in a file."""
        if not (count := len(arrived.log_ns)):
            return
        self._topics[topic] = self._topics.get(topic, 0) + count
        self._parts[part] = self._parts.get(part, 0) + count
        first, last = int(arrived.log_ns.min()), int(arrived.log_ns.max())
        self._first_ns = first if self._first_ns is None else min(self._first_ns, first)
        self._last_ns = last if self._last_ns is None else max(self._last_ns, last)

    def compare(self, said: BagMetadata, complain: Complaints) -> None:
        """Complain of every statement that the files do not bear out."""
        total = sum(self._topics.values())
        if said.count is not None and said.count != total:
            complain(FILE_NAME, f"It counts {said.count} messages; {total} were read.")
        for topic in sorted(said.topics.keys() | (self._topics.keys() if said.topics else set())):
            if topic not in said.topics:
                complain(FILE_NAME, f"It does not name the topic {topic}, of which {self._topics[topic]} were read.")
            elif said.topics[topic] != self._topics.get(topic, 0):
                count = f"{said.topics[topic]} messages of {topic}"
                complain(FILE_NAME, f"It counts {count}; {self._topics.get(topic, 0)} were read.")
        for part, expected in said.part_counts.items():
            if expected != self._parts.get(part, 0):
                complain(FILE_NAME, f"It counts {expected} messages in {part}; {self._parts.get(part, 0)} were read.")
        self._compare_times(said, complain)

    def _compare_times(self, said: BagMetadata, complain: Complaints) -> None:
        if self._first_ns is None or self._last_ns is None:
            return
        if said.start_ns is not None and said.start_ns != self._first_ns:
            complain(
                FILE_NAME, f"It begins the recording at {said.start_ns} ns; the first message is of {self._first_ns}."
            )
        span = self._last_ns - self._first_ns
        if said.duration_ns is not None and said.duration_ns != span:
            complain(FILE_NAME, f"It says that the recording lasts {said.duration_ns} ns; its messages span {span}.")
