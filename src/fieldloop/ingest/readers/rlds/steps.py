"""The steps of one episode: how many there are, what each feature holds of them, and what does not fit."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from fieldloop.ingest.readers.rlds.columns import (
    FLAT,
    LENGTHS,
    Column,
    group_features,
    join_dynamic_tensors,
    read_column,
)
from fieldloop.ingest.readers.rlds.example import Kind, Values
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.varints import Unparsable
from fieldloop.model.note import Note, note

STEPS = "steps/"
MARKS = ("is_first", "is_last", "is_terminal")
LARGEST_COUNTED = 4096
"""Larger features are pictures, and counting their numbers means unpacking them."""

Wrong = list[tuple[str, Note]]


def read_steps(features: Mapping[str, Values], leaves: Mapping[str, Leaf]) -> tuple[int, list[Column], Wrong]:
    """Return how many steps there are, the features that have one value each, and by path what is wrong."""
    prefix = STEPS if any(name.startswith(STEPS) for name in features) else ""
    groups = group_features(features, prefix)
    join_dynamic_tensors(groups, leaves, prefix)
    wrong: Wrong = []
    count = _count_steps(groups, leaves, prefix)
    columns = []
    for path, parts in sorted(groups.items()):
        leaf = leaves.get(prefix + path)
        try:
            column = read_column(path, parts, leaf, count)
        except (Unparsable, TypeError, ValueError) as broken:
            wrong.append((prefix + path, note("ingest.part_unreadable", part="feature", reason=str(broken))))
            continue
        if len(column) == count or column.holds_nothing:
            columns.append(column)
        elif prefix or len(column) > 1:
            wrong.append((prefix + path, note("ingest.feature_length_differs", values=len(column), steps=count)))
    if prefix:
        declared = {
            path.removeprefix(prefix) for path, leaf in leaves.items() if path.startswith(prefix) and not leaf.optional
        }
        absent = note("ingest.declared_but_missing", part="feature", missing="value in the record")
        wrong += [(prefix + path, absent) for path in sorted(declared - groups.keys())]
    wrong += list(_find_mark_defects(columns, prefix))
    return count, columns, wrong


def _count_steps(groups: Mapping[str, Mapping[str, Values]], leaves: Mapping[str, Leaf], prefix: str) -> int:
    """Marks have one value a step; else what most features agree on; else what divides all of them."""
    marks: Counter[int] = Counter()
    votes: Counter[int] = Counter()
    sizes = []
    for path, parts in groups.items():
        values, leaf = parts.get(""), leaves.get(prefix + path)
        try:
            if FLAT in parts and f"{LENGTHS}0" in parts:
                votes[len(parts[f"{LENGTHS}0"].read_ints())] += 1
            elif values is None or values.kind is Kind.NONE:
                continue
            elif values.kind is Kind.BYTES:
                votes[len(values.locate_blobs())] += 1
            elif path in MARKS:
                marks[len(values.read_ints())] += 1
            elif leaf and leaf.size:
                if leaf.size <= LARGEST_COUNTED:
                    votes[len(values.read_numbers()) // leaf.size] += 1
            else:
                sizes.append(len(values.read_numbers()))
        except Unparsable:
            continue
    if counts := marks or votes:
        return max(counts, key=lambda length: (counts[length], length))
    return math.gcd(*sizes) if sizes else 0


def _find_mark_defects(columns: list[Column], prefix: str) -> Iterator[tuple[str, Note]]:
    """An episode begins once and ends once; anything else is two episodes in one record, or half of one."""
    for name, right in (("is_first", 0), ("is_last", -1)):
        column = next((c for c in columns if c.path == name), None)
        if column is None or column.values is None or not len(column):
            continue
        marked = np.flatnonzero(column.values[:, 0])
        wanted = right % len(column)
        if astray := [step for step in marked.tolist() if step != wanted]:
            more = " …" if len(astray) > 3 else ""  # noqa: PLR2004
            astray_at = f"{', '.join(map(str, astray[:3]))}{more}"
            yield prefix + name, note("ingest.mark_misplaced", at=astray_at, steps=len(column), expected=wanted)
        elif not len(marked):
            yield prefix + name, note("ingest.mark_missing", steps=len(column), edge="end" if right else "beginning")
