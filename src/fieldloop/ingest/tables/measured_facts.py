"""Read measured facts of the data from JSON: camera lags and annotator agreement."""

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.agreement import Agreement
from fieldloop.model.codec import from_plain
from fieldloop.model.diagnosis import Lag
from fieldloop.text_files import read_text

TEXTS = ("rig", "stream", "stratum", "worst_boundary")
COUNTS = {"episodes": 1, "unmatched": 0}
"""Whole numbers, and the least each may be."""
RANGES = {
    "kappa": (-1.0, 1.0),
    "boundary_frames": (0.0, math.inf),
    "worst_frames": (0.0, math.inf),
    "lag_ms": (-math.inf, math.inf),
    "low_ms": (-math.inf, math.inf),
    "high_ms": (-math.inf, math.inf),
}
"""What each number may be: by how it is defined, not by what is usual."""
MAY_BE_NULL = ("kappa", "boundary_frames", "worst_frames")
"""Agreement has no number where there was nothing to agree on."""
PAIR = 2


def read_lags(file: Path) -> tuple[Lag, ...]:
    """Read camera lags per rig; empty where the file does not exist."""
    lags = tuple(from_plain(Lag, entry) for entry in _read_entries(file, Lag))
    for number, lag in enumerate(lags, 1):
        if not lag.low_ms <= lag.lag_ms <= lag.high_ms:
            interval = f"low_ms = {lag.low_ms:g}, lag_ms = {lag.lag_ms:g}, high_ms = {lag.high_ms:g}"
            raise BadInput(f"{file.name}, entry {number}: {interval}; it must contain the lag, low end first.")
    return lags


def read_agreements(file: Path) -> tuple[Agreement, ...]:
    """Read annotator agreement per condition; empty where the file does not exist."""
    return tuple(from_plain(Agreement, entry) for entry in _read_entries(file, Agreement))


def _read_entries(file: Path, record_type: type) -> list[Mapping[str, Any]]:
    if not file.is_file():
        return []
    try:
        entries = json.loads(read_text(file))
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{file.name}, line {wrong.lineno} is not valid JSON: {wrong.msg}.") from wrong
    needed = [f.name for f in fields(record_type) if f.default is MISSING]
    if not isinstance(entries, list):
        raise BadInput(f"{file.name} should be a list of objects, each with {', '.join(needed)}.")
    for number, entry in enumerate(entries, 1):
        where = f"{file.name}, entry {number}"
        if not isinstance(entry, dict):
            raise BadInput(f"{where} is {entry!r}; it should be an object with {', '.join(needed)}.")
        if missing := [name for name in needed if name not in entry]:
            raise BadInput(f"{where} lacks {', '.join(missing)}.")
        for name in (f.name for f in fields(record_type) if f.name in entry):
            if wrong_with := _describe_invalid(name, entry[name]):
                raise BadInput(f"{where}: {name} = {entry[name]!r}; {wrong_with}.")
    return entries


def _describe_invalid(name: str, value: Any) -> str:
    """Say what a field should be, '' where it is."""
    if name in TEXTS:
        return "" if isinstance(value, str) else "it should be a text"
    if name == "authors":
        two = isinstance(value, list) and len(value) == PAIR and all(isinstance(one, str) for one in value)
        return "" if two else "it should be the two who annotated"
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if name in COUNTS:
        whole = number and value == int(value) and value >= COUNTS[name]
        return "" if whole else f"it should be a whole number from {COUNTS[name]}"
    if value is None and name in MAY_BE_NULL:
        return ""
    low, high = RANGES[name]
    if not number:
        return "it should be a number"
    if low <= value <= high:
        return ""
    return f"it should lie between {low:g} and {high:g}" if math.isfinite(high) else f"it should be {low:g} or more"
