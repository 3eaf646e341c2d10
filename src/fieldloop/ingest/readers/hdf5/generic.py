"""Any other file: numbered groups are episodes, else the whole file is one; kinds and stamps by the arrays' names."""

import math
from collections.abc import Iterator

from fieldloop.ingest.readers.hdf5.clocks import FEWEST_ROWS, find_array_clock, find_clocks
from fieldloop.ingest.readers.hdf5.draft import Draft, Part, describe_counted_rows
from fieldloop.ingest.readers.hdf5.facts import (
    MOST_FACT_NUMBERS,
    collect_group_facts,
    format_small_array,
    parse_trailing_number,
    read_single_text,
)
from fieldloop.ingest.readers.hdf5.names import infer_array_kind
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.parts import make_part
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.ingest.stamps import find_stated_rate
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD

DEEPEST_EPISODES = 3
ACTION_GROUPS = {"action", "actions"}


class Generic:
    """Groups of arrays that have rows."""

    name = "arrays"

    def matches_file(self, root: Folder) -> bool:
        """Is there any array with rows, or bytes that could be a video?"""
        return any(_could_be_stream(leaf) for leaf in root.list_all_leaves())

    def count_episodes(self, root: Folder) -> int:
        """Groups that hold at least one array with rows."""
        return len(find_numbered_arrays(root)) or len(_find_episode_groups(root))

    def read_drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes by number, else by name."""
        shared = collect_group_facts(root)
        if numbered := find_numbered_arrays(root):
            yield from _make_numbered_drafts(opened, shared, numbered)
            return
        episodes = _find_episode_groups(root)
        for folder in episodes:
            opened.defects = []
            facts = {
                **shared,
                **collect_group_facts(folder),
                "dataset": opened.path.stem,
                "dataset_episodes": str(len(episodes)),
            }
            number = parse_trailing_number(folder.name)
            facts |= {"episode_index": str(number)} if number is not None else {}
            yield _make_draft(opened, folder, facts)
            folder.clear_cache()

    def add_file_defects(self, opened: Opened, root: Folder) -> None:
        """Nothing to check beyond the arrays."""


def _make_draft(opened: Opened, folder: Folder, facts: dict[str, str]) -> Draft:
    stamp_arrays, group_clock = find_clocks(opened, folder)
    prefix = f"{folder.path}/" if folder.path else ""
    leaves = [leaf for leaf in folder.list_all_leaves() if _could_be_stream(leaf)]
    stamps = {one.path for one in stamp_arrays}
    clocks = {leaf.path: find_array_clock(leaf, stamp_arrays) for leaf in leaves if leaf.path not in stamps}
    used = {one.path for one in (group_clock, *clocks.values()) if one}
    parts: list[Part] = []
    for leaf in leaves:
        if leaf.path in used:
            continue
        part = make_part(leaf, leaf.path.removeprefix(prefix), _infer_array_kind(leaf, leaf.path.removeprefix(prefix)))
        if own_clock := clocks.get(leaf.path):
            part.clocks, part.nominal_hz, part.notes = own_clock.clocks, own_clock.hz, {"clock": own_clock.note}
        parts.append(part)
    parts += [_make_unread_part(leaf, prefix) for leaf in folder.list_all_leaves() if _is_one_long_row(leaf)]
    for leaf in folder.list_all_leaves():  # what is neither a stream nor a text is kept as a fact, never dropped
        if not (_could_be_stream(leaf) or _is_one_long_row(leaf) or read_single_text(leaf) is not None):
            facts.setdefault(leaf.path.removeprefix(prefix), format_small_array(leaf))
    hz = find_stated_rate(facts)
    note = group_clock.note if group_clock else describe_counted_rows(hz)
    hz = group_clock.hz or hz if group_clock else hz
    name = folder.name or opened.path.stem
    return Draft(name, parts, hz=hz, clocks=group_clock.clocks if group_clock else {}, clock_note=note, facts=facts,
                 defects=opened.defects, rows_promised=False)  # fmt: skip


def _infer_array_kind(leaf: Leaf, path: str) -> StreamKind:
    """Return an array's kind: all of a group of actions is commanded, and a truth about a command is none."""
    if leaf.dtype.kind == "b":
        return StreamKind.OTHER
    commanded = path.split("/", maxsplit=1)[0].lower() in ACTION_GROUPS and "/" in path
    return StreamKind.ACTION if commanded else infer_array_kind(leaf.name)


