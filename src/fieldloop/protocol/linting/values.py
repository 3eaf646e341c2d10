"""Lint rules about numbers: unit, looseness, and reasons."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldloop.model.note import note
from fieldloop.protocol.collection import SETTINGS, get_check_tables
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.number import Limit
from fieldloop.protocol.parameter import KEY

EXAMPLES = {"m": "15 cm is 0.15 m.", "s": "200 ms is 0.2 s.", "rad/s": "90° a second is 1.57 rad/s."}
RANGES = {"hz": "sensor_hz", "width": "picture_px", "height": "picture_px"}
"""A sensor's keys, and the setting with their plausible range."""


def find_numbers_in_wrong_unit(draft: Draft) -> Iterator[Remark]:
    """A number far from the shipped one was probably meant in another unit."""
    factor = draft.numbers.number("unit_factor")
    for name in get_check_tables(draft.own):
        yield from _make_implausible_unit_remarks(
            f"check.{name}", draft.protocol.limits[name], draft.shipped.limits[name], factor
        )
    for name, interface in draft.protocol.interfaces.items():
        shipped = draft.shipped.interfaces.get(name)
        for limited, limit in interface.limits.items():
            if shipped and limited in shipped.limits:
                yield from _make_implausible_unit_remarks(
                    f"interface.{name}.limits.{limited}", limit, shipped.limits[limited], factor
                )


def _make_implausible_unit_remarks(place: str, limit: Limit, shipped: Limit, factor: float) -> Iterator[Remark]:
    for given, usual in ((limit.minimum, shipped.minimum), (limit.maximum, shipped.maximum)):
        if given and usual and not 1 / factor < given / usual < factor:
            yield Remark(
                "P601",
                Severity.WARNING,
                place,
                note("protocol.p601", given=given, usual=usual, unit=limit.unit),
                note("protocol.p601_advice", unit=limit.unit, example=EXAMPLES.get(limit.unit, "")),
            )


def find_implausible_sensor_values(draft: Draft) -> Iterator[Remark]:
    """Rates, sizes and distances must be plausible."""
    for name, sensor in draft.protocol.sensors.items():
        for key, asked in RANGES.items():
            value, (low, high) = getattr(sensor, key), draft.numbers[asked]
            if value is not None and not low <= value <= high:
                yield Remark(
                    "P602",
                    Severity.WARNING,
                    f"sensors.{name}",
                    note("protocol.p602", key=key, value=value, low=low, high=high),
                    note("protocol.p602_advice"),
                )
    for name, viewpoint in draft.protocol.viewpoints.items():
        farthest = max(map(abs, viewpoint.position_m or (0.0,)))
        if farthest > draft.numbers.number("camera_farthest_m"):
            yield Remark(
                "P602",
                Severity.WARNING,
                f"viewpoints.{name}",
                note("protocol.p602_camera", farthest_m=farthest),
                note("protocol.p602_camera_advice"),
            )


def find_limits_loosened_without_reason(draft: Draft) -> Iterator[Remark]:
    """A limit that admits more than the shipped one admits data that others would refuse, so it needs a reason."""
    for name, row in get_check_tables(draft.own).items():
        limit, usual = draft.protocol.limits[name], draft.shipped.limits[name]
        if _is_looser(limit, usual):
            founded = {"why", "source"} <= set(row)
            yield Remark(
                "P603",
                Severity.HINT if founded else Severity.WARNING,
                f"check.{name}",
                note("protocol.p603", limit=str(limit), usual=str(usual)),
                note("protocol.p603_founded") if founded else note("protocol.p603_advice"),
            )
        if usual.required and not limit.required:
            yield Remark(
                "P603",
                Severity.WARNING,
                f"check.{name}",
                note("protocol.p603_required"),
                note("protocol.p603_required_advice"),
            )


def _is_looser(limit: Limit, usual: Limit) -> bool:
    low = usual.minimum is not None and (limit.minimum is None or limit.minimum < usual.minimum)
    high = usual.maximum is not None and (limit.maximum is None or limit.maximum > usual.maximum)
    return low or high


def find_limits_without_check(draft: Draft) -> Iterator[Remark]:
    """A limit whose check does not exist has no effect yet."""
    for name in get_check_tables(draft.own):
        if draft.protocol.limits[name].pending:
            yield Remark(
                "P604",
                Severity.WARNING,
                f"check.{name}",
                note("protocol.p604"),
                note("protocol.p604_advice"),
            )


def find_changed_numbers_with_shipped_reason(draft: Draft) -> Iterator[Remark]:
    """A number that differs from the shipped one cannot have the shipped one's reason."""
    rows: list[tuple[str, Mapping[str, Any]]] = [(f"check.{n}", row) for n, row in get_check_tables(draft.own).items()]
    rows += [(f"{place}.{KEY}.{name}", one) for place, row in tuple(rows) for name, one in row.get(KEY, {}).items()]
    rows += [
        (f"{part}.{key}", row)
        for part in SETTINGS
        for key, row in draft.own.get(part, {}).items()
        if isinstance(row.get("value"), int | float) and not isinstance(row.get("value"), bool)
    ]
    for place, row in rows:
        if {"min", "max", "value"} & set(row) and not {"why", "source"} <= set(row):
            yield Remark(
                "P605",
                Severity.HINT,
                place,
                note("protocol.p605"),
                note("protocol.p605_advice"),
            )


RULES: tuple[Rule, ...] = (
    find_numbers_in_wrong_unit,
    find_implausible_sensor_values,
    find_limits_loosened_without_reason,
    find_limits_without_check,
    find_changed_numbers_with_shipped_reason,
)
