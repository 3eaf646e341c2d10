"""Cache of answers, one line of JSON a world, stamped with a hash of the code that made them."""

import json
from collections.abc import Iterator
from pathlib import Path

from bench.planted.answers import Row
from bench.planted.planted import SOURCES, stamp

ANSWERERS = ("bench/planted/*.py", "src/fieldloop/diagnose/**/*.py", "src/fieldloop/protocol/operations.toml")
"""Code that an answer depends on beside the world: after a change all methods run again."""


def append(file: Path, row: Row, sources: tuple[str, ...] = SOURCES) -> None:
    """Append one world; `sources` are the files on which worlds of its family depend."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps({"stamp": stamp(sources + ANSWERERS), **row.plain()}) + "\n")


def read(file: Path, sources: tuple[str, ...] = SOURCES) -> Iterator[Row]:
    """Read answers of this code; truncated lines and answers of other code are ignored."""
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if row.pop("stamp", "") == stamp(sources + ANSWERERS):
            yield Row.of(row)
