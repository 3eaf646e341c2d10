"""Read one facility from the map: its zones, bins, people, cameras and further factors."""

import math
from dataclasses import replace
from zoneinfo import ZoneInfo

from fieldloop.audit.people import read_people_bands, read_people_count, read_people_shares
from fieldloop.audit.row import Row
from fieldloop.model.deployment import BinConfiguration, Container, Range, Site, Zone
from fieldloop.protocol import Section

RANGES = {
    "light_angle_deg": ("°", 0.0, 360.0),
    "dust_mg_m3": ("mg/m³", 0.0, math.inf),
    "vibration_m_s2": ("m/s²", 0.0, math.inf),
    "noise_db": ("dB", 0.0, math.inf),
    "objects_per_bin": ("objects", 0.0, math.inf),
}
"""Further quantities of a zone: unit, and physical bounds."""

ABSOLUTE_ZERO_C = -273.15  # nothing is colder
SITE_KEYS = (
    "id", "share", "time_zone", "camera_mounts", "people_bands", "people", "people_count", "lighting", "bins",
    "bin_sizes_m", "shelving", "factors", "zone",
)  # fmt: skip
UNKNOWN = "unknown"
"""What a map states for a quantity that no one has measured."""
MAY_BE_UNKNOWN = ("temperature_c", "humidity_percent", "lux", "ceiling_m", *RANGES)
ZONE_KEYS = ("name", "share", "lighting", "floor", "transitions", "layout", *MAY_BE_UNKNOWN)
OWN_PLACE = {
    "site": "[[site]] id",
    "tier": "skus.csv, from velocity",
    "bin": "bins of the site",
    "lighting": "lighting of the site",
    "sku": "skus.csv",
}
"""Factors that the map states elsewhere."""


def read_site(row: Row, settings: Section) -> Site:
    """Read one [[site]]; everything but its id and share may be left out."""
    row.refuse_unknown(SITE_KEYS)
    tolerance = settings.number("share_tolerance")
    share = row.read_number("share", low=0.0, high=1.0)
    if share is None:
        row.refuse_value("share", "share is missing; write the share of all picks at this site, such as share = 0.5.")
    return Site(
        id=_read_id(row),
        share=share,
        time_zone=_read_time_zone(row),
        zones=_read_zones(row, settings),
        lighting=tuple(row.read_shares("lighting", tolerance).items()),
        bins=tuple(BinConfiguration(name, share) for name, share in row.read_shares("bins", tolerance).items()),
        people_bands=read_people_bands(row),
        camera_mounts=row.read_texts("camera_mounts"),
        factors=_read_factors(row, tolerance),
        people=read_people_shares(row, tolerance, settings.number("min_cell_people")),
        people_count=read_people_count(row),
        containers=_read_containers(row, settings),
        shelving=row.read_text("shelving", ""),
    )


def _read_id(row: Row) -> str:
    name = row.read_text("id")
    row.refuse_separators_in_name("id", name)
    return name


def _read_time_zone(row: Row) -> str:
    name = row.read_text("time_zone", "UTC")
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        row.refuse_value(
            "time_zone", f'time_zone = {name!r} is not an IANA time zone; write one such as "Europe/Berlin".'
        )
    return name


def _read_factors(row: Row, tolerance: float) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    factors = []
    for factor, table in row.read_named_rows("factors").items():
        table.refuse_separators_in_name("factors", factor)
        if factor in OWN_PLACE:
            table.refuse_value(factor, f"{factor!r} is stated elsewhere: {OWN_PLACE[factor]}; remove it from factors.")
        factors.append((factor, tuple(table.read_shares(factor, tolerance).items())))
    return tuple(factors)


def _read_containers(row: Row, settings: Section) -> tuple[Container, ...]:
    sizes = row.read_sizes("bin_sizes_m")
    for name, size in sizes.items():
        row.refuse_impossible(f"bin_sizes_m.{name}", "bin_side_m", size, settings)
    return tuple(Container(name, size) for name, size in sizes.items())


def _read_zones(row: Row, settings: Section) -> tuple[Zone, ...]:
    zones: dict[str, Zone] = {}
    for inner in row.read_rows("zone"):
        zone = _read_zone(inner, settings)
        if zone.name in zones:
            inner.refuse_value("name", f"the zone {zone.name!r} is given twice; every zone has one [[site.zone]].")
        zones[zone.name] = zone
    _check_zone_shares(row, tuple(zones.values()), settings.number("share_tolerance"))
    return tuple(zones.values())


def _check_zone_shares(row: Row, zones: tuple[Zone, ...], tolerance: float) -> None:
    given = [zone.share for zone in zones if zone.share is not None]
    if not given:
        return
    if len(given) < len(zones):
        without = next(zone.name for zone in zones if zone.share is None)
        row.refuse_value(
            "zone", f"the zone {without!r} has no share, but others have; give every zone of a site its share."
        )
    if abs(sum(given) - 1.0) > tolerance:
        row.refuse_value("zone", f"the shares of the zones add up to {sum(given):g}, not to 1.")


def _read_zone(given: Row, settings: Section) -> Zone:
    given.refuse_unknown(ZONE_KEYS)
    unknown = tuple(key for key in MAY_BE_UNKNOWN if given.values.get(key) == UNKNOWN)
    if given.values.get("share") is not None:  # its name becomes a level of strata
        given.refuse_separators_in_name("name", given.read_text("name"))
    row = replace(given, values={key: value for key, value in given.values.items() if key not in unknown})
    temperature = row.read_span("temperature_c", low=ABSOLUTE_ZERO_C)
    humidity = row.read_span("humidity_percent", 0.0, 100.0)
    lux = row.read_spans("lux")
    for shift, (low, _) in lux.items():
        if low < 0.0:
            row.refuse_value("lux", f"lux.{shift} begins at {low:g}; light is never negative.")
    ceiling = row.read_number("ceiling_m", low=0.0)
    for key, quantity, values in (
        ("temperature_c", "temperature_c", temperature),
        ("humidity_percent", "humidity_percent", humidity),
        ("ceiling_m", "ceiling_m", None if ceiling is None else (ceiling,)),
        *((f"lux.{shift}", "lux", span) for shift, span in lux.items()),
    ):
        if values is not None:
            row.refuse_impossible(key, quantity, values, settings)
    further = {name: row.read_span(name, low, high) for name, (_, low, high) in RANGES.items()}
    return Zone(
        name=row.read_text("name"),
        lux_by_shift=tuple((shift, Range(*span, "lx")) for shift, span in lux.items()),
        floor=row.read_text("floor", ""),
        temperature=Range(*temperature, "°C") if temperature else None,
        humidity=Range(*humidity, "%") if humidity else None,
        transitions=row.read_texts("transitions"),
        ranges=tuple((name, Range(*span, RANGES[name][0])) for name, span in further.items() if span),
        ceiling_m=ceiling,
        layout=row.read_text("layout", ""),
        share=row.read_number("share", low=0.0, high=1.0),
        lighting=tuple(row.read_shares("lighting", settings.number("share_tolerance")).items()),
        unknown=unknown,
    )
