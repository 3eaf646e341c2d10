"""Build a Recording from a draft: numbers are read, pictures and videos stay in the file."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.meaning import add_meaning_note
from fieldloop.ingest.readers.hdf5.draft import Clocks, Draft, Part, describe_counted_rows, format_attribute
from fieldloop.ingest.readers.hdf5.facts import KNOWN, MOST_FACT_NUMBERS, format_numbers_as_fact, read_distinct_texts
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened, shorten_error
from fieldloop.ingest.readers.hdf5.pictures import Form, PictureRows, detect_picture_form
from fieldloop.ingest.readers.hdf5.rows import Rows, count_stored_rows, iterate_row_blocks, read_rows
from fieldloop.ingest.readers.hdf5.tree import Leaf, read_attributes
from fieldloop.ingest.readers.hdf5.videos import holds_video, index_video, read_video_bytes
from fieldloop.ingest.span import find_time_span
from fieldloop.ingest.stamps import find_contradicting_rate_hz
from fieldloop.ingest.units import guess_unit
from fieldloop.ingest.words import split_into_words
from fieldloop.model.episode import Defect, Episode, Harm, Recording
from fieldloop.model.episode_text import parse_texts
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import note
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD

Seen = dict[str, Stream]
DESCRIBING = {"unit", "units", "description", "long_name", "standard_name", "meaning", "names", "columns"}
"""Attributes by which an array says what it holds."""

CONSTANT_WORDS = {
    "intrinsic", "intrinsics", "extrinsic", "extrinsics", "calibration", "calib", "bias", "biases", "offset", "offsets",
    "gain", "gains", "mean", "std", "scale", "gravity", "matrix", "transform", "limits", "bounds", "init", "initial",
    "home", "default", "min", "max",
}  # fmt: skip
"""Words of arrays that state one thing for the whole episode."""


def build_recording(opened: Opened, draft: Draft, layout: str) -> Recording:
    """Read one episode. Its id comes from its content, never from its position."""
    opened.defects = draft.defects  # from here on, what cannot be read is this episode's
    streams: Seen = {}
    lengths: dict[str, int] = {}
    identity = compute_content_id(_read_parts(opened, draft, streams, lengths))
    _compare_lengths(draft, lengths)
    if not streams:  # without content, only its file distinguishes it from others
        identity = compute_content_id([opened.hash_file(), draft.name.encode()])
        draft.defects.append(Defect(draft.name, "", note("ingest.episode_unreadable")))
    fields, wrong = parse_texts(draft.facts, from_foreign_log=not draft.ours)
    concluded = draft.conclude(streams) if draft.conclude else {}
    start_ns, end_ns = find_time_span(streams.values())
    episode = Episode(
        **{"name": draft.name, **concluded, **fields}, id=identity, format=f"hdf5 {layout}", start_ns=start_ns,
        end_ns=end_ns,
    )  # fmt: skip
    draft.defects += [*opened.take_damaged_heaps(), *(Defect(draft.name, key, message) for key, message in wrong)]
    return Recording(episode, streams, tuple(draft.defects))


def _read_parts(opened: Opened, draft: Draft, streams: Seen, rows_by_stream: dict[str, int]) -> Iterator[bytes]:
    """Yield what names the episode, and gather its streams on the way."""
    for part in sorted(draft.parts, key=lambda part: part.name):
        yield part.name.encode()
        try:
            yield from _read_part(opened, draft, part, streams, rows_by_stream)
        except HDF5_ERRORS as wrong:
            draft.defects.append(
                Defect(
                    part.leaves[0].path, "", note("ingest.part_unreadable", part="array", reason=shorten_error(wrong))
                )
            )


def _read_part(
    opened: Opened, draft: Draft, part: Part, streams: Seen, rows_by_stream: dict[str, int]
) -> Iterator[bytes]:
    leaf = part.leaves[0]
    if holds_video(leaf):
        yield from _read_video(opened, part, streams)
        return
    form = detect_picture_form(leaf)
    if form is None and (text := read_distinct_texts(leaf)) is not None:
        draft.facts.setdefault(leaf.name if leaf.name in KNOWN else part.name, text)
        yield text.encode()
        return
    if form is None and not all(other.is_numeric for other in part.leaves):
        what = "bytes that are not pictures" if leaf.is_bytes else str(leaf.dtype)
        draft.defects.append(Defect(leaf.path, "", note("ingest.type_not_supported", type=what)))
        return
    spans = [_find_row_span(opened, draft, other) for other in part.leaves]
    for other, (first, last) in zip(part.leaves, spans, strict=True):
        rows_by_stream[other.path] = last - first
    first, last = spans[0][0], min(last for _, last in spans)
    if last <= first:
        return
    if form is not None:
        yield from _read_pictures(opened, draft, part, form, (first, last), streams)
        return
    values, rows = _read_values(opened, part, first, last)
    if not len(rows):
        return
    yield values.dtype.str.encode() + str(values.shape).encode()
    yield values.tobytes()
    if _is_single_row(draft, part, last - first):  # stated once for the episode, such as the state it began in
        for leaf in part.leaves:
            del rows_by_stream[leaf.path]
        draft.facts.setdefault(part.name, format_numbers_as_fact(values))
        return
    columns = part.columns if len(part.columns) == values.shape[1] else ()
    clocks, notes, stored = _choose_clocks(draft, part, rows - first)
    yield from stored
    hz, denial = _choose_nominal_hz(draft, part, clocks)
    unit, guessed = guess_unit(part.unit_like, values, columns) if part.unit_like else (part.unit, {})
    notes = guessed | notes | denial
    notes = notes if draft.ours else _add_meaning(opened, part, (unit, columns), values, notes)
    streams[part.name] = Stream(
        part.name, part.kind, unit, clocks, values, nominal_hz=hz, columns=columns,
        frame_id=part.frame_id, serial=part.serial, notes=notes,
    )  # fmt: skip


def _add_meaning(
    opened: Opened, part: Part, stated: tuple[str, tuple[str, ...]], values: NDArray[Any], notes: dict[str, str]
) -> dict[str, str]:
    """Note what an array's own attributes say it holds; where they do not, and its name does not either, note that."""
    judged = add_meaning_note(part.name, part.kind, *stated, values, notes)
    if NOT_UNDERSTOOD not in judged or NOT_UNDERSTOOD in notes:
        return judged
    leaf = part.leaves[0]
    texts = {
        key: format_attribute(value) for key, value in read_attributes(leaf.data, leaf.path, opened.defects).items()
    }
    described = "; ".join(f"{key}: {text}" for key, text in texts.items() if key.lower() in DESCRIBING and text)
    return {**notes, "description": described} if described else judged


