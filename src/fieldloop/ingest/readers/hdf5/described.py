"""A demonstration that fieldloop wrote: its description says what every stream is and was called."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.draft import Clocks, Draft, Part, text_of
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened
from fieldloop.ingest.readers.hdf5.rows import read_rows, stored_rows
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf, plain
from fieldloop.model.episode import Defect
from fieldloop.model.stream import ClockKind, StreamKind

ATTRIBUTE = "fieldloop"
GRID = "timestamps_ns"


def described_draft(opened: Opened, folder: Folder) -> Draft | None:
    """Return what the description says; None where there is none, or none that can be understood."""
    text = folder.attributes().get(ATTRIBUTE)
    if not isinstance(text, str):
        return None
    try:
        told = json.loads(text)
        grid = _stamps(opened, folder.find(GRID))
        clock = ClockKind(told["grid_clock"])
        parts = list(_parts(opened, folder, told["streams"]))
        facts = {str(key): text_of(value) for key, value in told["episode"].items()}
    except (LookupError, TypeError, ValueError, AttributeError) as wrong:
        message = f"The description cannot be understood ({wrong!r}); the arrays' own names are used."
        opened.defects.append(Defect(folder.path, f"attribute {ATTRIBUTE}", message))
        return None
    clocks = {} if grid is None or grid.shape[1] != 1 else {clock: np.ascontiguousarray(grid[:, 0])}
    return Draft(facts.get("name") or folder.name, parts, clocks=clocks, facts=facts, ours=True)


def _parts(opened: Opened, folder: Folder, streams: list[Mapping[str, Any]]) -> Iterator[Part]:
    for told in streams:
        found = {place["path"]: folder.find(place["path"]) for place in told["data"]}
        leaves = tuple(leaf for leaf in found.values() if isinstance(leaf, Leaf))
        if not leaves or len(leaves) < len(found):
            gone = ", ".join(path for path, leaf in found.items() if not isinstance(leaf, Leaf))
            message = f"The stream {told['name']} is described as {gone or 'nothing'}, which is not there."
            opened.defects.append(Defect(folder.path, f"attribute {ATTRIBUTE}", message))
            continue
        only = told["data"][0]
        take = slice(int(only["first"]), int(only["last"])) if only["path"] == "actions" else None
        hz = told["nominal_hz"]
        yield Part(
            str(told["name"]), leaves, StreamKind(told["kind"]), str(told["unit"]), tuple(map(str, told["columns"])),
            take, _clocks(opened, folder, told), float(hz) if hz else None, str(told["frame_id"]), str(told["serial"]),
            {str(key): str(value) for key, value in told["notes"].items()},
        )  # fmt: skip


def _clocks(opened: Opened, folder: Folder, told: Mapping[str, Any]) -> Clocks | None:
    """Return the stamps that the stream's own samples came with."""
    leaf = folder.find(told["stamps"]) if told["stamps"] else None
    table = _stamps(opened, leaf)
    if table is None or not isinstance(leaf, Leaf):
        return None
    try:
        kinds = [ClockKind(kind) for kind in plain(leaf.data.attrs["clocks"])]
        return {kind: np.ascontiguousarray(table[:, i]) for i, kind in enumerate(kinds)}
    except (IndexError, *HDF5_ERRORS):
        return None


def _stamps(opened: Opened, leaf: Folder | Leaf | None) -> NDArray[np.int64] | None:
    """Read stamps as rows and columns, as far as they are stored; None where one is lost."""
    if not isinstance(leaf, Leaf) or not leaf.is_numeric:
        return None
    try:
        values, rows = read_rows(opened, leaf, 0, stored_rows(opened, leaf))
        return values.astype(np.int64) if len(rows) == leaf.shape[0] and values.dtype.kind in "iu" else None
    except HDF5_ERRORS:
        return None
