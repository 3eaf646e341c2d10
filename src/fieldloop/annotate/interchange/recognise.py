"""Recognise a file of labels by its content and read it."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.annotate.interchange.elan import Tiers, parse_elan
from fieldloop.annotate.interchange.label_studio import is_label_studio, parse_json, parse_label_studio
from fieldloop.annotate.interchange.spans import FileLabels, refuse_impossible_spans
from fieldloop.annotate.interchange.tables import parse_table
from fieldloop.annotate.interchange.text_grid import is_text_grid, parse_text_grid
from fieldloop.errors import BadInput


class FrameBase(StrEnum):
    """The number of the first frame."""

    ONE = "1"
    ZERO = "0"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a user states about files that do not state it themselves."""

    columns: tuple[str, ...] = ()
    frames_from: FrameBase | None = None
    tiers: Tiers = Tiers.KIND


def read_labels(text: str, name: str, reading: Reading) -> FileLabels:
    r"""Read a file of labels: ELAN, TextGrid, Label Studio, or else a table or list.

    >>> [span.label for span in read_labels("0,1.5,reach\n1.5,2,grasp\n", "a.csv", Reading()).spans]
    ['reach', 'grasp']
    >>> [span.label for span in read_labels("0 1.5 reach it\n1.5 2 grasp\n", "a.txt", Reading()).spans]
    ['reach it', 'grasp']
    """
    begin = text.lstrip()
    if not begin:
        raise BadInput(f"{name} is empty.")
    if "\0" in text[:1000]:
        raise BadInput(f"{name} is not a text file.")
    if begin.startswith("<"):
        return refuse_impossible_spans(parse_elan(text, name, reading.tiers))
    if is_text_grid(text):
        return refuse_impossible_spans(parse_text_grid(text, name, reading.tiers))
    if begin[0] in "[{":
        if not is_label_studio(parse_json(text, name)):
            raise BadInput(f"{name} is JSON, but not an export of Label Studio with timeline labels.")
        first = None if reading.frames_from is None else int(reading.frames_from)
        return refuse_impossible_spans(parse_label_studio(text, name, first))
    return refuse_impossible_spans(parse_table(text, name, reading.columns))
