"""Everything one topic said, gathered message by message, then made into streams."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.decoded import Columns, Decode, Decoded, Rows
from fieldloop.ingest.messages.json_messages import decode_json
from fieldloop.ingest.messages.ros2 import Ros2Decoder, decoder_for
from fieldloop.ingest.messages.ros_types import COMPRESSED_IMAGE, IMAGE, JOINT_STATE, LAYOUTS, stamp_of
from fieldloop.ingest.messages.topic_pictures import McapPictures
from fieldloop.ingest.pictures.picture_bytes import is_depth
from fieldloop.ingest.readers.mcap.records import Channel, Message, Place
from fieldloop.ingest.words import kind_of, words_of
from fieldloop.model.episode import Defect
from fieldloop.model.stream import ClockKind, Stream, StreamKind

BATCH_BYTES = 8 << 20
MOST_GROUPS = 16
TYPE_KINDS = {
    "geometry_msgs/msg/WrenchStamped": StreamKind.FORCE_TORQUE,
    "sensor_msgs/msg/Imu": StreamKind.IMU,
    "geometry_msgs/msg/PoseStamped": StreamKind.POSE,
}
POSITION_UNITS = {StreamKind.GRIPPER: ("m", "m/s", "N")}
ROTARY_UNITS = ("rad", "rad/s", "N·m")


class GatheredChannel:
    """One topic of one type. `take` each message, then ask for `streams`."""

    def __init__(self, path: Path, channel: Channel) -> None:
        self.topic, self.type = channel.topic, channel.schema.name if channel.schema else ""
        self.digest = hashlib.sha256()
        self.notes: dict[str, str] = {}
        self._path = path
        self._decode: Decode | None = None
        self._pictures: Ros2Decoder | None = None
        self._choose_decoder(channel)
        self._log_ns: list[int] = []
        self._publish_ns: list[int] = []
        self._places: list[Place] = []
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._decoded = Decoded([])
        self._form = ""

    def take(self, message: Message) -> None:
        """Gather one message."""
        self.digest.update(b"%d %d %d " % (message.log_ns, message.publish_ns, len(message.data)))
        self.digest.update(message.data)
        self._log_ns.append(message.log_ns)
        self._publish_ns.append(message.publish_ns)
        if self._pictures:
            self._note_picture(bytes(message.data), message.place)
        elif self._decode:
            self._pending.append(bytes(message.data))
            self._pending_bytes += len(message.data)
            if self._pending_bytes > BATCH_BYTES:
                self._flush()

    def streams(self) -> Iterator[Stream]:
        """Yield the streams that this topic's messages make up."""
        self._flush()
        name = self.topic.strip("/") or "unnamed"
        if self._pictures:
            kind = StreamKind.DEPTH if is_depth(self._form) or "depth" in words_of(name) else StreamKind.RGB
            source = McapPictures(self._path, self._places, self._pictures)
            readable = np.asarray([i for i, stamp in enumerate(self._decoded.stamps_ns) if stamp is not None], np.int64)
            unit = "m" if kind is StreamKind.DEPTH else "8-bit"
            yield self._stream(name, kind, unit, readable, pictures=source)
            return
        groups = self._decoded.groups
        if not groups or len(groups) > MOST_GROUPS:
            if groups:
                self.notes["values"] = f"left out: {len(groups)} different sets of columns"
            yield self._stream(name, self._kind(name), "", np.arange(len(self._log_ns)))
            return
        if self._decoded.left_out:
            self.notes["left out"] = ", ".join(sorted(self._decoded.left_out))
        for stream_name, (suffix, columns) in self._names(name).items():
            rows = groups[suffix, columns]
            values = np.asarray(rows.values, np.float64).reshape(len(rows.messages), -1)
            kind = self._part_kind(self._kind(name), suffix)
            unit = self._unit(self._kind(name), suffix)
            yield self._stream(stream_name, kind, unit, np.asarray(rows.messages), values=values, columns=columns)

    def defects(self) -> Iterator[Defect]:
        """Yield what could not be decoded, once for the whole topic."""
        self._flush()
        if failures := self._decoded.failures:
            first, reason = failures[0]
            count = f"{len(failures)} of {len(self._log_ns)} messages"
            yield Defect(
                self.topic, f"message {first}", f"{count} of {self.type} could not be decoded; first: {reason}."
            )

    def _choose_decoder(self, channel: Channel) -> None:
        schema = channel.schema
        if channel.encoding == "json":
            self._decode = decode_json
        elif channel.encoding == "cdr" and schema and schema.encoding in ("ros2msg", "ros2idl"):
            try:
                decoder = decoder_for(schema.name, schema.encoding, schema.data.decode("utf-8"))
            except ValueError as wrong:
                self.notes["encoding"] = f"stamps only: {wrong}"
                return
            if schema.name in (IMAGE, COMPRESSED_IMAGE):
                self._pictures = decoder
            else:
                self._decode = decoder
        else:
            self.notes["encoding"] = (
                f"stamps only: messages in {channel.encoding or 'no stated encoding'!r} are not decoded"
            )

    def _note_picture(self, payload: bytes, place: Place) -> None:
        assert self._pictures is not None
        index = len(self._log_ns) - 1
        try:
            message = self._pictures.message(payload)
        except ValueError as wrong:
            self._decoded.stamps_ns.append(None)
            self._decoded.failures.append((index, str(wrong)))
            return
        stamp, frame = stamp_of(message)
        self._places.append(place)
        self._decoded.stamps_ns.append(stamp)
        self._decoded.frame_id = self._decoded.frame_id or frame
        self._form = self._form or str(getattr(message, "format", getattr(message, "encoding", "")))

    def _flush(self) -> None:
        if not (self._pending and self._decode):
            return
        batch, whole, offset = self._decode(self._pending), self._decoded, len(self._decoded.stamps_ns)
        whole.stamps_ns += batch.stamps_ns
        whole.frame_id = whole.frame_id or batch.frame_id
        whole.left_out |= batch.left_out
        whole.failures += [(offset + index, reason) for index, reason in batch.failures]
        for key, rows in batch.groups.items():
            kept = whole.groups.setdefault(key, Rows())
            kept.messages += [offset + index for index in rows.messages]
            kept.values += rows.values
        self._pending, self._pending_bytes = [], 0

    def _names(self, name: str) -> dict[str, tuple[str, Columns]]:
        """Name each group; two sets of joints on one topic become two streams, the second after its first joint."""
        names: dict[str, tuple[str, Columns]] = {}
        for suffix, columns in self._decoded.groups:
            plain = f"{name}/{suffix}" if suffix else name
            several = f"{name}/{columns[0]}/{suffix}" if suffix else f"{name}/{columns[0]}" if columns else name
            free = next(n for n in (plain, several, *(f"{several}#{i}" for i in range(2, 99))) if n not in names)
            names[free] = (suffix, columns)
        return names

    def _kind(self, name: str) -> StreamKind:
        by_name = kind_of(name)
        if self.type == JOINT_STATE:
            return by_name if by_name in (StreamKind.GRIPPER, StreamKind.ACTION) else StreamKind.JOINT_POSITION
        if self.type in TYPE_KINDS:
            return by_name if by_name in (StreamKind.ACTION, StreamKind.HAND_POSE) else TYPE_KINDS[self.type]
        return (
            by_name if self._decoded.groups and by_name not in (StreamKind.RGB, StreamKind.DEPTH) else StreamKind.OTHER
        )

    def _part_kind(self, kind: StreamKind, suffix: str) -> StreamKind:
        if kind is not StreamKind.JOINT_POSITION or not suffix:
            return kind
        return StreamKind.JOINT_VELOCITY if suffix == "velocity" else StreamKind.JOINT_EFFORT

    def _unit(self, kind: StreamKind, suffix: str) -> str:
        if self.type == JOINT_STATE:  # REP 103: radians for what turns, metres for what slides
            units = POSITION_UNITS.get(kind, ROTARY_UNITS)
            return units[("", "velocity", "effort").index(suffix)]
        return LAYOUTS[self.type].unit if self.type in LAYOUTS else ""

    def _stream(
        self, name: str, kind: StreamKind, unit: str, messages: NDArray[np.int64], *,
        values: NDArray[np.float64] | None = None, pictures: McapPictures | None = None, columns: Columns = (),
    ) -> Stream:  # fmt: skip
        return Stream(
            name, kind, unit, self._clocks(messages), values, pictures, columns=columns,
            frame_id=self._decoded.frame_id, notes={"type": self.type, **self.notes},
        )  # fmt: skip

    def _clocks(self, messages: NDArray[np.int64]) -> dict[ClockKind, NDArray[np.int64]]:
        clocks = {ClockKind.LOG: np.asarray(self._log_ns, np.int64)[messages]}
        publish = np.asarray(self._publish_ns, np.int64)[messages]
        if publish.any():
            clocks[ClockKind.PUBLISH] = publish
        stamps = self._decoded.stamps_ns
        if len(stamps) == len(self._log_ns) and all(stamps[i] is not None for i in messages):
            header = np.asarray([stamps[i] for i in messages], np.int64)
            if header.any():
                clocks[ClockKind.HEADER] = header
            elif len(header):
                self.notes["header"] = "header stamps are all zero and were left out"
        return clocks
