"""Tables of labels: any usual column names, tables without a header, and results of episodes beside labels."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from fieldloop.annotate.interchange.spans import (
    FileLabels,
    Span,
    StatedResult,
    Unit,
    parse_frame,
    parse_seconds,
)
from fieldloop.annotate.interchange.start_lists import Row, read_start_list
from fieldloop.errors import BadInput
from fieldloop.model.annotation import KINDS, PHASE
from fieldloop.model.stated import TRUTH_TEXTS, UNKNOWN, parse_result

ALIASES = {
    "episode": ("episode", "episode_id", "episode_name", "recording", "video", "clip", "song", "file"),
    "label": ("label", "category", "phase", "annotation", "value", "name", "text", "behavior", "function"),
    "start_s": ("start_s", "start", "begin", "onset", "start_time", "begin_s", "start_sec", "time", "time_s"),
    "end_s": ("end_s", "end", "stop", "offset", "end_time", "stop_s", "end_sec"),
    "duration_s": ("duration_s", "duration", "dur"),
    "start_frame": ("start_frame", "first_frame", "frame_start"),
    "end_frame": ("end_frame", "last_frame", "frame_end"),
    "annotator": ("annotator", "author", "rater", "coder", "annotated_by", "user"),
    "kind": ("kind", "type", "tier", "label_type"),
    "edge_case": ("edge_case", "edge"),
    "object": ("object", "object_id"),
    "confidence": ("confidence", "score"),
    "verified_by": ("verified_by",),
    "values": ("values",),
    "blob": ("blob",),
    "error": ("error",),
    "error_unit": ("error_unit",),
    "result": ("result",),
    "failure": ("failure",),
}
"""Our name of each column, and other tools' names for it."""
LEAST = ("label", "start_s")
NO = ("", "0", "no", "false", "none")
COMMENT = "# "
"""How a line begins that is not read: comments, and the example rows of our templates."""


def parse_table(text: str, name: str, columns: Sequence[str] = ()) -> FileLabels:
    """Read a table or a list.

    Arguments:
        text: the file
        name: its name, for messages
        columns: names of the columns of a table without a header
    """
    rows = _split_rows(text, name)
    if not rows:
        raise BadInput(f"{name} holds no labels.")
    has_header = bool(columns) or not _is_number_row(rows[0][1])
    header = tuple(columns) or _find_header(rows, name)
    if has_header and not columns:
        rows = rows[1:]
    if not rows and f"\n{COMMENT}" in text:
        raise BadInput(
            f"{name} has no rows but examples: lines that begin with {COMMENT!r} are not read. Add your own."
        )
    if not rows:
        raise BadInput(f"{name} has a header but no labels.")
    places = _find_columns(header, name)
    if has_header:
        _refuse_shifted_cells(rows, len(header), name)
    held = [(n, {ours: cells[at] if at < len(cells) else "" for ours, at in places.items()}) for n, cells in rows]
    return _read_columns(held, places, name)


def parse_rows(rows: Sequence[tuple[int, Mapping[str, object]]], name: str) -> FileLabels:
    """Read the rows of a table that names its cells, such as Parquet; each comes with the number of its line."""
    header = tuple(dict.fromkeys(column for _, cells in rows for column in cells))
    places = _find_columns(header, name)
    held = [(n, {ours: _write_cell(cells.get(header[at])) for ours, at in places.items()}) for n, cells in rows]
    return _read_columns(held, places, name)


def _write_cell(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return "" if value is None else str(value).strip()


def _read_columns(rows: Sequence[Row], columns: Collection[str], name: str) -> FileLabels:
    if "start_frame" in columns and "end_frame" in columns:
        return _read_rows(rows, name, Unit.FRAMES)
    if "start_s" in columns and not {"end_s", "duration_s"} & set(columns):
        if "result" in columns:
            raise BadInput(f"{name}: no column holds end_s, which labels beside results need.")
        spans, remarks, is_open = read_start_list(rows, name)
        made = tuple(_make_span(held, start, end, f"line {line}") for line, held, start, end in spans)
        return FileLabels(name, "start times", Unit.NS, made, remarks, open_ended=is_open)
    return _read_rows(rows, name, Unit.NS)


def _split_rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not _is_comment(line)), "")
    mark = next((each for each in "\t;," if each in first), "")
    if not mark:
        numbers = [_is_number(part) for part in first.split()]
        leading = numbers.index(False) if False in numbers else len(numbers)
        split = [(n, line.split(maxsplit=leading or -1)) for n, line in enumerate(lines, 1)]
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True, strict=True)
        try:
            split = [(reader.line_num, cells) for cells in reader]
        except csv.Error as wrong:
            raise BadInput(f"{name}, line {reader.line_num}: {wrong}; is a quotation mark left open?") from wrong
    return [
        (n, [cell.strip() for cell in cells])
        for n, cells in split
        if any(cell.strip() for cell in cells) and not _is_comment(cells[0])
    ]


def _refuse_shifted_cells(rows: Sequence[tuple[int, list[str]]], columns: int, name: str) -> None:
    """Refuse rows that do not fit their header, for their cells may stand under wrong names."""
    for line, cells in rows:
        if len(cells) < columns or any(cells[columns:]):
            raise BadInput(
                f"{name}, line {line}: {len(cells)} cells under {columns} columns; put text with a comma in quotes, "
                "and leave a cell empty where nothing is known."
            )


