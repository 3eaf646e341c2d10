"""Recognise a file of labels by its content and read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fieldloop.annotate.interchange.elan import Tiers, parse_elan
from fieldloop.annotate.interchange.label_studio import is_label_studio, parse_json, parse_label_studio
from fieldloop.annotate.interchange.spans import FileLabels, find_impossible_spans, refuse_wrong_labels
from fieldloop.annotate.interchange.tables import parse_rows, parse_table
from fieldloop.annotate.interchange.text_grid import is_text_grid, parse_text_grid
from fieldloop.errors import BadInput


class FrameBase(StrEnum):
    """The number of the first frame."""

    ONE = "1"
    ZERO = "0"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a user states about files that do not state it themselves, and how early a label may begin.

    With `keep_wrong` the reader names what is wrong with the other labels of the file, instead of a refusal here.
    """

    columns: tuple[str, ...] = ()
    frames_from: FrameBase | None = None
    tiers: Tiers = Tiers.KIND
    early_s: float = 0.0
    keep_wrong: bool = False


def read_labels(text: str, name: str, reading: Reading) -> FileLabels:
    r"""Read a file of labels: ELAN, TextGrid, Label Studio, or else a table or list.

    >>> [span.label for span in read_labels("0,1.5,reach\n1.5,2,grasp\n", "a.csv", Reading()).spans]
    ['reach', 'grasp']
    >>> [span.label for span in read_labels("0 1.5 reach it\n1.5 2 grasp\n", "a.txt", Reading()).spans]
    ['reach it', 'grasp']
    """
    return _judge(_parse(text, name, reading), reading)


def read_label_rows(rows: Sequence[tuple[int, Mapping[str, object]]], name: str, reading: Reading) -> FileLabels:
    """Read the rows of a table that is not text, each with the number of its line."""
    return _judge(parse_rows(rows, name), reading)


def _judge(labels: FileLabels, reading: Reading) -> FileLabels:
    judged = find_impossible_spans(labels, reading.early_s)
    if not reading.keep_wrong:
        refuse_wrong_labels(judged, judged.wrong)
    return judged


def _parse(text: str, name: str, reading: Reading) -> FileLabels:
    begin = text.lstrip()
    if not begin:
        raise BadInput(f"{name} is empty.")
    if "\0" in text[:1000]:
        raise BadInput(f"{name} is not a text file.")
    if begin.startswith("<"):
        return parse_elan(text, name, reading.tiers)
    if is_text_grid(text):
        return parse_text_grid(text, name, reading.tiers)
    if begin[0] in "[{":
        if not is_label_studio(parse_json(text, name)):
            raise BadInput(f"{name} is JSON, but not an export of Label Studio with timeline labels.")
        first = None if reading.frames_from is None else int(reading.frames_from)
        return parse_label_studio(text, name, first)
    return parse_table(text, name, reading.columns)
