"""ELAN's .eaf: tiers with annotations between time slots in milliseconds, read without any entity or doctype."""

from dataclasses import dataclass, field
from enum import StrEnum
from xml.parsers import expat

from fieldloop.annotate.interchange.spans import FileLabels, Span, Unit
from fieldloop.errors import BadInput
from fieldloop.model.annotation import KINDS
from fieldloop.model.note import note

NS_PER_MS = 1_000_000
TIMED = ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION")
AT = "@"
"""Separates kind and author in the names of tiers that we write."""


class Tiers(StrEnum):
    """What a tier (or a track) stands for."""

    AUTHOR = "author"
    KIND = "kind"


@dataclass(slots=True)
class _Tier:
    name: str
    annotator: str
    annotations: list[tuple[str, str, str, str, int, str]] = field(default_factory=list)
    """Id, first slot, second slot, referenced annotation, line, value."""


@dataclass(slots=True)
class _Document:
    slots: dict[str, int | None] = field(default_factory=dict)
    tiers: list[_Tier] = field(default_factory=list)
    current: dict[str, str] = field(default_factory=dict)
    line: int = 0
    text: list[str] = field(default_factory=list)
    is_value: bool = False
    root: str = ""


def parse_elan(text: str, name: str, tiers: Tiers = Tiers.KIND) -> FileLabels:
    """Read all tiers; annotations that refer to another one last as long as it does.

    Arguments:
        text: the file
        name: its name, for messages
        tiers: whether a tier is an author or a kind of label; our own names (kind@author) state both
    """
    document = _parse_document(text, name)
    if document.root != "ANNOTATION_DOCUMENT":
        raise BadInput(f"{name} is XML, but not a file of ELAN: it begins with <{document.root}>.")
    spans, wrong, empty = [], [], 0
    times: dict[str, tuple[int, int]] = {}
    waiting = [(tier, row) for tier in document.tiers for row in tier.annotations]
    while waiting:
        later = []
        for tier, row in waiting:
            key, first, second, refers, line, value = row
            if refers and refers not in times:
                later.append((tier, row))
                continue
            ends = times[refers] if refers else _find_times(document, first, second)
            if isinstance(ends, str):
                wrong.append(f"line {line}: {ends}")
                continue
            times[key] = ends
            if not value.strip():
                empty += 1
                continue
            kind, author = _read_tier_name(tier, tiers)
            spans.append(
                Span("", value.strip(), ends[0] * NS_PER_MS, ends[1] * NS_PER_MS, author, kind, f"line {line}")
            )
        if len(later) == len(waiting):
            wrong += [f"line {row[4]}: it refers to annotation {row[3]!r}, which has no times." for _, row in later]
            break
        waiting = later
    if not spans and not wrong:
        raise BadInput(f"{name} holds no labelled annotations.")
    remarks = (note("agree.empty_labels", file=name, labels=empty),) if empty else ()
    return FileLabels(name, "ELAN", Unit.NS, tuple(spans), remarks, wrong=tuple(wrong))


def _find_times(document: _Document, first: str, second: str) -> tuple[int, int] | str:
    ends = []
    for slot in (first, second):
        if slot not in document.slots:
            return f"the time slot {slot!r} does not exist."
        at = document.slots[slot]
        if at is None:
            return f"the time slot {slot!r} has no time."
        ends.append(at)
    return (ends[0], ends[1])


def _read_tier_name(tier: _Tier, tiers: Tiers) -> tuple[str, str]:
    kind, mark, author = tier.name.partition(AT)
    if mark and kind in KINDS:
        return kind, author
    if tier.name in KINDS or (tiers is Tiers.KIND):
        return tier.name, tier.annotator
    return KINDS[0], tier.annotator or tier.name


class _Listener:
    """Collects slots, tiers and annotations while the file is parsed; a declared document type is refused."""

    def __init__(self, name: str) -> None:
        self.document = _Document()
        self._name = name
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add_text

    def parse(self, text: str) -> None:
        """Parse the whole file."""
        self._parser.Parse(text.encode("utf-8"), True)

    def _refuse_doctype(self, *_: object) -> None:
        raise BadInput(
            f"{self._name}, line {self._parser.CurrentLineNumber}: the file declares a document type, which ELAN never "
            "writes. Entities are not read."
        )

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        document, line = self.document, self._parser.CurrentLineNumber
        document.root = document.root or tag
        if tag == "TIME_SLOT":
            _add_slot(document, attributes, f"{self._name}, line {line}")
        elif tag == "TIER":
            document.tiers.append(_Tier(attributes.get("TIER_ID", ""), attributes.get("ANNOTATOR", "")))
        elif tag in TIMED:
            document.current, document.line = attributes, line
        elif tag == "ANNOTATION_VALUE":
            document.text, document.is_value = [], True

    def _end(self, tag: str) -> None:
        document = self.document
        if tag == "ANNOTATION_VALUE":
            document.is_value = False
        elif tag in TIMED and document.tiers:
            held = [document.current.get(key, "") for key in ("TIME_SLOT_REF1", "TIME_SLOT_REF2", "ANNOTATION_REF")]
            key = document.current.get("ANNOTATION_ID", str(document.line))
            row = (key, held[0], held[1], held[2], document.line, "".join(document.text))
            document.tiers[-1].annotations.append(row)
            document.text = []

    def _add_text(self, part: str) -> None:
        if self.document.is_value:
            self.document.text.append(part)


def _parse_document(text: str, name: str) -> _Document:
    listener = _Listener(name)
    try:
        listener.parse(text)
    except expat.ExpatError as wrong:
        reason = expat.ErrorString(wrong.code)
        raise BadInput(f"{name}, line {wrong.lineno}: {reason}. The file is not valid XML.") from wrong
    return listener.document


def _add_slot(document: _Document, attributes: dict[str, str], place: str) -> None:
    stated = attributes.get("TIME_VALUE")
    if stated is not None and not stated.lstrip("-").isdecimal():
        raise BadInput(f"{place}: TIME_VALUE {stated!r} is not a number of milliseconds.")
    document.slots[attributes.get("TIME_SLOT_ID", "")] = None if stated is None else int(stated)
