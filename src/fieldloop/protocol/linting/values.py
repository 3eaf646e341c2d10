"""Are the numbers plausible in their unit, no looser than shipped, and founded?"""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldloop.protocol.collection import SETTINGS, checks_of
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.number import Limit

EXAMPLES = {"m": "15 cm is 0.15 m.", "s": "200 ms is 0.2 s.", "rad/s": "90° a second is 1.57 rad/s."}
RANGES = {"hz": "sensor_hz", "width": "picture_px", "height": "picture_px"}
"""What is asked of a sensor, and the setting that says what a robot's sensor can have."""


def unit_smells(draft: Draft) -> Iterator[Remark]:
    """A number far from the shipped one was probably meant in another unit."""
    factor = draft.numbers.number("unit_factor")
    for name in checks_of(draft.own):
        yield from _smell(f"check.{name}", draft.protocol.limits[name], draft.shipped.limits[name], factor)
    for name, interface in draft.protocol.interfaces.items():
        shipped = draft.shipped.interfaces.get(name)
        for limited, limit in interface.limits.items():
            if shipped and limited in shipped.limits:
                yield from _smell(f"interface.{name}.limits.{limited}", limit, shipped.limits[limited], factor)


def _smell(place: str, limit: Limit, shipped: Limit, factor: float) -> Iterator[Remark]:
    for given, usual in ((limit.minimum, shipped.minimum), (limit.maximum, shipped.maximum)):
        if given and usual and not 1 / factor < given / usual < factor:
            yield Remark(
                "P601", Severity.WARNING, place, f"{given:g} {limit.unit} where {usual:g} {limit.unit} is usual.",
                f"Is it in {limit.unit}? {EXAMPLES.get(limit.unit, '')}".rstrip(),
            )  # fmt: skip


def sensor_smells(draft: Draft) -> Iterator[Remark]:
    """Rates, sizes and distances that no robot has."""
    for name, sensor in draft.protocol.sensors.items():
        for key, asked in RANGES.items():
            value, (low, high) = getattr(sensor, key), draft.numbers[asked]
            if value is not None and not low <= value <= high:
                yield Remark(
                    "P602", Severity.WARNING, f"sensors.{name}", f"{key} = {value:g} is outside {low:g} to {high:g}.",
                    "Look at the unit.",
                )  # fmt: skip
    for name, viewpoint in draft.protocol.viewpoints.items():
        farthest = max(map(abs, viewpoint.position_m or (0.0,)))
        if farthest > draft.numbers.number("camera_farthest_m"):
            yield Remark(
                "P602", Severity.WARNING, f"viewpoints.{name}", f"The camera stands {farthest:g} m away.",
                "position_m is in metres.",
            )  # fmt: skip


def loosened(draft: Draft) -> Iterator[Remark]:
    """A limit that admits more than the shipped one lets data in that others would refuse: say why."""
    for name, row in checks_of(draft.own).items():
        limit, usual = draft.protocol.limits[name], draft.shipped.limits[name]
        if _is_looser(limit, usual):
            founded = {"why", "source"} <= set(row)
            yield Remark(
                "P603", Severity.HINT if founded else Severity.WARNING, f"check.{name}",
                f"Looser than shipped: {limit} instead of {usual}.",
                "Its own reason is given: make sure that it holds." if founded else "Say why, and where it comes from.",
            )  # fmt: skip
        if usual.required and not limit.required:
            yield Remark(
                "P603", Severity.WARNING, f"check.{name}", "The shipped protocol requires an answer, this does not.",
                "Remove required = false, or say why.",
            )  # fmt: skip


def _is_looser(limit: Limit, usual: Limit) -> bool:
    low = usual.minimum is not None and (limit.minimum is None or limit.minimum < usual.minimum)
    high = usual.maximum is not None and (limit.maximum is None or limit.maximum > usual.maximum)
    return low or high


def pending(draft: Draft) -> Iterator[Remark]:
    """A limit whose check is not built judges nothing yet."""
    for name in checks_of(draft.own):
        if draft.protocol.limits[name].pending:
            yield Remark(
                "P604", Severity.WARNING, f"check.{name}", "This check is not built yet: the limit judges nothing.",
                "Keep it for later, but do not rely on it.",
            )  # fmt: skip


def unfounded(draft: Draft) -> Iterator[Remark]:
    """A number that differs from the shipped one cannot have the shipped one's reason."""
    rows: list[tuple[str, Mapping[str, Any]]] = [(f"check.{n}", row) for n, row in checks_of(draft.own).items()]
    rows += [
        (f"{part}.{key}", row)
        for part in SETTINGS
        for key, row in draft.own.get(part, {}).items()
        if isinstance(row.get("value"), int | float) and not isinstance(row.get("value"), bool)
    ]
    for place, row in rows:
        if {"min", "max", "value"} & set(row) and not {"why", "source"} <= set(row):
            yield Remark(
                "P605", Severity.HINT, place, "The number is changed, its reason and source are the shipped ones.",
                'Add why = "…" and source = { kind = "…", ref = "…" }.',
            )  # fmt: skip


RULES: tuple[Rule, ...] = (unit_smells, sensor_smells, loosened, pending, unfounded)
