"""Everything the map claims that attempts can confirm or contradict, site by site."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from fieldloop.audit.claim import Band, Claim, compute_claim_band, make_mix_claim, make_rate_claim
from fieldloop.audit.evidence import Witness
from fieldloop.audit.units import OTHER_UNITS
from fieldloop.model.audit import ComparedBy
from fieldloop.model.deployment import Deployment, Range, Site, Zone
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section

CYCLE = "cycle_s"
OTHERS, UNKNOWN, OUTSIDE = "other articles", "not in the map", "outside the map's range"
MOST_NAMED = 3  # articles in one sentence


def list_claims(deployment: Deployment, seen: Sequence[Witness], settings: Section) -> Iterator[Claim]:
    """List every claim: the sites' shares, then of each site its mixes, articles, ranges; then edge cases and speed."""
    traffic = [w for w in seen if w.traffic]
    field = traffic or list(seen)
    why_not = None if traffic else note("audit.demonstrations_only")
    if len(deployment.sites) > 1:
        pairs = [(w.day, w.site or None) for w in field]
        shares = {site.id: site.share for site in deployment.sites}
        yield make_mix_claim("", "site", shares, pairs, settings, why_not=why_not)
    for site in deployment.sites:
        here = [w for w in seen if w.site == site.id]
        mixed = [w for w in here if w.traffic] if traffic else here
        for factor, mix in deployment.get_mixes(site).items():
            logged = [(w.day, w.levels.get(factor) or None) for w in mixed]
            yield make_mix_claim(site.id, factor, mix, logged, settings, why_not=why_not)
        if deployment.skus:
            yield _make_article_claim(deployment, site, mixed, settings, why_not)
        for fact in _list_site_quantities(site, here):
            yield _make_range_claim(site, fact, here, settings)
    yield from _make_edge_case_claims(deployment, traffic, settings)
    if deployment.target_cycle_s is not None:
        yield _make_cycle_time_claim(deployment.target_cycle_s, traffic, settings)


def _make_article_claim(
    deployment: Deployment, site: Site, mixed: Sequence[Witness], settings: Section, why_not: Note | None
) -> Claim:
    """Compare articles one by one where their share is notable, the rest together, and those missing from the map."""
    notable = settings.number("trifle_share")
    picks = deployment.get_picks_at(site.id)
    total = sum(picks.values()) or 1.0
    items = [w.item for w in mixed if w.item]
    often = {item for item in picks if picks[item] >= notable * total}
    shares = {item: picks[item] / total for item in picks if item in often}
    if any(picks[item] for item in picks if item not in often):
        shares[OTHERS] = 1.0 - sum(shares.values())

    def name_article_group(item: str) -> str:
        return item if item in often else OTHERS if item in picks else UNKNOWN

    remarks = tuple(_note_unseen_articles(picks, total, items))
    pairs = [(w.day, name_article_group(w.item) if w.item else None) for w in mixed]
    return make_mix_claim(site.id, "sku", shares, pairs, settings, why_not=why_not, remarks=remarks)


def _note_unseen_articles(picks: dict[str, float], total: float, items: Sequence[str]) -> Iterator[Note]:
    """Report articles of the map that were never seen, with what chance alone would miss, and those the map lacks."""
    if not items:
        return
    shares = np.array([p / total for p in picks.values()])
    unseen = [item for item in picks if item not in set(items)]
    if unseen:
        missed = sum(picks[item] for item in unseen) / total
        by_chance = float((shares * (1.0 - shares) ** len(items)).sum())
        yield note("audit.articles_never_seen", unseen=len(unseen), all=len(picks), share=missed, by_chance=by_chance)
    if unknown := [item for item in items if item not in picks]:
        kinds = sorted(set(unknown))
        more = (note("audit.more", more=len(kinds) - MOST_NAMED),) if len(kinds) > MOST_NAMED else ()
        yield note(
            "audit.articles_not_in_map", articles=(*kinds[:MOST_NAMED], *more), share=len(unknown) / len(items)
        )  # fmt: skip


def _list_site_quantities(site: Site, here: Sequence[Witness]) -> list[str]:
    """List the quantities that the map or the logs of a site give."""
    measured = {fact for w in here for fact in w.facts}
    names = ("lux", "temperature_c", "humidity_percent", *dict.fromkeys(n for z in site.zones for n, _ in z.ranges))
    return [name for name in names if name in measured or _collect_zone_ranges(site.zones, name, "")]


def _collect_zone_ranges(zones: Sequence[Zone], fact: str, shift: str) -> list[Range]:
    """Return the ranges that zones state for a quantity; for light, those of the shift where it is known."""
    stated = [one for zone in zones for one in zone.list_ranges(fact)]
    return [span for name, span in stated if name == shift] or [span for _, span in stated]


