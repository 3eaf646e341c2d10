"""A fact for people to read: a stable code, its numbers, and its subject.

Rooms yield notes and never sentences. `say` holds one plain sentence per code. Logic reads codes, numbers and subjects.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

AS_WRITTEN = "as_written"
"""The code of a sentence that an earlier version wrote into the ledger; new facts never use it."""

PAIR = " ↔ "
"""Joins the names of two streams in the displayed name of a subject."""

Value = Union[str, int, float, bool, None, "Note", tuple["Value", ...]]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a fact, in separate fields, so that no name is ever parsed out of a text.

    >>> str(Subject(stream="camera/left arm", other="joints")), str(Subject(stream="camera", rig="rig 2"))
    ('camera/left arm ↔ joints', 'camera (rig 2)')

    `rig` is the robot whose episodes are looked at together; `aspect` is what of it is meant ('peak'), or a group of
    episodes that has no field of its own (a task, an operator, 'lighting=dim').
    """

    stream: str = ""
    other: str = ""
    robot: str = ""
    rig: str = ""
    episode: str = ""
    aspect: str = ""

    def __bool__(self) -> bool:
        """Is it about anything in particular?"""
        return self != NO_SUBJECT

    def __str__(self) -> str:
        """Return the displayed name."""
        named = PAIR.join(part for part in (self.stream, self.other) if part) or self.robot or self.episode
        named = f"{named} {self.aspect}" if named and self.aspect else named or self.aspect
        return f"{named} ({self.rig})" if self.rig and named else named or self.rig

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams it is about: none, one or two."""
        return tuple(name for name in (self.stream, self.other) if name)

    @staticmethod
    def from_displayed(name: str) -> "Subject":
        """Read the displayed name that earlier versions stored; the only place that splits one.

        >>> Subject.from_displayed("action ↔ joints").streams, Subject.from_displayed("camera").streams
        (('action', 'joints'), ('camera',))
        """
        stream, _, other = name.partition(PAIR)
        return Subject(stream, other)

    def to_plain(self) -> dict[str, str]:
        """Return its plain form: the parts that are named."""
        return {name: part for name in FIELDS if (part := getattr(self, name))}


FIELDS = ("stream", "other", "robot", "rig", "episode", "aspect")
NO_SUBJECT = Subject()


@dataclass(frozen=True, slots=True)
class Note:
    """One fact; `details` are further facts that explain it. Names of numbers end in their unit: `lag_ms`, `wait_s`."""

    code: str
    numbers: tuple[tuple[str, Value], ...] = ()
    subject: Subject = NO_SUBJECT
    details: tuple["Note", ...] = ()

    def __getitem__(self, name: str) -> Value:
        """Return one of its numbers by name.

        >>> note("plan.too_few", operators=2)["operators"]
        2
        """
        return dict(self.numbers)[name]


def note(code: str, /, *details: Note, about: Subject = NO_SUBJECT, **numbers: Value) -> Note:
    """Make a note.

    >>> note("plan.too_few", operators=2, needed=4).numbers
    (('operators', 2), ('needed', 4))
    """
    return Note(code, tuple(numbers.items()), about, details)


def convert_note_to_plain(fact: Note, convert_value: Any) -> dict[str, Any]:
    """Return a note's plain form; `convert_value` writes its values."""
    written: dict[str, Any] = {
        "code": fact.code,
        "numbers": {name: convert_value(value) for name, value in fact.numbers},
    }
    if fact.subject:
        written["subject"] = convert_value(fact.subject)
    if fact.details:
        written["details"] = [convert_note_to_plain(detail, convert_value) for detail in fact.details]
    return written


def read_note(raw: Any) -> Note:
    """Read a note; a bare text is a sentence of an earlier version."""
    if isinstance(raw, str):
        return Note(AS_WRITTEN, (("text", raw),))
    numbers = tuple((name, _read_value(value)) for name, value in raw.get("numbers", {}).items())
    subject = Subject(**raw["subject"]) if "subject" in raw else NO_SUBJECT
    return Note(raw["code"], numbers, subject, tuple(read_note(detail) for detail in raw.get("details", ())))


def _read_value(raw: Any) -> Value:
    if isinstance(raw, Mapping):
        return read_note(raw)
    return tuple(_read_value(one) for one in raw) if isinstance(raw, list | tuple) else raw
