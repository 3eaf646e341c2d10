"""Name, kind and unit of a topic's streams: as the log states, else by message type and topic name."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.meaning import is_never_set
from fieldloop.ingest.messages.arrived import Described
from fieldloop.ingest.messages.channel_metadata import parse_channel_metadata
from fieldloop.ingest.messages.decoded import Group
from fieldloop.ingest.messages.ros_types import JOINT_STATE, TRANSFORMS, format_ros2_type_name
from fieldloop.ingest.messages.stream_types import STREAM_TYPES
from fieldloop.ingest.messages.type_knowledge import (
    JOINT_KINDS,
    UNTIMED_KINDS,
    infer_kind_from_words,
    is_bookkeeping_type,
    is_command_topic,
    type_defines_meaning,
)
from fieldloop.ingest.pictures.picture_bytes import GREY_16, is_depth_encoding
from fieldloop.ingest.words import infer_kind_from_name, split_into_words
from fieldloop.model.episode_text import escape_non_utf8
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import ClockKind, FrameSource, Stream, StreamKind
from fieldloop.model.stream_notes import ABOUT_PROGRAMS, ENCODING, NOT_UNDERSTOOD, UNIT_NOTE

Clocks = Mapping[ClockKind, NDArray[np.int64]]
Notes = Mapping[str, str]
PART_KINDS = {"velocity": StreamKind.JOINT_VELOCITY, "effort": StreamKind.JOINT_EFFORT}
PARTS = ("", *PART_KINDS)
POSE_KINDS = (StreamKind.POSE, StreamKind.HAND_POSE)
PLACE = re.compile(r"(^|[^a-z])([xyz]|[xyz]\d|pos|position|pose)([^a-z]|$)|^\d*$|\[\d+\]$", re.IGNORECASE)
"""A column that could be a place: named after an axis or a position, or only numbered."""
NEWS = ("header",)  # notes that reading a log of ours may add
UNDECODED = "its messages could not be decoded"
UNKNOWN_TYPE = "its message type does not define what the numbers mean"
NEVER_SET = "all its numbers are zero or missing, so its publisher may never set them"
NO_RATE_PROMISED = "sent on change, or sent again by its publisher: a topic of this kind promises no rate"
VALID_FROM = "a transform states when it holds; its sender may set that ahead of the moment of sending"
ROTARY_UNITS, SLIDING_UNITS = ("rad", "rad/s", "N·m"), ("m", "m/s", "N")  # REP 103


class TopicNaming:
    """Names the streams of one topic."""

    def __init__(self, described: Described) -> None:
        self.about = parse_channel_metadata(described.metadata)
        self._topic = described.topic.strip("/") or "unnamed"
        self._type = format_ros2_type_name(described.type)

    @property
    def name(self) -> str:
        """The topic's own stream."""
        return self.about.stream or self._topic

    def name_groups(self, groups: Iterable[Group]) -> dict[str, Group]:
        """Name each group; two sets of joints on one topic become two streams, the second after its first joint."""
        names: dict[str, Group] = {}
        listed = list(groups)
        if self.about.stream and len(listed) == 1:
            return {self.about.stream: listed[0]}
        for suffix, columns in listed:
            plain = f"{self.name}/{suffix}" if suffix else self.name
            first = f"{self.name}/{columns[0]}" if columns else self.name
            several = f"{first}/{suffix}" if suffix else first
            more = (f"{several}#{i}" for i in range(2, len(names) + 3))
            names[next(name for name in (plain, several, *more) if name not in names)] = (suffix, columns)
        return names

    def make_number_stream(self, name: str, group: Group, clocks: Clocks, values: NDArray[Any], notes: Notes) -> Stream:
        """Make the stream of one group."""
        suffix, columns = group[0], tuple(map(escape_non_utf8, group[1]))
        stated = self.about
        named_for_all = name == self.name
        kind = stated.kind or self._infer_kind()
        if stated.kind is None and self._type not in STREAM_TYPES and self._is_no_pose(kind, columns):
            kind = StreamKind.OTHER
        if stated.columns is not None and len(stated.columns) in (0, values.shape[1]):
            columns = stated.columns
        unit = stated.unit if stated.unit is not None and named_for_all else self._choose_unit(kind, suffix)
        if kind is StreamKind.JOINT_POSITION and not (stated.kind and named_for_all):
            kind = PART_KINDS.get(suffix, kind)
        if self._type == JOINT_STATE and stated.unit is None:
            notes = {
                **notes,
                UNIT_NOTE: f"{unit} is assumed: a joint message does not state which joints turn and which slide",
            }
        if stated.kind is None:
            notes = {**notes, **self._note_assumptions(kind, values)}
        return Stream(
            name, kind, unit, clocks, self._restore_dtype(values), nominal_hz=stated.nominal_hz,
            columns=columns, frame_id=stated.frame_id or "", serial=stated.serial or "",
            notes=self._add_metadata_note(notes),
        )  # fmt: skip

    def make_picture_stream(
        self, form: str, clocks: Clocks, source: FrameSource, frame_id: str, notes: Notes
    ) -> Stream:
        """Make the stream of a camera."""
        stated = self.about
        depth = is_depth_encoding(form) or (
            "depth" in split_into_words(self._topic) and _does_first_picture_hold_depth(source)
        )
        kind = stated.kind or (StreamKind.DEPTH if depth else StreamKind.RGB)
        unit = stated.unit if stated.unit is not None else "m" if depth else "8-bit"
        if form.startswith(GREY_16) and not depth:
            notes = {**notes, "pixels": "16-bit grey is reduced to 8 bits"}
        return Stream(
            self.name, kind, unit, clocks, pictures=source, nominal_hz=stated.nominal_hz,
            frame_id=stated.frame_id or escape_non_utf8(frame_id), serial=stated.serial or "",
            notes=self._add_metadata_note(notes),
        )  # fmt: skip

    def make_stamps_only_stream(self, clocks: Clocks, notes: Notes) -> Stream:
        """Make the stream of a topic of which only the stamps are known."""
        stated = self.about
        if stated.kind is None and ENCODING in notes and not is_bookkeeping_type(self._type):
            notes = {**notes, NOT_UNDERSTOOD: UNDECODED}
        return Stream(
            self.name, stated.kind or StreamKind.OTHER, stated.unit or "", clocks, nominal_hz=stated.nominal_hz,
            frame_id=stated.frame_id or "", serial=stated.serial or "",
            notes=self._add_metadata_note(notes),
        )  # fmt: skip

    def _infer_kind(self) -> StreamKind:
        by_name = infer_kind_from_name(self._topic)
        if self._type == JOINT_STATE:
            if is_command_topic(self._topic):
                return StreamKind.ACTION
            return by_name if by_name in (StreamKind.GRIPPER, StreamKind.ACTION) else StreamKind.JOINT_POSITION
        if self._type in STREAM_TYPES:
            by_type = STREAM_TYPES[self._type].kind
            return by_name if by_name in (StreamKind.ACTION, StreamKind.HAND_POSE) else by_type
        return infer_kind_from_words(self._type, split_into_words(self._topic), by_name)

    @staticmethod
    def _is_no_pose(kind: StreamKind, columns: tuple[str, ...]) -> bool:
        """Is it a pose by its topic's name alone, without a column that could be a place?"""
        return kind in POSE_KINDS and bool(columns) and not any(PLACE.search(name) for name in columns)

    def _note_assumptions(self, kind: StreamKind, values: NDArray[Any]) -> Notes:
        """Return a note for each fact that neither the log nor the message type states."""
        notes: dict[str, str] = {}
        by_type = (STREAM_TYPES[self._type].kind,) if self._type in STREAM_TYPES else ()
        if kind is not StreamKind.OTHER and kind not in (JOINT_KINDS if self._type == JOINT_STATE else by_type):
            by_words = f"{kind.value} by the words of the topic's name"
            notes[ASSUMPTION_NOTES[StreamFact.MEANING]] = by_words
            if kind is not StreamKind.ACTION:  # as in tables: what only a name states is named, and does not pass
                notes[NOT_UNDERSTOOD] = by_words
        elif kind is not StreamKind.OTHER and is_never_set(values):
            notes[ASSUMPTION_NOTES[StreamFact.MEANING]] = NEVER_SET
            if by_type:  # of a joint message another part may be set
                notes[NOT_UNDERSTOOD] = NEVER_SET
        if self._type in TRANSFORMS:
            notes[ASSUMPTION_NOTES[StreamFact.CLOCK]] = VALID_FROM
        if kind in UNTIMED_KINDS and self.about.nominal_hz is None:
            notes[ASSUMPTION_NOTES[StreamFact.RATE]] = NO_RATE_PROMISED
        if kind is StreamKind.OTHER and is_bookkeeping_type(self._type):
            notes[ABOUT_PROGRAMS] = self._type
        if kind is StreamKind.OTHER and not (is_bookkeeping_type(self._type) or type_defines_meaning(self._type)):
            notes[NOT_UNDERSTOOD] = UNKNOWN_TYPE
        return notes

    def _choose_unit(self, kind: StreamKind, suffix: str) -> str:
        if self._type == JOINT_STATE:
            units = SLIDING_UNITS if kind is StreamKind.GRIPPER else ROTARY_UNITS
            return units[PARTS.index(suffix)]
        return STREAM_TYPES[self._type].unit if self._type in STREAM_TYPES else ""

    def _restore_dtype(self, values: NDArray[Any]) -> NDArray[Any]:
        """Numbers travel as float64; the stream's own type is given back to them."""
        dtype = self.about.dtype
        if dtype is None or dtype == values.dtype:
            return values
        with np.errstate(invalid="ignore", over="ignore"):
            return values.astype(dtype)

    def _add_metadata_note(self, notes: Notes) -> Notes:
        """Add a note on invalid metadata. A log that has notes of its own keeps them."""
        if self.about.notes is not None:
            notes = {**self.about.notes, **{key: notes[key] for key in NEWS if key in notes}}
        if not self.about.wrong:
            return notes
        return {**notes, "metadata": f"invalid and ignored: {'; '.join(self.about.wrong)}"}


def _does_first_picture_hold_depth(source: FrameSource) -> bool:
    """Does its first picture hold distances? A PNG does not state it, and a name may be wrong."""
    return any(frame.dtype.kind == "f" for frame in source.frames([0])) if len(source) else False
