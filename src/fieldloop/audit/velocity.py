"""Make a catalogue with velocity from order lines and an item master."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fieldloop.audit.catalogue import COLUMNS, assign_tiers
from fieldloop.audit.order_lines import OrderLines
from fieldloop.model.deployment import Sku
from fieldloop.protocol import Section


def make_catalogue(counted: OrderLines, master: Mapping[str, Sku], settings: Section) -> tuple[Sku, ...]:
    """Return every article of the lines or the master with its picks a week, most picked first."""
    skus = []
    for name in {**counted.picks, **master}:
        by_site = {site: picks / counted.weeks for site, picks in counted.picks.get(name, {}).items()}
        sites = tuple(sorted((site, picks) for site, picks in by_site.items() if site))
        known = master.get(name) or Sku(name, 0.0)
        skus.append(replace(known, picks_per_week=sum(by_site.values()), by_site=sites))
    return tuple(sorted(assign_tiers(skus, settings), key=lambda sku: (-sku.picks_per_week, sku.id)))


def write_catalogue_csv(skus: Sequence[Sku]) -> str:
    """Write a catalogue as CSV, as `read_catalogue` reads it: one row per article, or per article and site."""
    sites = [site for sku in skus for site, _ in sku.by_site]
    unpicked, sited = tuple((site, 0.0) for site in sites[:1]), bool(sites)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name in COLUMNS if sited or name != "site"])
    for sku in skus:
        rest = _format_attributes(sku)
        for site, picks in (sku.by_site or unpicked) if sited else (("", sku.picks_per_week),):
            writer.writerow([sku.id, f"{picks:.6g}", *([site] if sited else []), *rest])
    return out.getvalue()


def _format_attributes(sku: Sku) -> list[str]:
    size = [f"{side:g}" for side in sku.size_m] if sku.size_m else ["", "", ""]
    deformable = "" if sku.deformable is None else "yes" if sku.deformable else "no"
    return ["" if sku.mass_kg is None else f"{sku.mass_kg:g}", *size, sku.packaging, deformable, sku.texture]
