"""Measurements as plain columns, so that a new limit re-judges a year of episodes without opening one log."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fieldloop.model.finding import Measured, Measurement
from fieldloop.protocol import CollectionProtocol
from fieldloop.protocol.layers import fingerprint

COLUMNS = ("episode", "check", "subject", "value", "place", "cannot_tell", "error", "reason")


def rows(episode_id: str, measured: Iterable[Measured]) -> dict[str, list[Any]]:
    """Return equally long columns: one row a measurement; a check that found nothing has one row without a subject."""
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for one in measured:
        for m in one.measurements or (Measurement("", math.nan),):
            subject = m.subject if one.measurements else None
            row = (episode_id, one.check, subject, m.value, m.place, m.cannot_tell, one.error, one.reason)
            for name, value in zip(COLUMNS, row, strict=True):
                columns[name].append(value)
    return columns


def from_rows(columns: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Measured, ...]]:
    """Read columns back: episode id → what each check found, in the order written."""
    found: dict[str, dict[str, Measured]] = {}
    for episode, check, subject, value, place, cannot_tell, error, reason in zip(
        *(columns[name] for name in COLUMNS), strict=True
    ):
        checks = found.setdefault(episode, {})
        before = checks.get(check, Measured(check, (), error or "", reason or ""))
        number = math.nan if value is None else float(value)  # Parquet may hand a NaN back as null
        more = () if subject is None else (Measurement(subject, number, place or "", cannot_tell or ""),)
        checks[check] = Measured(check, before.measurements + more, before.error, before.reason)
    return {episode: tuple(checks.values()) for episode, checks in found.items()}


def measuring_fingerprint(protocol: CollectionProtocol) -> str:
    """Name the part of a protocol that changes what is *measured*: parameters, sensors, settings of an episode.

    Kept measurements may be judged again under a protocol with the same name here; under another, measure again.
    """
    settings = {name: setting.value for name, setting in protocol.settings.items() if name.startswith("episode.")}
    parameters = {name: dict(limit.parameters) for name, limit in protocol.limits.items() if limit.parameters}
    return fingerprint([parameters, settings, {name: str(sensor) for name, sensor in protocol.sensors.items()}])
