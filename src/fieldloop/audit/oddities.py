"""Values of a map that are possible but unusual: reported, never refused."""

from collections.abc import Iterator, Sequence

from fieldloop.audit.units import find_exceeded_usual_range
from fieldloop.model.deployment import Deployment, Site, Sku
from fieldloop.model.note import Note, Value, note
from fieldloop.protocol import Section


def list_unusual_values(deployment: Deployment, settings: Section) -> tuple[Note, ...]:
    """Name what is possible but unusual: a catalogue without tiers, a hot hall, a very heavy article."""
    return tuple(_find_unusual_values(deployment, settings))


def _find_unusual_values(deployment: Deployment, settings: Section) -> Iterator[Note]:
    if not deployment.skus:
        yield note("audit.no_catalogue")
    elif not any(sku.tier for sku in deployment.skus):
        yield note("audit.no_velocity")
    if deployment.target_cycle_s is not None:
        target = deployment.target_cycle_s
        yield from _note_unusual_value("", "target_cycle_s", target, "target_cycle_s", (target,), settings)
    for site in deployment.sites:
        yield from _find_unusual_site_values(site, settings)
    yield from _find_unusual_edge_cases(deployment, settings)
    longest = [(sku, max(sku.size_m)) for sku in deployment.skus if sku.size_m is not None]
    yield from _find_unusual_articles("length_m, width_m, height_m", "article_side_m", longest, settings)
    heavy = [(sku, sku.mass_kg) for sku in deployment.skus if sku.mass_kg is not None]
    yield from _find_unusual_articles("mass_kg", "mass_kg", heavy, settings)


def _find_unusual_site_values(site: Site, settings: Section) -> Iterator[Note]:
    for container in site.containers:
        length, width, height = container.size_m
        size = note("audit.size", length_m=length, width_m=width, height_m=height)
        yield from _note_unusual_value(site.id, f"bin {container.name}", size, "bin_side_m", container.size_m, settings)
    for zone in site.zones:
        at = f"{site.id}/{zone.name}"
        if zone.ceiling_m is not None:
            yield from _note_unusual_value(at, "ceiling_m", zone.ceiling_m, "ceiling_m", (zone.ceiling_m,), settings)
        for quantity in ("temperature_c", "humidity_percent", "lux"):
            for _, stated in zone.list_ranges(quantity):
                value = note("audit.range", low=stated.low, high=stated.high, unit=stated.unit)
                # being dry or dark for a moment is normal: only the top of the range is checked
                ends = (stated.high,) if quantity != "temperature_c" else (stated.low, stated.high)
                yield from _note_unusual_value(at, quantity, value, quantity, ends, settings)


def _find_unusual_edge_cases(deployment: Deployment, settings: Section) -> Iterator[Note]:
    weekly = sum(sku.picks_per_week for sku in deployment.skus)
    for case in deployment.edge_cases:
        if 0.0 < weekly < case.per_week:
            yield note("audit.edge_case_too_frequent", name=case.name, per_week=case.per_week, picks_per_week=weekly)
        else:
            what, per_week = f"edge case '{case.name}'", case.per_week
            yield from _note_unusual_value("", what, per_week, "picks_per_week", (per_week,), settings)


def _find_unusual_articles(
    columns: str, quantity: str, values: Sequence[tuple[Sku, float]], settings: Section
) -> Iterator[Note]:
    odd = [(sku, value) for sku, value in values if find_exceeded_usual_range(quantity, (value,), settings)]
    if odd:
        sku, value = max(odd, key=lambda pair: pair[1])
        low, high, unit = find_exceeded_usual_range(quantity, (value,), settings) or (value, value, "")
        yield note(
            "audit.unusual_articles", columns=columns, count=len(odd), all=len(values), sku=sku.id, value=value,
            low=low, high=high, unit=unit,
        )  # fmt: skip


def _note_unusual_value(
    place: str, what: str, value: Value, quantity: str, ends: Sequence[float], settings: Section
) -> Iterator[Note]:
    if usual := find_exceeded_usual_range(quantity, ends, settings):
        low, high, unit = usual
        yield note("audit.unusual", place=place, what=what, value=value, low=low, high=high, unit=unit)