def _is_single_row(draft: Draft, part: Part, rows: int) -> bool:
    """Has the array one row where others have many, or the few rows of a calibration, matrix or setting?"""
    others = [
        leaf.shape[0] for other in draft.parts if other is not part for leaf in other.leaves if len(leaf.shape) > 0
    ]
    if NOT_UNDERSTOOD in part.notes or draft.rows is not None or not others or part.clocks:
        return False
    if rows == 1:
        return max(others) > 1
    small = all(math.prod(leaf.shape) <= MOST_FACT_NUMBERS for leaf in part.leaves)
    return small and rows < float(np.median(others)) and bool(split_into_words(part.leaves[0].name) & CONSTANT_WORDS)


def _find_row_span(opened: Opened, draft: Draft, leaf: Leaf) -> tuple[int, int]:
    there = count_stored_rows(opened, leaf)
    first, last = draft.rows or (0, there)
    return min(first, there), min(last, there)


def _read_values(opened: Opened, part: Part, first_row: int, last_row: int) -> tuple[NDArray[Any], Rows]:
    """Read a part's arrays side by side; a row that one of them lacks is in none."""
    read = [read_rows(opened, leaf, first_row, last_row) for leaf in part.leaves]
    rows = read[0][1]
    for _, others in read[1:]:
        rows = np.intersect1d(rows, others)
    values = np.hstack([array[np.isin(own, rows)] for array, own in read]) if len(read) > 1 else read[0][0]
    return np.ascontiguousarray(values if part.take is None else values[:, part.take]), rows


def _read_pictures(
    opened: Opened, draft: Draft, part: Part, form: Form, span: tuple[int, int], streams: Seen
) -> Iterator[bytes]:
    """Go through the stored bytes once: they name the episode, and frames that cannot be read are found."""
    leaf, (first, last) = part.leaves[0], span
    yield leaf.dtype.str.encode() + str(leaf.shape[1:]).encode()
    lost: list[int] = []
    for start, block in iterate_row_blocks(opened, leaf, first, last):
        if block is None:
            lost.append(start)
            continue
        yield from block
    if lost:
        draft.defects.append(
            Defect.from_place(leaf.path, "row", lost[0], note("ingest.pictures_unreadable", places=len(lost)))
        )
    kind = _infer_picture_kind(part, form)
    clocks, notes, stored = _choose_clocks(draft, part, np.arange(last - first))
    yield from stored
    hz, denial = _choose_nominal_hz(draft, part, clocks)
    source = PictureRows(opened.path, leaf.path, form, first, last, leaf.shape)
    streams[part.name] = Stream(
        part.name, kind, part.unit or ("m" if kind is StreamKind.DEPTH else "8-bit"), clocks, pictures=source,
        nominal_hz=hz, frame_id=part.frame_id, serial=part.serial, notes=notes | denial,
    )  # fmt: skip


