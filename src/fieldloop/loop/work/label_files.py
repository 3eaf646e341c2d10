"""Read the text of a file of labels: bounded in size, UTF-8 or UTF-16 as Praat writes it."""

from pathlib import Path

from fieldloop.errors import BadInput
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
