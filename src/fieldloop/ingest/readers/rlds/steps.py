"""The steps of one episode: how many there are, what each feature holds of them, and what does not fit."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from fieldloop.ingest.readers.rlds.columns import FLAT, LENGTHS, Column, dynamic, group, read_column
from fieldloop.ingest.readers.rlds.example import Kind, Values
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.varints import Unparsable

STEPS = "steps/"
MARKS = ("is_first", "is_last", "is_terminal")
LARGEST_COUNTED = 4096
"""Larger features are pictures, and counting their numbers means unpacking them."""

Wrong = list[tuple[str, str]]


def read_steps(features: Mapping[str, Values], leaves: Mapping[str, Leaf]) -> tuple[int, list[Column], Wrong]:
    """Return how many steps there are, the features that have one value each, and by path what is wrong."""
    prefix = STEPS if any(name.startswith(STEPS) for name in features) else ""
    groups = group(features, prefix)
    dynamic(groups, leaves, prefix)
    wrong: Wrong = []
    count = _count(groups, leaves, prefix)
    columns = []
    for path, parts in sorted(groups.items()):
        leaf = leaves.get(prefix + path)
        try:
            column = read_column(path, parts, leaf, count)
        except (Unparsable, TypeError, ValueError) as broken:
            wrong.append((prefix + path, f"The feature cannot be read: {broken}."))
            continue
        if len(column) == count or column.holds_nothing:
            columns.append(column)
        elif prefix or len(column) > 1:
            wrong.append(
                (prefix + path, f"The feature has {len(column)} values, the episode {count} steps; it was left out.")
            )
    if prefix:
        declared = {
            path.removeprefix(prefix) for path, leaf in leaves.items() if path.startswith(prefix) and not leaf.optional
        }
        wrong += [
            (prefix + path, "The feature is declared, but the record has none.")
            for path in sorted(declared - groups.keys())
        ]
    wrong += list(_mark_defects(columns, prefix))
    return count, columns, wrong


def _count(groups: Mapping[str, Mapping[str, Values]], leaves: Mapping[str, Leaf], prefix: str) -> int:
    """Marks have one value a step; else what most features agree on; else what divides all of them."""
    marks: Counter[int] = Counter()
    votes: Counter[int] = Counter()
    sizes = []
    for path, parts in groups.items():
        values, leaf = parts.get(""), leaves.get(prefix + path)
        try:
            if FLAT in parts and f"{LENGTHS}0" in parts:
                votes[len(parts[f"{LENGTHS}0"].ints())] += 1
            elif values is None or values.kind is Kind.NONE:
                continue
            elif values.kind is Kind.BYTES:
                votes[len(values.places())] += 1
            elif path in MARKS:
                marks[len(values.ints())] += 1
            elif leaf and leaf.size:
                if leaf.size <= LARGEST_COUNTED:
                    votes[len(values.numbers()) // leaf.size] += 1
            else:
                sizes.append(len(values.numbers()))
        except Unparsable:
            continue
    if said := marks or votes:
        return max(said, key=lambda length: (said[length], length))
    return math.gcd(*sizes) if sizes else 0


def _mark_defects(columns: list[Column], prefix: str) -> Iterator[tuple[str, str]]:
    """An episode begins once and ends once; anything else is two episodes in one record, or half of one."""
    for name, right in (("is_first", 0), ("is_last", -1)):
        column = next((c for c in columns if c.path == name), None)
        if column is None or column.values is None or not len(column):
            continue
        marked = np.flatnonzero(column.values[:, 0])
        wanted = right % len(column)
        if astray := [step for step in marked.tolist() if step != wanted]:
            more = " …" if len(astray) > 3 else ""  # noqa: PLR2004
            yield (
                prefix + name,
                f"It is set at step {', '.join(map(str, astray[:3]))}{more} of {len(column)}, not only at {wanted}.",
            )
        elif not len(marked):
            yield (
                prefix + name,
                f"It is set at none of {len(column)} steps: the {'end' if right else 'beginning'} is missing.",
            )
