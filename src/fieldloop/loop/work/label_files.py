"""Read labels: the text of a file, bounded in size, UTF-8 or UTF-16 as Praat writes it; or a LeRobot dataset."""

from pathlib import Path

from fieldloop.annotate.interchange import FileLabels, Span, Unit
from fieldloop.errors import BadInput
from fieldloop.ingest.readers.lerobot.labels import Form, read_lerobot_labels
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.numbers import format_count
from fieldloop.text_files import read_text

BYTES_PER_MB = 1_000_000
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_label_text(file: Path, most_mb: float) -> str:
    """Read a file; one that is too large, is missing, or is not text is refused."""
    try:
        size_mb = file.stat().st_size / BYTES_PER_MB
        if not file.is_file():
            return read_text(file)
        if size_mb > most_mb:
            raise BadInput(
                f"{file} has {format_count(size_mb)} MB; labels of more than {format_count(most_mb)} MB are not read. "
                "Split the file by episode."
            )
        with file.open("rb") as opened:
            is_utf_16 = opened.read(2) in UTF_16
        return file.read_bytes().decode("utf-16") if is_utf_16 else read_text(file)
    except FileNotFoundError as wrong:
        raise BadInput(f"{file} does not exist.") from wrong
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{file} cannot be read: {wrong}.") from wrong


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
