"""Cut logs into parts that workers measure side by side; a dataset of many episodes becomes many parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import LogMapping, open_log
from fieldloop.ingest.readers import load_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.work.measure_part import Part
from fieldloop.model.episode import Defect
from fieldloop.model.stated import Amendments

FEWEST = 25
"""Fewest episodes of a part, as each part opens its log again."""

MOST_PARTS = 64
"""Most parts of one log: enough for as many workers, and the tables of a large dataset are not read too often."""


@dataclass(frozen=True, slots=True)
class Cut:
    """All parts of some logs, defects of files beside them that are not logs, and how many episodes to expect."""

    parts: tuple[Part, ...]
    beside: tuple[Defect, ...]
    expected: int


def cut_into_parts(
    paths: Sequence[Path], mapping: LogMapping | None, *, pixels: bool = True, amendments: Amendments | None = None
) -> Cut:
    """Find every log below these paths and cut it; UnreadableLog where a path holds no log."""
    parts: list[Part] = []
    beside: list[Defect] = []
    expected = 0
    for path in paths:
        if not path.exists():
            raise UnreadableLog(f"{path}: no such file or folder.")
        logs, defects = find_logs(path, load_readers()[0])
        if not logs:
            open_log(path)  # raises, and states what was looked for
        beside += defects
        for log in logs:
            whole = Part(log.path, mapping, pixels=pixels, reader=log.reader.name, amendments=amendments)
            episodes = whole.open().expected_recordings
            expected += episodes
            parts += _cut_log(whole, episodes)
    return Cut(tuple(parts), tuple(beside), expected)


def _cut_log(whole: Part, episodes: int) -> Iterator[Part]:
    """Cut one log; the last part is open, in case the log holds more than it states.

    >>> [(p.start, p.stop) for p in _cut_log(Part(Path("log")), 60)]
    [(0, 25), (25, 50), (50, None)]
    """
    size = max(FEWEST, -(-episodes // MOST_PARTS))
    for start in range(0, max(episodes, 1), size):
        last = start + size >= episodes
        yield replace(whole, start=start, stop=None if last else start + size)
