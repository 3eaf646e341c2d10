"""Any other file: numbered groups are episodes, else the whole file is one; kinds and stamps by the arrays' names."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.draft import ASSUMED_HZ, Clocks, Draft, Part
from fieldloop.ingest.readers.hdf5.facts import facts_of, number_of, one_text, rate_of
from fieldloop.ingest.readers.hdf5.names import is_stamp, kind_of_array
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.parts import part_of
from fieldloop.ingest.readers.hdf5.rows import read_rows, stored_rows
from fieldloop.ingest.readers.hdf5.stamps import to_nanoseconds
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.model.stream import ClockKind

DEEPEST_EPISODES = 3
FEWEST_ROWS = 2
Stamps = dict[str, tuple[NDArray[np.int64], str]]


class Generic:
    """Groups of arrays that have rows."""

    name = "arrays"

    def matches(self, root: Folder) -> bool:
        """Is there any array with rows, or bytes that could be a video?"""
        return any(_could_be_stream(leaf) for leaf in root.all_leaves())

    def count(self, root: Folder) -> int:
        """Groups that hold at least one array with rows."""
        return len(_episodes(root))

    def drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes by number, else by name."""
        episodes = _episodes(root)
        shared = facts_of(root)
        for folder in episodes:
            opened.defects = []
            facts = {**shared, **facts_of(folder), "dataset": opened.path.stem, "dataset_episodes": str(len(episodes))}
            number = number_of(folder.name)
            facts |= {"episode_index": str(number)} if number is not None else {}
            yield _draft(opened, folder, facts)
            folder.forget()

    def check(self, opened: Opened, root: Folder) -> None:
        """Nothing is said about such a file that its arrays do not say."""


def episode_clocks(opened: Opened, folder: Folder) -> tuple[Clocks, str, Stamps]:
    """Return the stamps that stand directly in a group, how their unit was told, and every array of stamps below."""
    stamps: Stamps = {}
    for leaf in folder.all_leaves():
        one_column = len(leaf.shape) == 1 or (len(leaf.shape) == 2 and leaf.shape[1] == 1)  # noqa: PLR2004
        if not (leaf.is_numeric and one_column and is_stamp(leaf.name)) or leaf.shape[0] < FEWEST_ROWS:
            continue
        values, rows = read_rows(opened, leaf, 0, stored_rows(opened, leaf))
        told = to_nanoseconds(leaf.name, values) if len(rows) == leaf.shape[0] else None
        if told is not None:
            stamps[leaf.path] = told
    own = [(path, told) for path, told in stamps.items() if path.rpartition("/")[0] == folder.path]
    if not own:
        return {}, "", stamps
    _, (times, note) = own[0]
    return {ClockKind.HEADER: times}, note, stamps


def _draft(opened: Opened, folder: Folder, facts: dict[str, str]) -> Draft:
    clocks, note, stamps = episode_clocks(opened, folder)
    hz = rate_of(facts)
    prefix = f"{folder.path}/" if folder.path else ""
    parts: list[Part] = []
    for leaf in folder.all_leaves():
        if leaf.path in stamps or not _could_be_stream(leaf):
            continue
        part = part_of(leaf, leaf.path.removeprefix(prefix), kind_of_array(leaf.name))
        if told := _nearest(leaf, stamps):
            part.clocks, part.notes = {ClockKind.HEADER: told[0]}, {"clock": told[1]}
        parts.append(part)
    if not clocks:
        stated = "" if hz else ", which the file does not state"
        note = f"no stamps are stored; row number over {hz or ASSUMED_HZ:g} Hz is used{stated}"
    name = folder.name or opened.path.stem
    return Draft(name, parts, hz=hz, clocks=clocks, clock_note=note, facts=facts, defects=opened.defects)


def _nearest(leaf: Leaf, stamps: Stamps) -> tuple[NDArray[np.int64], str] | None:
    """Return the stamps of an array: named after it, else beside it, if there are as many as it has rows."""
    place = leaf.path.rpartition("/")[0]
    beside = {path: told for path, told in stamps.items() if path.rpartition("/")[0] == place}
    named = {path: told for path, told in beside.items() if path.rsplit("/", 1)[-1].startswith(leaf.name)}
    rows = leaf.shape[0] if leaf.shape else 0
    for told in (*named.values(), *beside.values()):
        if len(told[0]) == rows:
            return told
    return None


def _episodes(root: Folder) -> list[Folder]:
    """Find the first level at which all groups are numbered; where there is none the file is one episode."""
    level = [root]
    for _ in range(DEEPEST_EPISODES):
        for folder in level:
            inside = list(folder.folders.values())
            if inside and all(number_of(group.name) is not None for group in inside):
                numbered = [group for group in inside if any(_could_be_stream(leaf) for leaf in group.all_leaves())]
                if numbered and not any(_could_be_stream(leaf) for leaf in folder.leaves.values()):
                    return sorted(numbered, key=lambda group: (number_of(group.name) or 0, group.name))
        level = [group for folder in level for group in folder.folders.values()]
    return [root] if any(_could_be_stream(leaf) for leaf in root.all_leaves()) else []


def _could_be_stream(leaf: Leaf) -> bool:
    """Has it rows, or is it bytes of which a video could be made?"""
    if one_text(leaf) is not None:
        return False
    if leaf.shape and leaf.shape[0] >= FEWEST_ROWS:
        return True
    return bool(leaf.data.size == 1 and leaf.dtype.kind in "OSV")
