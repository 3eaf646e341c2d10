"""Read a demonstration that fieldloop wrote, by its own description of every stream."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.draft import Clocks, Draft, Part, format_attribute
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened
from fieldloop.ingest.readers.hdf5.rows import count_stored_rows, read_rows
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf, convert_to_plain_value
from fieldloop.model.episode import Defect
from fieldloop.model.note import note
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.model.stream_notes import upgrade_notes

ATTRIBUTE = "fieldloop"
GRID = "timestamps_ns"


def read_described_draft(opened: Opened, folder: Folder) -> Draft | None:
    """Return a draft from the description; None where it is missing or invalid."""
    text = folder.read_attributes().get(ATTRIBUTE)
    if not isinstance(text, str):
        return None
    try:
        described = json.loads(text)
        grid = _read_stamps(opened, folder.find_member(GRID))
        clock = ClockKind(described["grid_clock"])
        parts = list(_make_parts(opened, folder, described["streams"]))
        facts = {str(key): format_attribute(value) for key, value in described["episode"].items()}
    except (LookupError, TypeError, ValueError, AttributeError) as wrong:
        message = note("ingest.description_invalid", reason=repr(wrong))
        opened.defects.append(Defect(folder.path, f"attribute {ATTRIBUTE}", message))
        return None
    clocks = {} if grid is None or grid.shape[1] != 1 else {clock: np.ascontiguousarray(grid[:, 0])}
    return Draft(facts.get("name") or folder.name, parts, clocks=clocks, facts=facts, ours=True)


def _make_parts(opened: Opened, folder: Folder, streams: list[Mapping[str, Any]]) -> Iterator[Part]:
    for row in streams:
        members = {place["path"]: folder.find_member(place["path"]) for place in row["data"]}
        leaves = tuple(leaf for leaf in members.values() if isinstance(leaf, Leaf))
        if not leaves or len(leaves) < len(members):
            gone = ", ".join(path for path, leaf in members.items() if not isinstance(leaf, Leaf))
            message = note(
                "ingest.declared_but_missing", part="stream", name=str(row["name"]), missing="array", path=gone
            )
            opened.defects.append(Defect(folder.path, f"attribute {ATTRIBUTE}", message))
            continue
        only = row["data"][0]
        take = slice(int(only["first"]), int(only["last"])) if only["path"] == "actions" else None
        hz = row["nominal_hz"]
        yield Part(
            str(row["name"]), leaves, StreamKind(row["kind"]), str(row["unit"]), tuple(map(str, row["columns"])),
            take, _read_clocks(opened, folder, row), float(hz) if hz else None, str(row["frame_id"]),
            str(row["serial"]),
            upgrade_notes({str(key): str(value) for key, value in row["notes"].items()}),
        )  # fmt: skip


def _read_clocks(opened: Opened, folder: Folder, stream_description: Mapping[str, Any]) -> Clocks | None:
    """Return the stamps that the stream's own samples came with."""
    leaf = folder.find_member(stream_description["stamps"]) if stream_description["stamps"] else None
    table = _read_stamps(opened, leaf)
    if table is None or not isinstance(leaf, Leaf):
        return None
    try:
        kinds = [ClockKind(kind) for kind in convert_to_plain_value(leaf.data.attrs["clocks"])]
        return {kind: np.ascontiguousarray(table[:, i]) for i, kind in enumerate(kinds)}
    except (IndexError, *HDF5_ERRORS):
        return None


def _read_stamps(opened: Opened, leaf: Folder | Leaf | None) -> NDArray[np.int64] | None:
    """Read stamps as rows and columns, as far as they are stored; None where one is lost."""
    if not isinstance(leaf, Leaf) or not leaf.is_numeric:
        return None
    try:
        values, rows = read_rows(opened, leaf, 0, count_stored_rows(opened, leaf))
        return values.astype(np.int64) if len(rows) == leaf.shape[0] and values.dtype.kind in "iu" else None
    except HDF5_ERRORS:
        return None
