"""The MCAP log writer: it may drop a message, but never delays the robot."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from fieldloop_robot.messages import Message

EPISODE_METADATA = "fieldloop.episode"
CHUNK_BYTES = 768 * 1024


class Recorder:
    """Writes one episode to `<path>.part` and gives it its name when it is closed complete.

    Nothing here raises into the control loop. When the disk is full or gone, `failed` states why, every further
    message is counted in `dropped`, and what was written stays in `<path>.part`, from which a reader can still save
    the part that is whole. A message that cannot be written as CDR is dropped alone.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        metadata: Mapping[str, str],
        channels: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Begin a log; `metadata` are the facts of the episode, as text, that are known by now.

        `channels` adds facts of a topic that its messages lack: unit, serial number of the device …
        """
        self.path = Path(path)
        self.part = self.path.with_name(self.path.name + ".part")
        self.failed = ""
        self.written = 0
        self.dropped = 0
        self.last_drop = ""
        self._facts = {str(key): str(value) for key, value in metadata.items()}
        self._facts_written = False
        self._about = {topic: dict(facts) for topic, facts in (channels or {}).items()}
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self._sequence: dict[int, int] = {}
        self._closed = False
        self._file: BinaryIO | None = None
        try:
            self._begin_file()
        except Exception as problem:  # noqa: BLE001 - the robot continues whatever fails here
            self._note_failure(problem)

    def write(
        self, topic: str, message: Message, header_ns: int, publish_ns: int | None = None, log_ns: int | None = None
    ) -> bool:
        """Add one message with its three clocks; return whether it was kept.

        `header_ns` is when it was sensed, `publish_ns` when its driver sent it, `log_ns` when it arrived here.
        """
        if self.failed or self._closed:
            return self._drop_message(self.failed or "the log is closed")
        try:
            data = message.payload(header_ns)
        except Exception as problem:  # noqa: BLE001 - one malformed message must cost one message
            return self._drop_message(f"{topic}: {type(problem).__name__}: {problem}")
        publish_ns = header_ns if publish_ns is None else publish_ns
        log_ns = publish_ns if log_ns is None else log_ns
        try:
            channel = self._get_channel(topic, message)
            sequence = self._sequence[channel] = self._sequence.get(channel, -1) + 1
            self._writer.add_message(channel, int(log_ns), data, int(publish_ns), sequence)
        except Exception as problem:  # noqa: BLE001 - disk full, disk gone, a defect in the library: drop, do not stop
            self._note_failure(problem)
            return self._drop_message(self.failed)
        self.written += 1
        return True

    def describe(self, facts: Mapping[str, str]) -> None:
        """Add facts that only the end of an episode knows; closing writes all facts once more, the last word counts."""
        self._facts.update({str(key): str(value) for key, value in facts.items()})
        self._facts_written = False

    def close(self) -> bool:
        """Finish the log and give it its name; return whether it is complete. Closing twice is harmless."""
        if self._closed:
            return not self.failed
        self._closed = True
        try:
            if not self.failed:
                self._finish()
        except Exception as problem:  # noqa: BLE001 - the disk may fill on the very last byte
            self._note_failure(problem)
        finally:
            self._release()
        return not self.failed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None and not self.failed:
            self.failed = f"recording was interrupted by {kind.__name__}"
        self.close()

    def _begin_file(self) -> None:
        from mcap.writer import CompressionType, Writer

        self._file = self.part.open("wb")
        self._writer = Writer(
            self._file, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD, enable_data_crcs=True
        )
        self._writer.start(profile="ros2", library="fieldloop-robot")
        self._write_facts()

    def _finish(self) -> None:
        assert self._file is not None
        if not self._facts_written:
            self._write_facts()
        self._writer.finish()
        self._file.flush()
        os.fsync(self._file.fileno())
        self.part.replace(self.path)

    def _write_facts(self) -> None:
        self._writer.add_metadata(EPISODE_METADATA, self._facts)
        self._facts_written = True

    def _get_channel(self, topic: str, message: Message) -> int:
        if topic not in self._channels:
            kind = message.TYPE
            if kind not in self._schemas:
                self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", message.SCHEMA.encode())
            about = self._about.get(topic, {})
            self._channels[topic] = self._writer.register_channel(topic, "cdr", self._schemas[kind], about)
        return self._channels[topic]

    def _drop_message(self, reason: str) -> bool:
        self.dropped += 1
        self.last_drop = reason
        return False

    def _note_failure(self, problem: BaseException) -> None:
        self.failed = self.failed or f"{type(problem).__name__}: {problem}"

    def _release(self) -> None:
        if self._file is not None:
            try:
                self._file.close()
            except OSError as problem:
                self._note_failure(problem)
