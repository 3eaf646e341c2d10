"""Read the map of a deployment: sites, zones, light, bins, people, edge cases, and the catalogue beside it."""

import tomllib
from zoneinfo import ZoneInfo

from fieldloop.audit.catalogue import read_catalogue
from fieldloop.audit.exposure import expose
from fieldloop.audit.row import Row, lines_of
from fieldloop.errors import BadInput
from fieldloop.model.deployment import BinConfiguration, Deployment, EdgeCase, Range, Site, Zone
from fieldloop.protocol import Section

SITE_KEYS = ("id", "share", "time_zone", "camera_mounts", "people_bands", "lighting", "bins", "zone")
ZONE_KEYS = ("name", "floor", "temperature_c", "humidity_percent", "lux")
HEAD_KEYS = ("id", "task", "target_cycle_s", "label_standard", "synchronisation")
EDGE_KEYS = ("name", "per_week", "failure_rate")
MAP = "map.toml"


def parse(
    map_text: str, skus_text: str, settings: Section, *, map_file: str = MAP, skus_file: str = "skus.csv"
) -> Deployment:
    """Read a deployment from its map and its catalogue; what cannot be used is named with its place."""
    top = _load(map_text, map_file)
    top.refuse_unknown(("deployment", "site", "edge_case"))
    head = _head(top)
    tolerance = settings.number("share_tolerance")
    sites = tuple(_site(row, tolerance) for row in top.rows("site"))
    _check_sites(top, sites, tolerance)
    skus = read_catalogue(skus_text, settings, skus_file)
    return Deployment(
        id=head.text("id"),
        task=head.text("task"),
        sites=sites,
        skus=skus,
        edge_cases=_edge_cases(top),
        target_cycle_s=head.number("target_cycle_s", low=0.0),
        label_standard=head.text("label_standard", ""),
        synchronisation=head.text("synchronisation", ""),
        exposures=expose(sites, skus),
    )


def _load(text: str, file: str) -> Row:
    try:
        return Row(tomllib.loads(text.removeprefix("\ufeff")), file, (), lines_of(text))
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file} is not valid TOML: {wrong}.") from wrong


def _head(top: Row) -> Row:
    raw = top.values.get("deployment")
    if not isinstance(raw, dict):
        raise BadInput(f"{top.file}: the table [deployment] with id and task is missing; begin the file with it.")
    head = Row(raw, top.file, ("deployment",), top.lines)
    head.refuse_unknown(HEAD_KEYS)
    return head


def _site(row: Row, tolerance: float) -> Site:
    row.refuse_unknown(SITE_KEYS)
    share = row.number("share", low=0.0, high=1.0)
    if share is None:
        row.refuse("share", "share is missing; say which share of all picks happens here, such as share = 0.5.")
    bands = row.values.get("people_bands", {})
    if not isinstance(bands, dict) or not all(isinstance(v, str) for v in bands.values()):
        row.refuse("people_bands", 'people_bands should be a table of texts such as { hand_size = "160-200 mm" }.')
    return Site(
        id=row.text("id"),
        share=share,
        time_zone=_time_zone(row),
        zones=tuple(_zone(zone) for zone in row.rows("zone")),
        lighting=tuple(row.shares("lighting", tolerance).items()),
        bins=tuple(BinConfiguration(name, share) for name, share in row.shares("bins", tolerance).items()),
        people_bands=tuple(bands.items()),
        camera_mounts=row.texts("camera_mounts"),
    )


def _time_zone(row: Row) -> str:
    name = row.text("time_zone", "UTC")
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        row.refuse("time_zone", f'time_zone = {name!r} is no IANA zone; write one such as "Europe/Berlin".')
    return name


def _zone(row: Row) -> Zone:
    row.refuse_unknown(ZONE_KEYS)
    temperature, humidity = row.span("temperature_c"), row.span("humidity_percent")
    if humidity and not 0.0 <= humidity[0] <= humidity[1] <= 100.0:  # noqa: PLR2004 - percent
        row.refuse("humidity_percent", f"humidity_percent = {list(humidity)} should lie between 0 and 100.")
    lux = row.spans("lux")
    for shift, (low, _) in lux.items():
        if low < 0.0:
            row.refuse("lux", f"lux.{shift} begins at {low:g}; light is never negative.")
    return Zone(
        name=row.text("name"),
        lux_by_shift=tuple((shift, Range(*span, "lx")) for shift, span in lux.items()),
        floor=row.text("floor", ""),
        temperature=Range(*temperature, "°C") if temperature else None,
        humidity=Range(*humidity, "%") if humidity else None,
    )


def _edge_cases(top: Row) -> tuple[EdgeCase, ...]:
    cases = []
    for row in top.rows("edge_case"):
        row.refuse_unknown(EDGE_KEYS)
        per_week = row.number("per_week", low=0.0)
        if per_week is None:
            row.refuse("per_week", "per_week is missing; say how often this happens in a normal working week.")
        cases.append(EdgeCase(row.text("name"), per_week, row.number("failure_rate", low=0.0, high=1.0)))
    return tuple(cases)


def _check_sites(top: Row, sites: tuple[Site, ...], tolerance: float) -> None:
    if not sites:
        raise BadInput(f"{top.file}: no [[site]] is given; a deployment needs at least one real facility.")
    for row, site in zip(top.rows("site"), sites, strict=True):
        if sum(other.id == site.id for other in sites) > 1:
            row.refuse("id", f"the site {site.id!r} is given twice; every facility has one [[site]].")
    total = sum(site.share for site in sites)
    if abs(total - 1.0) > tolerance:
        listed = ", ".join(f"{site.id} = {site.share:g}" for site in sites)
        top.rows("site")[0].refuse("share", f"the shares of all sites add up to {total:g}, not to 1: {listed}.")