def _make_range_claim(site: Site, fact: str, here: Sequence[Witness], settings: Section) -> Claim:
    everywhere = _collect_zone_ranges(site.zones, fact, "")
    ranges = tuple(dict.fromkeys((r.low, r.high) for r in everywhere))
    stated = dict.fromkeys(note("audit.range", low=r.low, high=r.high, unit=r.unit) for r in everywhere)
    values = np.array([w.facts[fact] for w in here if fact in w.facts])
    held = lru_cache(maxsize=None)(partial(_find_ranges_of_zone, site, fact))
    outside = [not _is_inside(w.facts[fact], held(*_get_zone_and_shift(w))) if fact in w.facts else None for w in here]
    pairs = [(w.day, is_out) for w, is_out in zip(here, outside, strict=True)] if everywhere else []
    claim = make_rate_claim(fact, OUTSIDE, 0.0, (0.0, settings.number("outside_share")), pairs)
    return replace(
        claim,
        site=site.id,
        kind=ComparedBy.RANGE,
        stated=note("audit.ranges", ranges=tuple(stated)) if stated else None,
        remarks=tuple(_find_other_unit(fact, values, ranges)),
        span=_compute_central_interval(values, settings),
        ranges=ranges,
    )


def _find_ranges_of_zone(site: Site, fact: str, zone: str, shift: str) -> list[Range]:
    """Return the ranges of a zone and shift, or of the whole site where they are not known."""
    return _collect_zone_ranges([one for one in site.zones if one.name == zone] or site.zones, fact, shift)


def _get_zone_and_shift(witness: Witness) -> tuple[str, str]:
    return witness.levels.get("zone", ""), witness.levels.get("shift", "")


def _is_inside(value: float, ranges: Sequence[Range]) -> bool:
    return not ranges or any(r.low <= value <= r.high for r in ranges)


def _find_other_unit(fact: str, values: NDArray[np.float64], ranges: Sequence[tuple[float, float]]) -> Iterator[Note]:
    """Name another unit in which the values would fit, where they do not fit in the map's unit."""
    if not len(values) or not ranges:
        return
    middle = float(np.median(values))
    if any(low <= middle <= high for low, high in ranges):
        return
    tried = {unit: ours(middle) for unit, ours in OTHER_UNITS.get(fact, {}).items()}
    fits = [unit for unit, value in tried.items() if any(low <= value <= high for low, high in ranges)]
    if fits:
        yield note("audit.other_unit", unit=fits[0])


def _make_edge_case_claims(deployment: Deployment, traffic: Sequence[Witness], settings: Section) -> Iterator[Claim]:
    weekly = sum(sku.picks_per_week for sku in deployment.skus)
    for case in deployment.edge_cases:
        attempts = [w for w in traffic if w.scenario == case.name]
        if attempts and 0.0 < case.per_week <= weekly:  # a scenario that no attempt names may just not be logged
            share = case.per_week / weekly
            pairs = [(w.day, w.scenario == case.name) for w in traffic]
            what = f"edge case: {case.name}"
            yield make_rate_claim(what, "happens", share, compute_claim_band(share, settings), pairs)
        if attempts and case.failure_rate is not None:
            failed = [(w.day, None if w.succeeded is None else not w.succeeded) for w in attempts]
            what, rate = f"edge case: {case.name}, failures", case.failure_rate
            yield make_rate_claim(what, "fails", rate, compute_claim_band(rate, settings), failed)


def _make_cycle_time_claim(target_s: float, traffic: Sequence[Witness], settings: Section) -> Claim:
    """Compare the cycle time of successful picks with the target."""
    done = [w for w in traffic if w.succeeded]
    late = [(w.day, None if w.cycle_s is None else w.cycle_s > target_s) for w in done]
    claim = make_rate_claim(CYCLE, "slower than the target", 0.0, (0.0, settings.number("late_share")), late)
    times = np.array([w.cycle_s for w in done if w.cycle_s is not None])
    span, ranges = _compute_central_interval(times, settings), ((0.0, target_s),)
    stated = note("audit.range", low=0.0, high=target_s, unit="s")
    return replace(claim, kind=ComparedBy.RANGE, stated=stated, span=span, ranges=ranges)


def _compute_central_interval(values: NDArray[np.float64], settings: Section) -> Band | None:
    """Return the central interval of the values."""
    tail = (1.0 - settings.number("shown_share")) / 2
    return (float(np.quantile(values, tail)), float(np.quantile(values, 1.0 - tail))) if len(values) else None
