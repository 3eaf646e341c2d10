"""Read labels of other tools and of ours: a text file bounded in size, a table, or a LeRobot dataset."""

from collections.abc import Iterable
from pathlib import Path

from fieldloop.annotate.interchange import FileLabels, Reading, Span, Unit, read_label_rows, read_labels
from fieldloop.errors import BadInput
from fieldloop.ingest.readers.lerobot.labels import Form, is_lerobot_folder, read_lerobot_labels
from fieldloop.ingest.tables.table_rows import read_rows
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.numbers import format_count
from fieldloop.text_files import read_text

BYTES_PER_MB = 1_000_000
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
BY_ROWS = (".parquet", ".jsonl")
"""Endings of tables that are read row by row: a binary file, or one JSON object a line."""


def read_label_file(file: Path, reading: Reading, most_mb: float) -> FileLabels:
    """Read labels in any format; the content says which it is, except for Parquet and JSON lines."""
    if is_lerobot_folder(file):
        return read_dataset_labels(file)
    if file.suffix.lower() in BY_ROWS:
        _refuse_large(file, most_mb)
        return read_label_rows(read_rows(file), file.name, reading)
    return read_labels(_read_text(file, most_mb), file.name, reading)


def choose_rate(parts: Iterable[FileLabels], fps: float | None) -> float | None:
    """Return the frame rate that a person states, or the one that all files which state one agree on."""
    if fps is not None and not 0 < fps < NS_PER_S:
        raise BadInput(f"--fps {fps} is not a valid frame rate.")
    stated = {part.fps for part in parts if part.fps is not None}
    return fps if fps is not None or len(stated) != 1 else stated.pop()


def _read_text(file: Path, most_mb: float) -> str:
    """Read a file; one that is too large, is missing, or is not text is refused."""
    try:
        _refuse_large(file, most_mb)
        if not file.is_file():
            return read_text(file)
        with file.open("rb") as opened:
            is_utf_16 = opened.read(2) in UTF_16
        return file.read_bytes().decode("utf-16") if is_utf_16 else read_text(file)
    except FileNotFoundError as wrong:
        raise BadInput(f"{file} does not exist.") from wrong
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{file} cannot be read: {wrong}.") from wrong


def _refuse_large(file: Path, most_mb: float) -> None:
    """Refuse a file that is too large to be labels, before it is read."""
    size_mb = file.stat().st_size / BYTES_PER_MB if file.is_file() else 0.0
    if size_mb > most_mb:
        raise BadInput(
            f"{file} has {format_count(size_mb)} MB; labels of more than {format_count(most_mb)} MB are not read. "
            "Split the file by episode."
        )


def read_dataset_labels(folder: Path) -> FileLabels:
    """Read the labels of a LeRobot dataset; of a kind that it holds in several forms, the one that states most.

    SARM's columns state when a label ends, the language columns only when the next begins.
    """
    found = read_lerobot_labels(folder)
    if not found:
        raise BadInput(
            f"{folder} is a LeRobot dataset without labels: no language columns, no SARM columns, no subtasks."
        )
    rank = [Form.SARM, Form.LANGUAGE, Form.LEGACY]
    best = {
        kind: min((one.form for one in found if one.kind == kind), key=rank.index) for kind in {f.kind for f in found}
    }
    spans = tuple(
        Span(
            one.uid or one.name, one.label, round(one.start_s * NS_PER_S), round(one.end_s * NS_PER_S), kind=one.kind,
            place=f"episode {one.episode_index}",
        )
        for one in found
        if one.form is best[one.kind]
    )  # fmt: skip
    return FileLabels(folder.name, "LeRobot", Unit.NS, spans)
