"""Read a deployment map: its head, sites and edge cases, and the catalogue."""

import tomllib

from fieldloop.audit.catalogue import read_catalogue
from fieldloop.audit.row import Row, find_line_numbers
from fieldloop.audit.site_file import read_site
from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.deployment import Deployment, EdgeCase, Site, Sku
from fieldloop.protocol import Section

HEAD_KEYS = (
    "id", "task", "target_cycle_s", "label_standard", "min_agreement", "synchronisation", "max_offset_ms",
    "verified_by",
)  # fmt: skip
EDGE_KEYS = ("name", "per_week", "failure_rate")
MAP = "deployment.toml"


def parse_deployment_map(
    map_text: str, skus_text: str, settings: Section, *, map_file: str = MAP, skus_file: str = "skus.csv"
) -> Deployment:
    """Read a deployment from its map and its catalogue; errors name the place."""
    top = _parse_toml_file(map_text, map_file)
    top.refuse_unknown(("deployment", "site", "edge_case"))
    head = _read_head(top)
    sites = tuple(read_site(row, settings) for row in top.read_rows("site"))
    _check_site_shares(top, sites, settings.number("share_tolerance"))
    skus = read_catalogue(skus_text, settings, skus_file)
    _check_article_sites(skus, sites, skus_file)
    return Deployment(
        id=head.read_text("id"),
        task=head.read_text("task"),
        sites=sites,
        skus=skus,
        edge_cases=_read_edge_cases(top, settings),
        target_cycle_s=_read_target_cycle_s(head, settings),
        label_standard=head.read_text("label_standard", ""),
        synchronisation=head.read_text("synchronisation", ""),
        max_offset_ms=head.read_number("max_offset_ms", low=0.0),
        verified_by=head.read_text("verified_by", ""),
        min_agreement=head.read_number("min_agreement", low=0.0, high=1.0),
    )


def _parse_toml_file(text: str, file: str) -> Row:
    try:
        return Row(tomllib.loads(text.removeprefix("\ufeff")), file, (), find_line_numbers(text))
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file} is not valid TOML: {wrong}.") from wrong


def _read_head(top: Row) -> Row:
    raw = top.values.get("deployment")
    if not isinstance(raw, dict):
        raise BadInput(
            f"{top.file}: the table [deployment] with id and task is missing; write it at the top of the file."
        )
    head = Row(raw, top.file, ("deployment",), top.lines)
    head.refuse_unknown(HEAD_KEYS)
    return head


def _read_target_cycle_s(head: Row, settings: Section) -> float | None:
    target = head.read_number("target_cycle_s", low=0.0)
    if target is not None:
        head.refuse_impossible("target_cycle_s", "target_cycle_s", (target,), settings)
    return target


def _read_edge_cases(top: Row, settings: Section) -> tuple[EdgeCase, ...]:
    cases: dict[str, EdgeCase] = {}
    for row in top.read_rows("edge_case"):
        row.refuse_unknown(EDGE_KEYS)
        name, per_week = row.read_text("name"), row.read_number("per_week", low=0.0)
        if per_week is None:
            row.refuse_value("per_week", "per_week is missing; write how often this happens in a normal working week.")
        row.refuse_impossible("per_week", "picks_per_week", (per_week,), settings)
        if name in cases:
            row.refuse_value("name", f"the edge case {name!r} is given twice; add the two into one.")
        cases[name] = EdgeCase(name, per_week, row.read_number("failure_rate", low=0.0, high=1.0))
    return tuple(cases.values())


def _check_site_shares(top: Row, sites: tuple[Site, ...], tolerance: float) -> None:
    if not sites:
        raise BadInput(f"{top.file}: the map has no [[site]]; describe at least one facility.")
    for row, site in zip(top.read_rows("site"), sites, strict=True):
        if sum(other.id == site.id for other in sites) > 1:
            row.refuse_value("id", f"the site {site.id!r} is given twice; every facility has one [[site]].")
    total = sum(site.share for site in sites)
    if abs(total - 1.0) > tolerance:
        listed = ", ".join(f"{site.id} = {site.share:g}" for site in sites)
        top.read_rows("site")[0].refuse_value(
            "share", f"the shares of all sites add up to {total:g}, not to 1: {listed}."
        )


def _check_article_sites(skus: tuple[Sku, ...], sites: tuple[Site, ...], file: str) -> None:
    known = [site.id for site in sites]
    for sku in skus:
        for name, _ in sku.by_site:
            if name not in known:
                raise BadInput(
                    f"{file}: the article {sku.id!r} is picked at {name!r}. {UnknownName('site', name, known)}"
                )
