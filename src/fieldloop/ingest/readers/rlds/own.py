"""What a fieldloop release keeps beside the steps: each stream's name, kind, unit, clocks, and the episode's facts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.model.stream_notes import upgrade_notes

KEPT = "fieldloop"
"""The text in episode_metadata that holds it as JSON."""

STAMPS = "timestamp_ns"


@dataclass(frozen=True, slots=True)
class KeptStream:
    """One stream as it was before it became a feature."""

    name: str
    kind: StreamKind
    unit: str = ""
    columns: tuple[str, ...] = ()
    frame_id: str = ""
    serial: str = ""
    clocks: tuple[ClockKind | None, ...] = (ClockKind.SYNTHETIC,)
    stamps: str = STAMPS
    dtype: str = ""
    shape: tuple[int, ...] = ()
    nominal_hz: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """What was found of it: streams by feature path, facts by name."""

    streams: Mapping[str, KeptStream]
    facts: Mapping[str, str]


def parse_release_metadata(text: str) -> Kept | None:
    """Read it back; None where the text is not what a release writes, so that the set is read as anyone's."""
    try:
        raw = json.loads(text)
        streams = {str(path): _parse_kept_stream(row) for path, row in raw["streams"].items()}
        facts = {str(key): str(value) for key, value in raw["facts"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if len({stream.name for stream in streams.values()}) < len(streams):
        return None
    return Kept(streams, facts)


def _parse_kept_stream(row: Mapping[str, Any]) -> KeptStream:
    hz, dtype = row.get("nominal_hz"), str(row.get("dtype", ""))
    shape = tuple(int(side) for side in row.get("shape", ()))
    if (dtype and np.dtype(dtype).kind not in "biuf") or any(side < 1 for side in shape):
        raise ValueError(f"{dtype} {shape} is not a numeric type")
    return KeptStream(
        str(row["name"]), StreamKind(row["kind"]), str(row.get("unit", "")), tuple(map(str, row.get("columns", ()))),
        str(row.get("frame_id", "")), str(row.get("serial", "")),
        tuple(None if kind is None else ClockKind(kind) for kind in row["clocks"]),
        str(row.get("stamps", STAMPS)), dtype, shape,
        float(hz) if isinstance(hz, int | float) else None,
        upgrade_notes({str(key): str(value) for key, value in dict(row.get("notes", {})).items()}),
    )  # fmt: skip
