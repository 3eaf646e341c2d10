"""Features of the steps become streams, by what was kept of them or by the words of their paths."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.ingest.meaning import add_meaning_note
from fieldloop.ingest.readers.rlds.clock import StepClock
from fieldloop.ingest.readers.rlds.columns import Column
from fieldloop.ingest.readers.rlds.own import KeptStream
from fieldloop.ingest.readers.rlds.pixels import RecordPictures, decode_floats_from_png
from fieldloop.ingest.words import infer_kind_from_name, split_into_words
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD, UNIT_NOTE, VALUES

BOOKKEEPING = {"reward", "discount", "is", "embedding", "mask", "pad", "timestamp", "done"}
"""Words of features that are OTHER, whatever else their path mentions."""

STATE_WORDS = {"state", "proprio", "proprioception"}
ASSUMED = "the dataset does not state what its state holds; joint positions in an unknown unit are assumed"


class Payload:
    """Where a record's payload begins in its shard: pictures are found from there."""

    def __init__(self, shard: Path, offset: int) -> None:
        self.shard, self.offset = shard, offset

    def make_pictures(self, column: Column) -> RecordPictures:
        """Return a column's pictures, to be read when asked for."""
        assert column.places is not None
        assert column.decode is not None
        return RecordPictures(self.shard, column.places + self.offset, column.decode, depth=column.depth)


def make_foreign_streams(columns: Sequence[Column], clock: StepClock, payload: Payload) -> Iterator[Stream]:
    """Make a stream of every feature that has one value, picture or reason a step."""
    taken: set[str] = set()
    for column in columns:
        if column.words is not None or column.path == clock.path:
            continue
        kind, notes = _infer_kind(column), dict(clock.notes)
        if kind is StreamKind.JOINT_POSITION and split_into_words(column.path) & STATE_WORDS:
            notes[UNIT_NOTE] = ASSUMED
            notes[ASSUMPTION_NOTES[StreamFact.MEANING]] = "joint positions: the columns are unnamed"
        if column.leaf and column.leaf.description:
            notes["description"] = column.leaf.description
        if column.note:
            notes[VALUES] = column.note
        if column.undecoded:
            notes[NOT_UNDERSTOOD] = column.note
        name = _make_stream_name(column)
        while name in taken:
            name = f"{name}_"
        taken.add(name)
        clocks = {clock.kind: clock.times_ns}
        if column.places is not None:
            unit = "m" if column.depth else "8-bit"
            yield Stream(
                name, kind, unit, clocks, pictures=payload.make_pictures(column), nominal_hz=clock.hz, notes=notes
            )  # fmt: skip
        else:
            if column.values is not None:
                notes = add_meaning_note(column.path, kind, "", (), column.values, notes)
            yield Stream(name, kind, "", clocks, column.values, nominal_hz=clock.hz, notes=notes)


def restore_stream(
    kept: KeptStream, column: Column, stamps: Column | None, clock: StepClock, payload: Payload
) -> Stream:
    """Make the stream again that the feature was written from."""
    notes, clocks = dict(kept.notes), {}
    if stamps is not None and stamps.values is not None and stamps.values.dtype.kind in "iu":
        columns = zip(kept.clocks, stamps.values.T, strict=False)
        clocks = {kind: np.ascontiguousarray(row, np.int64) for kind, row in columns if kind}
    if not clocks:  # the stamps are lost: what is left is no longer what they were
        clocks, notes = {clock.kind: clock.times_ns}, notes | dict(clock.notes)
    if column.leaf is None and column.places is not None and kept.kind is StreamKind.DEPTH:
        column = replace(
            column, decode=decode_floats_from_png, depth=True
        )  # features.json is lost; a release writes depth so
    pictures = payload.make_pictures(column) if column.places is not None else None
    values = column.values
    if values is not None and kept.dtype:
        with np.errstate(invalid="ignore", over="ignore"):
            values = values.astype(np.dtype(kept.dtype), copy=False)
    if values is not None and kept.shape and math.prod(kept.shape) == values.shape[1]:
        values = values.reshape(len(values), *kept.shape)
    names = kept.columns if values is not None and len(kept.columns) == values.shape[1] else ()
    kind, unit = kept.kind, kept.unit
    if pictures is not None and (kind is StreamKind.DEPTH) != column.depth:  # what can be decoded decides
        kind, unit = _infer_kind(column), "m" if column.depth else "8-bit"
    return Stream(
        kept.name, kind, unit, clocks, values, pictures, kept.nominal_hz, names, kept.frame_id,
        kept.serial, notes,
    )  # fmt: skip


def _infer_kind(column: Column) -> StreamKind:
    if column.places is not None:
        return StreamKind.DEPTH if column.depth else StreamKind.RGB
    words = split_into_words(column.path.rpartition("/")[2])
    if words & BOOKKEEPING:
        return StreamKind.OTHER
    if column.path.split("/")[0] in ("action", "actions"):
        return StreamKind.ACTION
    kind = infer_kind_from_name(column.path.removeprefix("observation/"))
    observed = column.path.startswith("observation/")
    if kind in (StreamKind.RGB, StreamKind.DEPTH) or (observed and kind is StreamKind.ACTION):
        return StreamKind.OTHER  # numbers about a camera, or an action that is looked back at
    return StreamKind.JOINT_POSITION if observed and kind is StreamKind.OTHER and words & STATE_WORDS else kind


def _make_stream_name(column: Column) -> str:
    if column.places is None:
        return column.path
    root = "depth" if column.depth else "camera"
    return f"{root}/{column.path.removeprefix('observation/').removeprefix(f'{root}/')}"
