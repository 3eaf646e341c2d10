"""D4RL's layout: all episodes in sequence, with end marks per step."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.draft import Draft, describe_counted_rows
from fieldloop.ingest.readers.hdf5.facts import collect_group_facts
from fieldloop.ingest.readers.hdf5.names import infer_array_kind
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened, shorten_error
from fieldloop.ingest.readers.hdf5.parts import make_part
from fieldloop.ingest.readers.hdf5.rows import count_stored_rows
from fieldloop.ingest.readers.hdf5.tree import BEST_COMPRESSION, Folder, Leaf
from fieldloop.ingest.stamps import find_stated_rate
from fieldloop.model.episode import Defect
from fieldloop.model.note import note
from fieldloop.model.stream import StreamKind

ENDS = ("terminals", "timeouts")
ABOUT = "metadata"


class D4rl:
    """`observations`, `actions`, `rewards`, `terminals`, `timeouts` and `infos/*` of one length."""

    name = "d4rl"

    def matches_file(self, root: Folder) -> bool:
        """Are there actions and observations, and marks of where episodes end?"""
        return {"actions", "observations"} <= root.members.keys() and any(
            isinstance(root.find_member(name), Leaf) for name in ENDS
        )

    def count_episodes(self, root: Folder) -> int:
        """Read the marks, and nothing else."""
        return len(_split_at_ends(_find_episode_ends(root)[0]))

    def read_drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes from the first row on; rows after the last mark are one that did not end."""
        facts = collect_group_facts(root)
        about = root.find_member(ABOUT)
        facts |= collect_group_facts(about) if isinstance(about, Folder) else {}
        hz = find_stated_rate(facts)
        leaves = [leaf for leaf in root.list_all_leaves() if leaf.shape and not leaf.path.startswith(f"{ABOUT}/")]
        ends = _find_episode_ends(root)[0]
        spans = _split_at_ends(ends)
        for index, (first, last) in enumerate(spans):
            place = {"dataset": opened.path.stem, "episode_index": str(index), "dataset_episodes": str(len(spans))}
            parts = [make_part(leaf, leaf.path, _infer_kind(leaf)) for leaf in leaves]
            draft = Draft(
                f"episode_{index:06d}",
                parts,
                (first, last),
                hz,
                clock_note=describe_counted_rows(hz),
                facts={**facts, **place},
            )
            if not ends[last - 1]:
                message = note("ingest.episode_end_missing", first_row=first)
                draft.defects.append(Defect.from_place("terminals", "row", last - 1, message))
            yield draft

    def add_file_defects(self, opened: Opened, root: Folder) -> None:
        """Compare the lengths of all arrays: a shorter one would leave later episodes empty."""
        ends, wrong = _find_episode_ends(root)
        opened.defects += wrong
        for leaf in root.list_all_leaves():
            if leaf.shape and not leaf.path.startswith(f"{ABOUT}/") and leaf.shape[0] not in (len(ends), 1):
                others = "the marks of episode ends"
                message = note("ingest.rows_differ", rows=leaf.shape[0], others=others, usual=len(ends))
                opened.defects.append(Defect.from_place(leaf.path, "row", min(leaf.shape[0], len(ends)), message))
            if leaf.shape:
                count_stored_rows(opened, leaf)


def _infer_kind(leaf: Leaf) -> StreamKind:
    """D4RL's `observations` mix everything in one row; only `infos` have specific names."""
    return StreamKind.OTHER if leaf.name == "observations" else infer_array_kind(leaf.name)


def _find_episode_ends(root: Folder) -> tuple[NDArray[np.bool_], list[Defect]]:
    """After which rows does an episode end?"""
    marks: list[NDArray[np.bool_]] = []
    wrong: list[Defect] = []
    for name in ENDS:
        leaf = root.find_member(name)
        if not isinstance(leaf, Leaf):
            continue
        try:
            if leaf.data.size > int(leaf.data.id.get_storage_size()) * BEST_COMPRESSION:
                raise OSError("more values are declared than are stored")
            marks.append(np.asarray(leaf.data[()]).reshape(-1).astype(bool))
        except HDF5_ERRORS as broken:
            message = note("ingest.part_unreadable", part="array of episode ends", reason=shorten_error(broken))
            wrong.append(Defect(name, "", message))
    if not marks:
        actions = root.find_member("actions")
        rows = actions.shape[0] if isinstance(actions, Leaf) and actions.shape else 0
        return np.zeros(min(rows, 1 << 32), bool), wrong
    ends = np.zeros(max(len(mark) for mark in marks), bool)
    for mark in marks:
        ends[: len(mark)] |= mark
    return ends, wrong


def _split_at_ends(ends: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Cut behind every mark.

    >>> _split_at_ends(np.asarray([False, True, False, False]))
    [(0, 2), (2, 4)]
    """
    cuts = [0, *(np.flatnonzero(ends) + 1).tolist()]
    if cuts[-1] < len(ends):
        cuts.append(len(ends))
    return list(pairwise(cuts))
