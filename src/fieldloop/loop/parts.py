"""Logs cut into parts that workers can look at side by side; a dataset of many episodes is many parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import LogMapping, open_log
from fieldloop.ingest.readers import all_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.looking import Part, Rules
from fieldloop.model.episode import Defect

FEWEST = 25
"""Opening a log again costs something: a part is at least so many episodes."""

MOST_PARTS = 64
"""Of one log. Enough for as many workers, few enough that tables of a large dataset are not read over and over."""


@dataclass(frozen=True, slots=True)
class Cut:
    """All parts of some logs, what lies beside them and is none, and how many episodes to expect."""

    parts: tuple[Part, ...]
    beside: tuple[Defect, ...]
    expected: int


def cut(paths: Sequence[Path], rules: Rules, mapping: LogMapping | None, *, pixels: bool = True) -> Cut:
    """Find every log below these paths and cut it; UnreadableLog where a path holds none."""
    parts: list[Part] = []
    beside: list[Defect] = []
    expected = 0
    for path in paths:
        if not path.exists():
            raise UnreadableLog(f"{path}: no such file or folder.")
        found, defects = find_logs(path, all_readers()[0])
        if not found:
            open_log(path)  # says what was looked for
        beside += defects
        for log in found:
            held = open_log(log.path).expected
            expected += held
            parts += _parts(Part(log.path, rules, mapping, pixels=pixels), held)
    return Cut(tuple(parts), tuple(beside), expected)


def _parts(whole: Part, held: int) -> Iterator[Part]:
    """Cut one log; the last part is open, should there be more than the log says.

    >>> rules = Rules.__new__(Rules)
    >>> [(p.start, p.stop) for p in _parts(Part(Path("log"), rules), 60)]
    [(0, 25), (25, 50), (50, None)]
    """
    size = max(FEWEST, -(-held // MOST_PARTS))
    for start in range(0, max(held, 1), size):
        last = start + size >= held
        yield replace(whole, start=start, stop=None if last else start + size)
