"""Tables of labels: CSV with any usual column names, tables without a header, and lists of start times."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from fieldloop.annotate.interchange.spans import FileLabels, Span, Unit, parse_frame, parse_seconds, refuse_wrong
from fieldloop.errors import BadInput
from fieldloop.model.annotation import KINDS, PHASE
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S

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
}
"""Our name of each column, and other tools' names for it."""
LEAST = ("label", "start_s")
ENDS = ("end", "", "eof", "__end__")
"""Labels of the last line of a list that only say when the one before ends."""
NO = ("", "0", "no", "false", "none")
COMMENT = "#"


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
    header = tuple(columns) or _find_header(rows, name)
    if not columns and not _is_number_row(rows[0][1]):
        rows = rows[1:]
    if not rows:
        raise BadInput(f"{name} has a header but no labels.")
    places = _find_columns(header, name)
    if "start_frame" in places and "end_frame" in places:
        return FileLabels(name, "table", Unit.FRAMES, tuple(_read_rows(rows, places, name, Unit.FRAMES)))
    if "end_s" in places or "duration_s" in places:
        return FileLabels(name, "table", Unit.NS, tuple(_read_rows(rows, places, name, Unit.NS)))
    return _read_list(rows, places, name)


def _split_rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith(COMMENT)), "")
    mark = next((each for each in "\t;," if each in first), "")
    if not mark:
        numbers = [_is_number(part) for part in first.split()]
        leading = numbers.index(False) if False in numbers else len(numbers)
        split = [(n, line.split(maxsplit=leading or -1)) for n, line in enumerate(lines, 1)]
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
        try:
            split = [(reader.line_num, cells) for cells in reader]
        except csv.Error as wrong:
            raise BadInput(f"{name}, line {reader.line_num}: {wrong}; is a quotation mark left open?") from wrong
    return [
        (n, [cell.strip() for cell in cells])
        for n, cells in split
        if any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith(COMMENT)
    ]


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
    found = {}
    for ours, theirs in ALIASES.items():
        place = next((plain.index(alias) for alias in theirs if alias in plain), None)
        if place is not None:
            found[ours] = place
    if "start_frame" in found:
        needed = ["label", "end_frame"]
    else:
        needed = [column for column in LEAST if not (column == "label" and len(header) == 1)]
    if missing := [column for column in needed if column not in found]:
        raise BadInput(
            f"{name}: no column holds {' or '.join(missing)}. Columns: {', '.join(header)}. A table needs label, "
            "start_s and end_s (or start_frame and end_frame); episode, annotator and kind may be there."
        )
    return found


def _read_rows(rows: Sequence[tuple[int, list[str]]], places: Mapping[str, int], name: str, unit: Unit) -> list[Span]:
    spans, wrong = [], []
    for line, cells in rows:
        held = {column: cells[place] if place < len(cells) else "" for column, place in places.items()}
        try:
            start, end = _read_frames(held) if unit is Unit.FRAMES else _read_times(held)
            spans.append(_make_span(held, start, end, f"line {line}"))
        except BadInput as problem:
            wrong.append(f"line {line}: {problem}")
    refuse_wrong(name, wrong, len(rows))
    return spans


def _read_times(held: Mapping[str, str]) -> tuple[int, int]:
    start = parse_seconds(held["start_s"])
    if "end_s" in held:
        return start, parse_seconds(held["end_s"])
    return start, start + parse_seconds(held["duration_s"])


def _read_frames(held: Mapping[str, str]) -> tuple[int, int]:
    """Read frames; both are part of the span, so the end moves by one."""
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


def _read_list(rows: Sequence[tuple[int, list[str]]], places: Mapping[str, int], name: str) -> FileLabels:
    """Read a list of start times: each label holds until the next begins."""
    starts, wrong = [], []
    for line, cells in rows:
        held = {column: cells[place] if place < len(cells) else "" for column, place in places.items()}
        try:
            at = parse_seconds(held["start_s"])
            starts.append((line, at, held | {"label": held.get("label", "") if "label" in places else "segment"}))
        except BadInput as problem:
            wrong.append(f"line {line}: {problem}")
    refuse_wrong(name, wrong, len(rows))
    tracks: dict[tuple[str, str, str], list[tuple[int, int, dict[str, str]]]] = {}
    for line, at, held in starts:
        tracks.setdefault((held.get("episode", ""), held.get("annotator", ""), held.get("kind", "")), []).append(
            (line, at, held)
        )
    spans: list[Span] = []
    still_open = False
    for track in tracks.values():
        closed = track[-1][2]["label"].strip().lower() in ENDS
        still_open |= not closed
        ends = [at for _, at, _ in track[1:]] + ([] if closed else [track[-1][1]])
        for (line, at, held), end in zip(track, ends, strict=False):
            if not held["label"]:
                continue  # nothing is labelled until the next start
            if end < at:
                wrong.append(
                    f"line {line + 1}: {end / NS_PER_S:g} s comes before {at / NS_PER_S:g} s of the line before."
                )
            spans.append(_make_span(held, at, end, f"line {line}"))
    refuse_wrong(name, wrong, len(rows))
    remarks: tuple[Note, ...] = (note("agree.list_without_end", file=name),) if still_open else ()
    return FileLabels(name, "start times", Unit.NS, tuple(spans), remarks, open_ended=still_open)


def close_open_lists(files: Sequence[FileLabels]) -> list[FileLabels]:
    """Let the last label of lists without an end last a mean segment beyond the latest time of any file."""
    latest: dict[str, int] = {}
    lengths: dict[str, list[int]] = {}
    for file in files:
        for span in file.spans:
            latest[span.episode] = max(latest.get(span.episode, 0), span.end)
            if span.end > span.start:
                lengths.setdefault(span.episode, []).append(span.end - span.start)
    ends = {}
    for episode, at in latest.items():
        known = lengths.get(episode, [NS_PER_S])
        ends[episode] = at + round(sum(known) / len(known))
    return [
        replace(file, spans=tuple(
            replace(span, end=ends[span.episode]) if span.end == span.start else span for span in file.spans
        )) if file.open_ended else file
        for file in files
    ]  # fmt: skip
