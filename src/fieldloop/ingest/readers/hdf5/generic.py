"""Any other file: numbered groups are episodes, else the whole file is one; kinds and stamps by the arrays' names."""

import math
from collections.abc import Iterator

from fieldloop.ingest.readers.hdf5.clocks import FEWEST_ROWS, clock_of, find_clocks
from fieldloop.ingest.readers.hdf5.draft import Draft, Part, counted_rows_note
from fieldloop.ingest.readers.hdf5.facts import MOST_FACT_NUMBERS, facts_of, one_text, trailing_number
from fieldloop.ingest.readers.hdf5.names import kind_of_array
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.parts import part_of
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.ingest.stamps import stated_rate
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD

DEEPEST_EPISODES = 3


class Generic:
    """Groups of arrays that have rows."""

    name = "arrays"

    def matches(self, root: Folder) -> bool:
        """Is there any array with rows, or bytes that could be a video?"""
        return any(_could_be_stream(leaf) for leaf in root.all_leaves())

    def count(self, root: Folder) -> int:
        """Groups that hold at least one array with rows."""
        return len(numbered_arrays(root)) or len(_episodes(root))

    def drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes by number, else by name."""
        shared = facts_of(root)
        if numbered := numbered_arrays(root):
            yield from _numbered_drafts(opened, shared, numbered)
            return
        episodes = _episodes(root)
        for folder in episodes:
            opened.defects = []
            facts = {**shared, **facts_of(folder), "dataset": opened.path.stem, "dataset_episodes": str(len(episodes))}
            number = trailing_number(folder.name)
            facts |= {"episode_index": str(number)} if number is not None else {}
            yield _draft(opened, folder, facts)
            folder.forget()

    def check(self, opened: Opened, root: Folder) -> None:
        """Nothing to check beyond the arrays."""


def _draft(opened: Opened, folder: Folder, facts: dict[str, str]) -> Draft:
    stamp_arrays, group_clock = find_clocks(opened, folder)
    prefix = f"{folder.path}/" if folder.path else ""
    leaves = [leaf for leaf in folder.all_leaves() if _could_be_stream(leaf)]
    stamps = {one.path for one in stamp_arrays}
    clocks = {leaf.path: clock_of(leaf, stamp_arrays) for leaf in leaves if leaf.path not in stamps}
    used = {one.path for one in (group_clock, *clocks.values()) if one}
    parts: list[Part] = []
    for leaf in leaves:
        if leaf.path in used:
            continue
        part = part_of(leaf, leaf.path.removeprefix(prefix), kind_of_array(leaf.name))
        if own_clock := clocks.get(leaf.path):
            part.clocks, part.nominal_hz, part.notes = own_clock.clocks, own_clock.hz, {"clock": own_clock.note}
        parts.append(part)
    parts += [_unread_part(leaf, prefix) for leaf in folder.all_leaves() if _is_one_long_row(leaf)]
    hz = stated_rate(facts)
    note = group_clock.note if group_clock else counted_rows_note(hz)
    hz = group_clock.hz or hz if group_clock else hz
    name = folder.name or opened.path.stem
    return Draft(name, parts, hz=hz, clocks=group_clock.clocks if group_clock else {}, clock_note=note, facts=facts,
                 defects=opened.defects)  # fmt: skip


def numbered_arrays(root: Folder) -> dict[int, dict[str, Leaf]]:
    """Return episodes whose arrays lie side by side and carry their number: `states_0`, `actions_0`, `states_1` …

    Every array must be numbered, and every number must have the same two or more names.
    """
    if root.folders:
        return {}
    episodes: dict[int, dict[str, Leaf]] = {}
    for name, leaf in root.leaves.items():
        number = trailing_number(name)
        stem = name.rstrip("0123456789").rstrip("_-. ")
        if number is None or not stem or not _could_be_stream(leaf):
            return {}
        episodes.setdefault(number, {})[stem] = leaf
    names = {frozenset(arrays) for arrays in episodes.values()}
    alike = len(names) == 1 and len(next(iter(names))) > 1 and len(episodes) > 1
    return dict(sorted(episodes.items())) if alike else {}


def _numbered_drafts(opened: Opened, shared: dict[str, str], numbered: dict[int, dict[str, Leaf]]) -> Iterator[Draft]:
    hz = stated_rate(shared)
    for number, arrays in numbered.items():
        opened.defects = []
        place = {"dataset": opened.path.stem, "dataset_episodes": str(len(numbered)), "episode_index": str(number)}
        parts = [part_of(leaf, name, kind_of_array(name)) for name, leaf in arrays.items()]
        yield Draft(f"episode_{number:06d}", parts, hz=hz, clock_note=counted_rows_note(hz), facts={**shared, **place},
                    defects=opened.defects)  # fmt: skip


def _episodes(root: Folder) -> list[Folder]:
    """Find the first level at which all groups are numbered; where there is none the file is one episode."""
    level = [root]
    for _ in range(DEEPEST_EPISODES):
        for folder in level:
            inside = list(folder.folders.values())
            if inside and all(trailing_number(group.name) is not None for group in inside):
                numbered = [group for group in inside if any(_could_be_stream(leaf) for leaf in group.all_leaves())]
                if numbered and not any(_could_be_stream(leaf) for leaf in folder.leaves.values()):
                    return sorted(numbered, key=lambda group: (trailing_number(group.name) or 0, group.name))
        level = [group for folder in level for group in folder.folders.values()]
    return [root] if any(_could_be_stream(leaf) for leaf in root.all_leaves()) else []


def _is_one_long_row(leaf: Leaf) -> bool:
    """Is it one row of so many numbers that it may be a recording laid out otherwise, such as 1 × time × columns?"""
    return leaf.dtype.kind == "f" and leaf.shape[:1] == (1,) and math.prod(leaf.shape) > MOST_FACT_NUMBERS


def _unread_part(leaf: Leaf, prefix: str) -> Part:
    sides = " × ".join(map(str, leaf.shape))
    return Part(leaf.path.removeprefix(prefix), (leaf,), StreamKind.OTHER, notes={NOT_UNDERSTOOD: f"one row: {sides}"})


def _could_be_stream(leaf: Leaf) -> bool:
    """Has it rows, or is it bytes of which a video could be made?"""
    if one_text(leaf) is not None:
        return False
    if leaf.shape and leaf.shape[0] >= FEWEST_ROWS:
        return True
    return bool(leaf.data.size == 1 and leaf.dtype.kind in "OSV")