def _infer_picture_kind(part: Part, form: Form) -> StreamKind:
    """Pixels are what they are, whatever the name says; encoded bytes may hold either."""
    if form is Form.DEPTH or (form is Form.ENCODED and part.kind is StreamKind.DEPTH):
        return StreamKind.DEPTH
    return StreamKind.RGB


def _read_video(opened: Opened, part: Part, streams: Seen) -> Iterator[bytes]:
    leaf = part.leaves[0]
    data = read_video_bytes(leaf)
    yield data
    try:
        source = index_video(opened.path, leaf, data)
    except ValueError as wrong:
        opened.defects.append(Defect(leaf.path, "", note("ingest.part_unreadable", part="video", reason=str(wrong))))
        return
    if not len(source):
        opened.defects.append(Defect(leaf.path, "", note("ingest.video_empty")))
        return
    clocks = dict(part.clocks or {}) if part.clocks and _clocks_cover_rows(part.clocks, len(source)) else {}
    clocks[ClockKind.CONTAINER] = source.times_ns.copy()
    streams[part.name] = Stream(
        part.name, StreamKind.RGB, "8-bit", clocks, pictures=source, nominal_hz=part.nominal_hz,
        frame_id=part.frame_id, serial=part.serial, notes=part.notes,
    )  # fmt: skip


def _choose_clocks(draft: Draft, part: Part, rows: Rows) -> tuple[Clocks, dict[str, str], list[bytes]]:
    """Return the stamps of some rows: the part's own, else the episode's, else row number over rate.

    Beside them a note, and those that are stored as bytes: they are content too.
    """
    needed = int(rows[-1]) + 1 if len(rows) else 0
    for clocks in (part.clocks, draft.clocks):
        if clocks and _clocks_cover_rows(clocks, needed):
            note = {"clock": draft.clock_note} if draft.clock_note and clocks is draft.clocks else {}
            mine = {kind: stamps[rows] for kind, stamps in clocks.items()}
            return mine, {**note, **part.notes}, [kind.encode() + stamps.tobytes() for kind, stamps in mine.items()]
    text = draft.clock_note if not draft.clocks and draft.clock_note else describe_counted_rows(draft.hz)
    return draft.compute_row_times(rows), {"clock": text, **part.notes}, []


def _choose_nominal_hz(draft: Draft, part: Part, clocks: Clocks) -> tuple[float | None, dict[str, str]]:
    """Return the stream's own rate, else the file's; where timestamps contradict that, a note instead."""
    if part.nominal_hz or not draft.hz:
        return part.nominal_hz, {}
    trusted = next(stamps for kind in ClockKind if (stamps := clocks.get(kind)) is not None)
    if (real := find_contradicting_rate_hz(draft.hz, trusted)) is None:
        return draft.hz, {}
    return None, {"rate": f"the file states {draft.hz:g} Hz, the stream's own timestamps give {real:.4g}"}


def _clocks_cover_rows(clocks: Clocks, rows: int) -> bool:
    return all(len(stamps) >= rows for stamps in clocks.values())


def _compare_lengths(draft: Draft, lengths: Mapping[str, int]) -> None:
    """Report arrays that are shorter or longer than most of their episode.

    Where no layout promises it, an array of unknown meaning need not have a row for each step: it may be a matrix of
    calibration, or the recording before it was resampled. Its length is then named as harmless. An array of known
    meaning may have been sampled at another rate there, so whether rows are missing is left open.
    """
    apart = [part for part in draft.parts if part.clocks or NOT_UNDERSTOOD in part.notes]
    free = () if draft.rows_promised else [part for part in draft.parts if part.kind is StreamKind.OTHER]
    free_paths = {leaf.path for part in free for leaf in part.leaves}
    own_rows = {leaf.path for part in apart for leaf in part.leaves}
    compared = {path: rows for path, rows in lengths.items() if path not in own_rows}
    if len(set(compared.values())) < 2:  # noqa: PLR2004 - all alike
        return
    usual = Counter(compared.values()).most_common(1)[0][0]
    for path, rows in sorted(compared.items()):
        if rows not in (usual, usual + 1):  # one more is the state after the last step
            message = note("ingest.rows_differ", rows=rows, others=f"most arrays of {draft.name}", usual=usual)
            known = Harm.LOST if draft.rows_promised else Harm.UNCLEAR
            harm = Harm.HARMLESS if path in free_paths else known
            draft.defects.append(Defect.from_place(path, "row", min(rows, usual), message, harm))
