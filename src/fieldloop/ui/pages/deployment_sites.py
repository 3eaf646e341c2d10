"""The facilities of the map, for the Deployment page: sites side by side, their zones, their mixes."""

from fieldloop.model.deployment import Deployment, Range, Site
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_number, percent
from fieldloop.ui.components import Column, draw_empty_state, draw_meter, draw_panel, draw_table

NOT_GIVEN = "not given"
MOST_ROWS = 60


def draw_sites(deployment: Deployment) -> Markup:
    """Draw the sites with their people, bins and cameras."""
    rows = [
        (
            site.id,
            percent(site.share, 0),
            site.time_zone,
            _write_people_bands(site),
            ", ".join(f"{c.name} {' × '.join(format_number(side, 6) for side in c.size_m)} m" for c in site.containers)
            or NOT_GIVEN,
            site.shelving or NOT_GIVEN,
            "; ".join(site.camera_mounts) or NOT_GIVEN,
        )
        for site in deployment.sites
    ]
    columns = (
        "Site",
        Column("Share of picks", "num"),
        "Time zone",
        Column("People", "text"),
        Column("Bins", "text"),
        Column("Shelving", "text"),
        Column("Cameras", "text"),
    )
    target = (
        f"{format_number(deployment.target_cycle_s, 6)} s a pick"
        if deployment.target_cycle_s
        else "no target cycle time"
    )
    return draw_panel("Sites", draw_table(columns, rows), note=target, flush=True)


def draw_zones(deployment: Deployment) -> Markup:
    """Draw light, floor, air and room by zone."""
    rows = [
        (
            site.id,
            zone.name,
            ", ".join(f"{shift} {_format_range(lux)}" for shift, lux in zone.lux_by_shift) or NOT_GIVEN,
            "; ".join(part for part in (zone.floor, *zone.transitions) if part) or NOT_GIVEN,
            _format_range(zone.temperature),
            _format_range(zone.humidity),
            ", ".join(f"{name.replace('_', ' ')} {_format_range(span)}" for name, span in zone.ranges) or NOT_GIVEN,
            ", ".join(
                part
                for part in (f"ceiling {format_number(zone.ceiling_m, 6)} m" if zone.ceiling_m else "", zone.layout)
                if part
            )
            or NOT_GIVEN,
        )
        for site in deployment.sites
        for zone in site.zones
    ]
    if not rows:
        return draw_panel(
            "Zones",
            draw_empty_state(
                "No zone is described", "Describe light, floor and air of each zone under [[site.zone]] in the map."
            ),
        )
    columns = (
        "Site",
        "Zone",
        Column("Light by shift", "text"),
        Column("Floor", "text"),
        "Temperature",
        "Humidity",
        Column("Further", "text"),
        Column("Room", "text"),
    )
    return draw_panel("Zones", draw_table(columns, rows), flush=True)


def draw_mixes(deployment: Deployment) -> Markup:
    """Draw how a site's picks spread over the levels of each factor."""
    site_mixes = [
        (site.id, factor.replace("_", " "), level.replace("_", " "), draw_meter(share), percent(share, 0))
        for site in deployment.sites
        for factor, shares in deployment.get_mixes(site).items()
        for level, share in shares.items()
        if share > 0.0
    ]
    note = "within a site the factors are assumed independent"
    if deployment.measured:
        note = f"joint shares measured in production count {percent(deployment.measured_weight, 0)}"
    if len(site_mixes) > MOST_ROWS:
        note += f"; {MOST_ROWS} of {len(site_mixes)} shown, fieldloop audit --html draws all"
    columns = ("Site", "Factor", "Level", Column("", "slim"), Column("Share of the site's picks", "num"))
    return draw_panel("Exposure by factor", draw_table(columns, site_mixes[:MOST_ROWS]), note=note, flush=True)


def _write_people_bands(site: Site) -> str:
    bands = [
        f"{p.quantity}: {', '.join(f'{band} {percent(share, 0)}' for band, share in p.shares)}" for p in site.people
    ]
    bands += [f"{quantity}: {text}" for quantity, text in site.people_bands]
    return "; ".join(bands) or NOT_GIVEN


def _format_range(value_range: Range | None) -> str:
    return (
        NOT_GIVEN
        if value_range is None
        else f"{format_number(value_range.low)} to {format_number(value_range.high)} {value_range.unit}"
    )
