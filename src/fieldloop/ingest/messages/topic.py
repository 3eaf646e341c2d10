"""Gather the messages of one topic batch by batch, then make streams of them."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.arrived import Arrived, Described, Payloads
from fieldloop.ingest.messages.calibration import format_intrinsics_as_json
from fieldloop.ingest.messages.decoded import Gathered
from fieldloop.ingest.messages.decoders import choose_reading
from fieldloop.ingest.messages.digest import MessageDigest
from fieldloop.ingest.messages.ros_types import CAMERA_INFO, JOINT_STATE, TRANSFORMS, format_ros2_type_name
from fieldloop.ingest.messages.spans import Spans
from fieldloop.ingest.messages.stream_types import STREAM_TYPES
from fieldloop.ingest.messages.topic_clocks import TopicClocks
from fieldloop.ingest.messages.topic_naming import TopicNaming
from fieldloop.ingest.messages.topic_numbers import TopicNumbers
from fieldloop.ingest.messages.topic_pictures import TopicPictures
from fieldloop.ingest.messages.type_knowledge import is_bookkeeping_type
from fieldloop.model.episode import Defect
from fieldloop.model.episode_text import escape_non_utf8
from fieldloop.model.note import note
from fieldloop.model.stream import Stream
from fieldloop.model.stream_notes import ENCODING, LEFT_OUT, NOT_UNDERSTOOD, TYPE, VALUES

CALIBRATIONS = {CAMERA_INFO, "foxglove.CameraCalibration", "foxglove_msgs/msg/CameraCalibration"}
CHATTER = {"rosgraph_msgs/msg/Log", "rcl_interfaces/msg/Log"}  # log lines of programs are not facts
ROUNDED = "integers beyond 2^53 were rounded to 64-bit floats"
TOO_MANY = "more than {} different sets of columns on one topic"
DESCRIPTIVE = re.compile(r"^layout\b|names?$|labels?$|covariance")
"""Left-out parts that describe numbers rather than being measured."""
MOST_NAMED = 32
MOST_TEXTS = 256


class Topic:
    """One topic of one type. `take` each batch in the order of the log, then ask for `streams` and `defects`."""

    def __init__(self, described: Described, source: Payloads) -> None:
        self.describe = described
        reading = choose_reading(described)
        self._notes = {TYPE: described.type} | ({ENCODING: reading.note} if reading.note else {})
        self._numbers = TopicNumbers(described.type, reading.decode) if reading.decode else None
        self._pictures = TopicPictures(source, reading.pictures) if reading.pictures else None
        self._message = reading.message if format_ros2_type_name(described.type) in CALIBRATIONS else None
        self._first = b""
        self._clocks = TopicClocks()
        self._digest = MessageDigest()

    @property
    def digest(self) -> bytes:
        """What names the messages taken so far, however they were batched."""
        return self._digest.compute_digest()

    def add_messages(self, arrived: Arrived) -> None:
        """Gather some messages."""
        first = self._clocks.count
        publish = self._clocks.add_stamps(arrived.log_ns, arrived.publish_ns)
        if self._pictures:
            lengths = np.asarray([len(payload) for payload in arrived.payloads], np.int64)
            for payload in arrived.payloads:
                self._digest.add_content(payload)
            self._pictures.add_messages(first, arrived.payloads, arrived.places)
        else:
            spans = Spans.from_payloads(arrived.payloads)
            lengths, content = spans.lengths, spans.join_payloads()
            self._digest.add_content(content)
            if self._numbers:
                self._numbers.add_payloads(content, lengths)
            if self._message and not self._first and len(spans):
                self._first = bytes(spans[0])
        self._digest.add_heads(arrived.log_ns, publish, lengths)

    def make_streams(self) -> Iterator[Stream]:
        """Yield the streams that this topic's messages make up."""
        naming = TopicNaming(self.describe)
        if self._pictures:
            yield self._make_picture_stream(naming)
        elif self._numbers:
            yield from self._make_number_streams(naming, self._numbers)
        else:
            yield self._make_stamps_only_stream(naming, None, self._notes)

    def list_defects(self) -> Iterator[Defect]:
        """Yield what could not be decoded, once for the whole topic."""
        part = self._pictures or self._numbers
        if self._numbers and (gathered := self._numbers.decode_remaining()).too_many:
            yield Defect(
                self.describe.topic, "", note("ingest.too_many_column_sets", sets=len(gathered.collect_groups()))
            )
        if part is None or not (failure := part.describe_failure()):
            return
        count, first, reason = failure
        message = note(
            "ingest.messages_undecodable", failed=count, messages=self._clocks.count, type=self.describe.type,
            reason=reason.rstrip("."),
        )  # fmt: skip
        yield Defect.from_place(self.describe.topic, "message", first, message)

    def read_calibration(self) -> str | None:
        """Return the camera calibration in the first message, None where this is not a calibration topic."""
        if not (self._message and self._first):
            return None
        try:
            return format_intrinsics_as_json(self._message(self._first))
        except ValueError:
            return None  # already reported as a defect

    def read_static_transforms(self) -> dict[str, str]:
        """Return static transforms as facts; none unless this is the topic of static transforms."""
        if not (self._is_static_transform_topic and self._numbers):
            return {}
        return {
            f"transform.{rows.frame_id}.{child}": json.dumps(rows.values[-1].tolist())
            for (child, _), rows in self._numbers.decode_remaining().collect_groups().items()
        }

    def collect_constant_texts(self) -> dict[str, str]:
        """Return the texts that never change by their fields; the only one of messages without a number by ''."""
        if not self._numbers or format_ros2_type_name(self.describe.type) in CALIBRATIONS | CHATTER:
            return {}
        texts = self._numbers.decode_remaining().texts
        held = {path: text for path, text in list(texts.items())[:MOST_TEXTS] if text}
        only = self.holds_only_texts and len(texts) == len(held) == 1
        return {"": "".join(held.values())} if only else held

    @property
    def holds_only_texts(self) -> bool:
        """Do its messages hold texts and no number?"""
        gathered = self._numbers.decode_remaining() if self._numbers else None
        return gathered is not None and bool(gathered.texts) and not gathered.holds_numbers

    @property
    def _is_static_transform_topic(self) -> bool:
        name = self.describe.topic.rpartition("/")[2]
        return format_ros2_type_name(self.describe.type) in TRANSFORMS and name.endswith("tf_static")

    def _make_picture_stream(self, naming: TopicNaming) -> Stream:
        assert self._pictures is not None
        source = self._pictures.make_frame_source()
        messages, stamps = self._pictures.find_readable_messages()
        clocks, notes = self._clocks.collect_clocks(messages, stamps, naming.about.clocks)
        return naming.make_picture_stream(
            self._pictures.form, clocks, source, self._pictures.frame_id, self._notes | notes
        )

    def _make_number_streams(self, naming: TopicNaming, numbers: TopicNumbers) -> Iterator[Stream]:
        gathered = numbers.decode_remaining()
        groups = gathered.collect_groups()
        notes, stamps = dict(self._notes), gathered.collect_stamps_ns(self._clocks.count)
        if left_out := self._describe_left_out(gathered):
            notes[LEFT_OUT] = left_out
        if naming.about.kind is None and (content := self._name_unread_arrays(gathered)):
            notes[NOT_UNDERSTOOD] = f"left out: {', '.join(content[:MOST_NAMED])}"
        if gathered.too_many:
            notes[VALUES], groups = f"left out: {TOO_MANY.format(len(groups))}", {}
        elif self._is_static_transform_topic:
            notes[VALUES], groups = "left out: static transforms are facts of the episode", {}
        elif not groups and gathered.failed < self._clocks.count:
            also = "; texts that never change are facts of the episode" if self.collect_constant_texts() else ""
            notes[VALUES] = f"its messages hold no numbers{also}"
        if not groups:
            stream = self._make_stamps_only_stream(naming, stamps, notes)
            yield replace(stream, frame_id=stream.frame_id or escape_non_utf8(gathered.frame_id))
        names = naming.name_groups(groups)
        for name, group in names.items():
            rows = groups[group]
            row_stamps_ns = stamps[rows.messages] if rows.stamps_ns is None else rows.stamps_ns
            clocks, more = self._clocks.collect_clocks(rows.messages, row_stamps_ns, naming.about.clocks)
            if rows.rounded:
                more = {**more, "rounded": ROUNDED}
            if len(siblings := [other for other, (suffix, _) in names.items() if suffix == group[0]]) > 1:
                more = {**more, "split": f"its messages vary in their fields, one stream each: {', '.join(siblings)}"}
            stream = naming.make_number_stream(name, group, clocks, rows.values, notes | more)
            yield replace(stream, frame_id=stream.frame_id or escape_non_utf8(rows.frame_id or gathered.frame_id))

    def _describe_left_out(self, gathered: Gathered) -> str:
        """Name the parts of messages that are in no stream and no fact; joints' names are in their columns."""
        facts = set(gathered.texts) if "" in (held := self.collect_constant_texts()) else set(held)
        known = facts | ({"name"} if format_ros2_type_name(self.describe.type) == JOINT_STATE else set())
        parts = sorted(gathered.left_out - known)
        more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
        return ", ".join(parts[:MOST_NAMED]) + more

    def _name_unread_arrays(self, gathered: Gathered) -> list[str]:
        """Name the arrays of measurements that no stream holds: ranges of a scan, points of a cloud or trajectory."""
        type_ = format_ros2_type_name(self.describe.type)
        if is_bookkeeping_type(type_) or type_ in CALIBRATIONS | STREAM_TYPES.keys() | {JOINT_STATE}:
            return []
        return sorted(path for path in gathered.left_out - set(gathered.texts) if not DESCRIPTIVE.search(path))

    def _make_stamps_only_stream(
        self, naming: TopicNaming, stamps: NDArray[np.int64] | None, notes: dict[str, str]
    ) -> Stream:
        every: NDArray[np.int64] = np.arange(self._clocks.count)
        clocks, more = self._clocks.collect_clocks(every, stamps, naming.about.clocks)
        return naming.make_stamps_only_stream(clocks, notes | more)
