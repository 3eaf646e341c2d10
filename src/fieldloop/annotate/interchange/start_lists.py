"""Lists of start times: each label holds until the next begins."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fieldloop.annotate.interchange.spans import FileLabels, parse_seconds, refuse_wrong
from fieldloop.errors import BadInput
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S

ENDS = ("end", "", "eof", "__end__")
"""Labels of the last line of a list that only say when the one before ends."""
Row = tuple[int, Mapping[str, str]]
"""The number of a line, and its cells under our names of columns."""
Timed = tuple[int, Mapping[str, str], int, int]
"""The number of a line, its cells, and from when to when its label holds."""


def read_start_list(rows: Sequence[Row], name: str) -> tuple[list[Timed], tuple[Note, ...], bool]:
    """Read a list of start times: each label holds until the next begins; state whether the last one has no end."""
    starts, wrong = [], []
    for line, held in rows:
        try:
            starts.append((line, parse_seconds(held["start_s"]), {"label": "segment", **held}))
        except BadInput as problem:
            wrong.append(f"line {line}: {problem}")
    refuse_wrong(name, wrong, len(rows))
    tracks: dict[tuple[str, str, str], list[tuple[int, int, dict[str, str]]]] = {}
    for line, at, held in starts:
        tracks.setdefault((held.get("episode", ""), held.get("annotator", ""), held.get("kind", "")), []).append(
            (line, at, held)
        )
    spans: list[Timed] = []
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
            spans.append((line, held, at, end))
    refuse_wrong(name, wrong, len(rows))
    remarks: tuple[Note, ...] = (note("agree.list_without_end", file=name),) if still_open else ()
    return spans, remarks, still_open


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
