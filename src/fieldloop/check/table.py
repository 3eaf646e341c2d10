"""Measurements as plain columns, so that a new limit re-judges a year of episodes without opening one log."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.fix import Fix

COLUMNS = (
    "episode", "check", "subject", "value", "place", "cannot_tell", "error", "reason", "low", "high", "at_s", "fix",
)  # fmt: skip
SINCE_FIXES = ("low", "high", "at_s", "fix")
"""Columns that tables of earlier versions lack."""


def rows(episode_id: str, measured: Iterable[Measured]) -> dict[str, list[Any]]:
    """Return equally long columns: one row a measurement; a check that found nothing has one row without a subject."""
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for one in measured:
        for m in one.measurements or (Measurement("", math.nan),):
            subject = m.subject if one.measurements else None
            told = (episode_id, one.check, subject, m.value, m.place, m.cannot_tell, one.error, one.reason)
            row = (*told, m.low, m.high, m.at_s, json.dumps(to_plain(m.fix)) if m.fix else None)
            for name, value in zip(COLUMNS, row, strict=True):
                columns[name].append(value)
    return columns


def from_rows(columns: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Measured, ...]]:
    """Read columns back: episode id → what each check found, in the order written."""
    found: dict[str, dict[str, Measured]] = {}
    count = len(columns["episode"])
    known = {name: columns.get(name, [None] * count) if name in SINCE_FIXES else columns[name] for name in COLUMNS}
    for episode, check, subject, value, place, cannot_tell, error, reason, low, high, at_s, fix in zip(
        *known.values(), strict=True
    ):
        checks = found.setdefault(episode, {})
        before = checks.get(check, Measured(check, (), error or "", reason or ""))
        number = math.nan if value is None else float(value)  # Parquet may hand a NaN back as null
        repair = from_plain(Fix, json.loads(fix)) if fix else None
        more = (
            ()
            if subject is None
            else (Measurement(subject, number, place or "", cannot_tell or "", low, high, at_s, repair),)
        )
        checks[check] = Measured(check, before.measurements + more, before.error, before.reason)
    return {episode: tuple(checks.values()) for episode, checks in found.items()}