def _is_comment(text: str) -> bool:
    return f"{text.strip()} ".startswith(COMMENT)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_number_row(cells: Sequence[str]) -> bool:
    return any(_is_number(cell) for cell in cells)


def _find_header(rows: Sequence[tuple[int, list[str]]], name: str) -> tuple[str, ...]:
    """Return the names of the columns; without a header, from which of them hold numbers."""
    cells = rows[0][1]
    if not _is_number_row(cells):
        return tuple(cells)
    shape = "".join("n" if all(_is_number(r[k]) for _, r in rows if k < len(r)) else "t" for k in range(len(cells)))
    known = {
        "nnt": ("start", "end", "label"), "tnn": ("label", "start", "end"), "nt": ("start", "label"),
        "nnn": ("start", "end", "label"), "n": ("start",), "nn": ("start", "label"),
    }  # fmt: skip
    if shape in known:
        return known[shape]
    raise BadInput(
        f"{name}, line {rows[0][0]}: the columns have no header, and {len(cells)} columns can mean several things. "
        "Name them, such as --columns annotator,label,start,end or --columns episode,label,start_s,end_s."
    )


def _find_columns(header: Sequence[str], name: str) -> dict[str, int]:
    plain = [column.strip().lower().replace(" ", "_") for column in header]
    if twice := [column for column in plain if column and plain.count(column) > 1]:
        raise BadInput(f"{name}: the column {twice[0]!r} appears twice. Keep one.")
    found = {}
    for ours, theirs in ALIASES.items():
        place = next((plain.index(alias) for alias in theirs if alias in plain), None)
        if place is not None:
            found[ours] = place
    if missing := [column for column in _list_needed_columns(found, len(header)) if column not in found]:
        raise BadInput(
            f"{name}: no column holds {' or '.join(missing)}. Columns: {', '.join(header)}. A table needs label, "
            "start_s and end_s (or start_frame and end_frame); episode, annotator and kind may be there."
        )
    return found


def _list_needed_columns(found: Collection[str], columns: int) -> tuple[str, ...]:
    if "result" in found:
        return ()  # each row states a label, a result, or both
    if "start_frame" in found:
        return ("label", "end_frame")
    return LEAST if columns > 1 else LEAST[1:]


def _read_rows(rows: Sequence[Row], name: str, unit: Unit) -> FileLabels:
    spans, results, wrong = [], [], []
    for line, held in rows:
        try:
            if result := _read_result(held, f"line {line}"):
                results.append(result)
            if held.get("label") or not result:
                start, end = _read_frames(held) if unit is Unit.FRAMES else _read_times(held)
                spans.append(_make_span(held, start, end, f"line {line}"))
        except BadInput as problem:
            wrong.append(f"line {line}: {problem}")
    return FileLabels(name, "table", unit, tuple(spans), results=tuple(results), wrong=tuple(wrong))


def _read_result(held: Mapping[str, str], place: str) -> StatedResult | None:
    """Return how the episode ended where the row states it."""
    text, failure = held.get("result", ""), held.get("failure", "")
    result = TRUTH_TEXTS[parse_result(text)] or UNKNOWN if text else ""
    if failure and result != TRUTH_TEXTS[False]:
        raise BadInput(f"failure = {failure!r} needs result = failure.")
    if not result and "result" in held and not held.get("label"):
        raise BadInput("the row states neither a label nor a result.")
    return StatedResult(held.get("episode", ""), held.get("annotator", ""), result, failure, place) if result else None


def _read_times(held: Mapping[str, str]) -> tuple[int, int]:
    """Read when a label begins and ends; the cell that is filled states the end, or how long it lasts."""
    begins, ends, lasts = (held.get(column, "") for column in ("start_s", "end_s", "duration_s"))
    if missing := [column for column, text in (("start_s", begins), ("end_s", ends or lasts)) if not text]:
        raise BadInput(f"a label needs {' and '.join(missing)}.")
    start = parse_seconds(begins)
    return start, parse_seconds(ends) if ends else start + parse_seconds(lasts)


def _read_frames(held: Mapping[str, str]) -> tuple[int, int]:
    """Read frames; both are part of the span, so the end moves by one."""
    if missing := [column for column in ("start_frame", "end_frame") if not held.get(column)]:
        raise BadInput(f"a label needs {' and '.join(missing)}.")
    first, last = (
        parse_frame(float(held[c]) if _is_number(held[c]) else held[c]) for c in ("start_frame", "end_frame")
    )
    return first, last + 1


def _make_span(held: Mapping[str, str], start: int, end: int, place: str) -> Span:
    label = held.get("label", "").strip()
    if not label:
        raise BadInput("the label is empty.")
    kind = held.get("kind", "") or PHASE
    return Span(
        held.get("episode", ""), label, start, end, held.get("annotator", ""),
        kind.lower() if kind.lower() in KINDS else kind, place,
        edge_case=held.get("edge_case", "").lower() not in NO,
        object=held.get("object", ""),
        confidence=_read_optional(held.get("confidence", ""), "confidence"),
        verified_by=held.get("verified_by", ""),
        values=tuple(float(_read_optional(v, "values") or 0.0) for v in held.get("values", "").split()),
        blob=held.get("blob", ""),
        error=_read_optional(held.get("error", ""), "error"),
        error_unit=held.get("error_unit", ""),
    )  # fmt: skip


def _read_optional(text: str, column: str) -> float | None:
    if not text:
        return None
    if not _is_number(text) or not Decimal(text).is_finite():
        raise BadInput(f"{column} = {text!r} is not a number.")
    return float(text)