def find_numbered_arrays(root: Folder) -> dict[int, dict[str, Leaf]]:
    """Return episodes whose arrays lie side by side and carry their number: `states_0`, `actions_0`, `states_1` …

    Every array must be numbered, and every number must have the same two or more names.
    """
    if root.folders:
        return {}
    episodes: dict[int, dict[str, Leaf]] = {}
    for name, leaf in root.leaves.items():
        number = parse_trailing_number(name)
        stem = name.rstrip("0123456789").rstrip("_-. ")
        if number is None or not stem or not _could_be_stream(leaf):
            return {}
        episodes.setdefault(number, {})[stem] = leaf
    names = {frozenset(arrays) for arrays in episodes.values()}
    alike = len(names) == 1 and len(next(iter(names))) > 1 and len(episodes) > 1
    return dict(sorted(episodes.items())) if alike else {}


def _make_numbered_drafts(
    opened: Opened, shared_facts: dict[str, str], arrays_by_number: dict[int, dict[str, Leaf]]
) -> Iterator[Draft]:
    hz = find_stated_rate(shared_facts)
    for number, arrays in arrays_by_number.items():
        opened.defects = []
        place = {
            "dataset": opened.path.stem,
            "dataset_episodes": str(len(arrays_by_number)),
            "episode_index": str(number),
        }
        parts = [make_part(leaf, name, infer_array_kind(name)) for name, leaf in arrays.items()]
        yield Draft(f"episode_{number:06d}", parts, hz=hz, clock_note=describe_counted_rows(hz),
        facts={**shared_facts, **place},
                    defects=opened.defects, rows_promised=False)  # fmt: skip


def _find_episode_groups(root: Folder) -> list[Folder]:
    """Find the first level at which all groups are numbered; where there is none the file is one episode."""
    level = [root]
    for _ in range(DEEPEST_EPISODES):
        for folder in level:
            inside = list(folder.folders.values())
            if inside and all(parse_trailing_number(group.name) is not None for group in inside):
                numbered = [
                    group for group in inside if any(_could_be_stream(leaf) for leaf in group.list_all_leaves())
                ]
                if numbered and not any(_could_be_stream(leaf) for leaf in folder.leaves.values()):
                    return sorted(numbered, key=lambda group: (parse_trailing_number(group.name) or 0, group.name))
        level = [group for folder in level for group in folder.folders.values()]
    return [root] if any(_could_be_stream(leaf) for leaf in root.list_all_leaves()) else []


def _is_one_long_row(leaf: Leaf) -> bool:
    """Is it one row of so many numbers that it may be a recording laid out otherwise, such as 1 × time × columns?"""
    return leaf.dtype.kind in "fiub" and leaf.shape[:1] == (1,) and math.prod(leaf.shape) > MOST_FACT_NUMBERS


def _make_unread_part(leaf: Leaf, prefix: str) -> Part:
    sides = " × ".join(map(str, leaf.shape))
    return Part(leaf.path.removeprefix(prefix), (leaf,), StreamKind.OTHER, notes={NOT_UNDERSTOOD: f"one row: {sides}"})


def _could_be_stream(leaf: Leaf) -> bool:
    """Has it rows, or is it bytes of which a video could be made?"""
    if read_single_text(leaf) is not None:
        return False
    if leaf.shape and leaf.shape[0] >= FEWEST_ROWS:
        return True
    return bool(leaf.data.size == 1 and leaf.dtype.kind in "OSV")
