"""What a map says that can be true and seldom is: said once, never refused."""

from collections.abc import Iterator, Sequence

from fieldloop.audit.units import unusual
from fieldloop.model.deployment import Deployment, Site, Sku
from fieldloop.protocol import Section


def oddities(deployment: Deployment, settings: Section) -> tuple[str, ...]:
    """Name what is possible and unusual: a catalogue without tiers, a hot hall, a very heavy article."""
    return tuple(_odd(deployment, settings))


def _odd(deployment: Deployment, settings: Section) -> Iterator[str]:
    if not deployment.skus:
        yield "There is no skus.csv, so there are no tiers: all articles are planned for as one."
    elif not any(sku.tier for sku in deployment.skus):
        yield "Every article of skus.csv has a velocity of 0, so there are no tiers: all are planned for as one."
    if deployment.target_cycle_s is not None:
        target = f"target_cycle_s = {deployment.target_cycle_s:g}"
        yield from _said(target, "target_cycle_s", (deployment.target_cycle_s,), settings)
    for site in deployment.sites:
        yield from _of_site(site, settings)
    yield from _edge_cases(deployment, settings)
    longest = [(sku, max(sku.size_m)) for sku in deployment.skus if sku.size_m is not None]
    yield from _articles("length_m, width_m, height_m", "article_side_m", longest, settings)
    heavy = [(sku, sku.mass_kg) for sku in deployment.skus if sku.mass_kg is not None]
    yield from _articles("mass_kg", "mass_kg", heavy, settings)


def _of_site(site: Site, settings: Section) -> Iterator[str]:
    for container in site.containers:
        size = " × ".join(f"{side:g}" for side in container.size_m)
        yield from _said(f"{site.id}: the bin {container.name}, {size} m", "bin_side_m", container.size_m, settings)
    for zone in site.zones:
        at = f"{site.id}/{zone.name}"
        if zone.ceiling_m is not None:
            yield from _said(f"{at}: ceiling_m = {zone.ceiling_m:g}", "ceiling_m", (zone.ceiling_m,), settings)
        for quantity in ("temperature_c", "humidity_percent", "lux"):
            for _, stated in zone.ranges_of(quantity):
                written = f"{at}: {quantity} = [{stated.low:g}, {stated.high:g}]"
                # dry or dark for a moment is no news: the top of the range is what is usual there
                ends = (stated.high,) if quantity != "temperature_c" else (stated.low, stated.high)
                yield from _said(written, quantity, ends, settings)


def _edge_cases(deployment: Deployment, settings: Section) -> Iterator[str]:
    weekly = sum(sku.picks_per_week for sku in deployment.skus)
    for case in deployment.edge_cases:
        written = f"The edge case {case.name!r} happens {case.per_week:,g} times a week"
        if 0.0 < weekly < case.per_week:
            yield f"{written}, and all articles together are picked {weekly:,g} times; is it a year's count?"
        else:
            yield from _said(written, "picks_per_week", (case.per_week,), settings)


def _articles(columns: str, quantity: str, values: Sequence[tuple[Sku, float]], settings: Section) -> Iterator[str]:
    odd = [(sku, value) for sku, value in values if unusual(quantity, (value,), settings)]
    if odd:
        sku, value = max(odd, key=lambda one: one[1])
        of = f"{len(odd):,} of {len(values):,} articles" if len(odd) > 1 else "one article"
        yield from _said(f"{columns} of {of}, such as {sku.id} with {value:g}", quantity, (value,), settings)


def _said(written: str, quantity: str, values: Sequence[float], settings: Section) -> Iterator[str]:
    if usual := unusual(quantity, values, settings):
        yield f"{written}: {usual}."
