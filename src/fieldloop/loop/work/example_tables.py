"""Example tables that users fill in: a header, and example rows that no reader takes for data."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest.tables.table_rows import EXAMPLE
from fieldloop.loop.work.atomic_files import write_atomically


def write_example_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a CSV whose rows are examples: each begins with a mark that readers skip.

    >>> print(write_example_table(["episode", "result"], [["ep1", "success"]]), end="")
    episode,result
    # ep1,success
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([columns, *([EXAMPLE + first, *rest] for first, *rest in rows)])
    return text.getvalue()


def write_template(out: Path, text: str) -> None:
    """Write an example table to a new file."""
    if out.exists():
        raise BadInput(f"{out} already exists and may have been edited. Choose another name.")
    write_atomically(out, text, "table")
