"""Read one label of a taxonomy file."""

import math
from collections.abc import Mapping
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.annotation import KINDS, PHASE
from fieldloop.model.taxonomy import Example, Label
from fieldloop.protocol.cells import read_line, read_lines
from fieldloop.protocol.number import refuse_unknown_keys

REQUIRED = ("name", "definition", "begins", "ends")
LINES = ("kind", "part_of", "key", "card", "picture")
LISTS = ("includes", "edge_cases")
LABEL_KEYS = {*REQUIRED, *LINES, *LISTS, "example"}
EXAMPLE_KEYS = {"episode", "start_s", "end_s", "shows"}


def parse_label(file_name: str, row: Mapping[str, Any], numbers: Mapping[str, float]) -> Label:
    """Read a label; texts in braces take their number from the measures."""
    name = row.get("name", "?")
    where = f"{file_name}: label {name}"
    refuse_unknown_keys(where, row, LABEL_KEYS)
    if missing := sorted(key for key in REQUIRED if not str(row.get(key, "")).strip()):
        raise BadInput(f"{file_name}: label {name!r} lacks {', '.join(missing)}; without it annotators would guess.")
    lines = {key: read_line(where, row, key) for key in (*REQUIRED, *LINES)}
    kind = lines.pop("kind") or PHASE
    if kind not in KINDS:
        raise BadInput(f"{where}: {UnknownName('kind', kind, KINDS, ', '.join(KINDS))}")
    try:
        texts = {key: text.format(**numbers) for key, text in lines.items()}
    except (KeyError, IndexError, ValueError, AttributeError) as wrong:
        raise BadInput(f"{file_name}: label {name!r} names an unknown measure: {wrong}.") from wrong
    lists = {key: read_lines(where, row, key) for key in LISTS}
    return Label(kind=kind, examples=_parse_examples(where, row.get("example", [])), **texts, **lists)  # type: ignore[arg-type]  # texts and lists by name


def _parse_examples(where: str, rows: Any) -> tuple[Example, ...]:
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise BadInput(f"{where}: write each example as [[label.example]] with episode, start_s and end_s.")
    return tuple(_parse_example(where, row) for row in rows)


def _parse_example(where: str, row: Mapping[str, Any]) -> Example:
    refuse_unknown_keys(f"{where}: example", row, EXAMPLE_KEYS)
    times = [row.get(key) for key in ("start_s", "end_s")]
    if not read_line(where, row, "episode") or not all(_is_time(one) for one in times):
        raise BadInput(f"{where}: an example needs an episode, start_s and end_s in seconds from its start.")
    start, end = (float(one) for one in times if one is not None)
    if start >= end:
        raise BadInput(
            f"{where}: the example of {row['episode']} ends at {end:g} s, not after its start at {start:g} s."
        )
    return Example(read_line(where, row, "episode"), start, end, read_line(where, row, "shows"))


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
