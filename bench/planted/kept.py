"""Answers about worlds, a line of JSON each, with a stamp of the code that planted and answered."""

import json
from collections.abc import Iterator
from pathlib import Path

from bench.planted.answers import Row
from bench.planted.planted import SOURCES, stamp

ANSWERERS = ("bench/planted/*.py", "src/fieldloop/diagnose/**/*.py", "src/fieldloop/protocol/operations.toml")
"""What an answer depends on beside the world: after a change of these everybody is asked again."""


def append(file: Path, row: Row, sources: tuple[str, ...] = SOURCES) -> None:
    """Write one more world down; `sources` are what the worlds of its family depend on."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps({"stamp": stamp(sources + ANSWERERS), **row.plain()}) + "\n")


def read(file: Path, sources: tuple[str, ...] = SOURCES) -> Iterator[Row]:
    """Read what this code has answered; a line that was cut short, or of other code, does not count."""
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            told = json.loads(line)
        except json.JSONDecodeError:
            continue
        if told.pop("stamp", "") == stamp(sources + ANSWERERS):
            yield Row.of(told)
