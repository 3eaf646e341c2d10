"""Read channel metadata: keys that begin with `fieldloop.` override what names imply."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.model.stream_notes import upgrade_notes

PREFIX = "fieldloop."


@dataclass(slots=True)
class About:
    """None means not stated. `clocks` maps the header, publish and log timestamps to the clock each one is."""

    stream: str | None = None
    kind: StreamKind | None = None
    unit: str | None = None
    columns: tuple[str, ...] | None = None
    frame_id: str | None = None
    serial: str | None = None
    dtype: np.dtype[Any] | None = None
    nominal_hz: float | None = None
    notes: Mapping[str, str] | None = None
    clocks: Mapping[ClockKind, ClockKind] | None = None
    wrong: list[str] = field(default_factory=list)


def parse_channel_metadata(metadata: Mapping[str, str]) -> About:
    """Read the metadata; invalid entries are listed in `wrong` and ignored."""
    stated = About()
    for key, text in metadata.items():
        name = key.removeprefix(PREFIX)
        if not key.startswith(PREFIX) or name not in READ:
            continue
        try:
            setattr(stated, name, READ[name](text))
        except (ValueError, TypeError, RecursionError):
            stated.wrong.append(f"{key} = {text[:80]!r}")
    header = metadata.get(f"{PREFIX}clock", "")
    if stated.clocks is None and header in set(ClockKind):
        stated.clocks = {kind: kind for kind in (ClockKind.LOG, ClockKind.PUBLISH)} | {
            ClockKind.HEADER: ClockKind(header)
        }
    return stated


def _parse_columns(text: str) -> tuple[str, ...]:
    names = json.loads(text)
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError("the entry is not a list of names")
    return tuple(names)


def _parse_notes(text: str) -> dict[str, str]:
    notes = json.loads(text)
    if not (isinstance(notes, dict) and all(isinstance(note, str) for note in notes.values())):
        raise TypeError("the entry is not a map of texts")
    return upgrade_notes(notes)


def _parse_clocks(text: str) -> dict[ClockKind, ClockKind]:
    named = json.loads(text)
    if not isinstance(named, dict):
        raise TypeError("the entry is not a map of clocks")
    return {ClockKind(slot): ClockKind(kind) for slot, kind in named.items()}


def _parse_dtype(text: str) -> np.dtype[Any]:
    dtype = np.dtype(text)
    if dtype.kind not in "fiub":
        raise ValueError("no numbers")
    return dtype


def _parse_rate(text: str) -> float:
    rate = float(text)
    if not (math.isfinite(rate) and rate > 0):
        raise ValueError("no rate")
    return rate


READ: Mapping[str, Any] = {
    "stream": str, "kind": StreamKind, "unit": str, "columns": _parse_columns, "frame_id": str, "serial": str,
    "dtype": _parse_dtype, "nominal_hz": _parse_rate, "clocks": _parse_clocks, "notes": _parse_notes,
}  # fmt: skip
