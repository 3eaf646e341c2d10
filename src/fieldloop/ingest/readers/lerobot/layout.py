"""What the two layouts of LeRobot datasets have in common: entries to read, and comparisons of their tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from os.path import normpath
from pathlib import Path
from typing import Any, Protocol

from fieldloop.ingest.readers.lerobot.info import Info
from fieldloop.ingest.readers.lerobot.rows import Rows
from fieldloop.ingest.readers.lerobot.stats import Stats
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note

ReadRows = Callable[[list[Defect]], Rows | None]
"""Reads an episode's rows, None where it cannot; complaints go into the list."""

WITHOUT_DATA = "ingest.episodes_without_data"
IN_OTHER_FORMAT = "ingest.episodes_in_other_format"
NO_DATA_READ = (WITHOUT_DATA, IN_OTHER_FORMAT)


@dataclass(frozen=True, slots=True)
class VideoPlace:
    """Where an episode's frames of one camera are stated to be; seconds None: the whole file.

    `length` is how many frames the episode has. It is None where unknown, or where another episode begins at `to_s`.
    """

    path: Path
    from_s: float | None = None
    to_s: float | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One episode to read: where its parts are, and what the listing says of it."""

    index: int
    rows: ReadRows
    videos: Mapping[str, VideoPlace]
    length: int | None = None
    tasks: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    data_path: str = ""
    stats: Stats = field(default_factory=dict)
    frames: tuple[int, int] | None = None
    """The span of the dataset's running frame number that the listing gives it."""


class DatasetLayout(Protocol):
    """One version's way to lay a dataset out on disk."""

    def list_entries(self, start: int = 0, stop: int | None = None) -> Iterator[Entry]:
        """Yield the episodes to attempt, by index: all of them, or some by their place."""

    def __len__(self) -> int:
        """How many episodes can be attempted?"""

    def count_listed_episodes(self) -> int:
        """How many episodes does the dataset say it has?"""

    def find_dataset_defects(self) -> list[Defect]:
        """What is wrong with the dataset as a whole, by its tables and file names alone?"""


def join_path_inside(root: Path, relative: str) -> Path:
    """Join a path that a file states; one that leads out of the dataset stays inside as a name that is not there.

    Links are followed wherever they lead: a download keeps its files elsewhere and links to them, as git-annex does.
    """
    plain = normpath(relative)
    leads_out = plain.startswith("/") or plain.split("/")[0] == ".." or "\x00" in plain
    return root / ("outside-the-dataset" if leads_out else plain)


def format_indices(numbers: list[int]) -> str:
    """Write indices briefly, runs as spans.

    >>> format_indices([0, 1, 2, 3, 7, 9, 10])
    '0 to 3, 7, 9 to 10'
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return _format_spans(runs)


def _format_spans(runs: list[tuple[int, int]], max_spans: int = 5) -> str:
    spans = [f"{a} to {b}" if b > a else f"{a}" for a, b in runs]
    return ", ".join(spans[:max_spans]) + (" …" if len(spans) > max_spans else "")


def find_skipped_index_defects(listing: str, indices: Iterable[int]) -> list[Defect]:
    """Report skipped numbers: LeRobot finds an episode by its place in the list, not by its number."""
    known = sorted({-1, *(index for index in indices if index >= 0)})
    gaps = [(before + 1, after - 1) for before, after in pairwise(known) if after > before + 1]
    if not gaps:
        return []
    count = sum(last - first + 1 for first, last in gaps)
    return [
        Defect(
            listing,
            "episode_index",
            note("ingest.episode_numbers_skipped", count=count, skipped=_format_spans(gaps)),
            Harm.MISLEADS,
        )
    ]


def find_total_defects(info: Info, counted: Mapping[str, int]) -> list[Defect]:
    """Compare totals of meta/info.json with what the listing or the files add up to."""
    for name, present in counted.items():  # the first difference explains those after it: fewer episodes, fewer frames
        total = info.get_total(name)
        if total is not None and total != present:
            message = note("ingest.count_mismatch", stated=total, what=name.removeprefix("total_"), found=present)
            missing = name == "total_episodes" and present < total
            return [Defect("meta/info.json", name, message, Harm.LOST if missing else Harm.HARMLESS)]
    return []
