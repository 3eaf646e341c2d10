"""A table that arrives as text, from a page or another program, for use cases that read files."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fieldloop.errors import BadInput


@contextmanager
def open_pasted_table(text: str, name: str) -> Iterator[Path]:
    """Write a text into a temporary file: JSON lines where it begins with a brace, else CSV."""
    if not text.strip():
        raise BadInput("The table is empty. Paste it with its header, or choose a file.")
    ending = ".jsonl" if text.lstrip().startswith("{") else ".csv"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}{ending}"
        file.write_text(text, encoding="utf-8")
        yield file
