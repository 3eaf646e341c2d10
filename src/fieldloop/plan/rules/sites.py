"""One primary site with most of the data, and for each further site a set that covers what is specific to it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.plan import Demand, Quota, QuotaKind, SiteSet
from fieldloop.plan.rules.minimums import MINIMUM
from fieldloop.plan.strata import Table
from fieldloop.protocol import Section

SITE = "site"


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What the table knows of one site: share, attempts, and the demonstrations that show each deployed condition."""

    share: float
    attempts: float
    shown: dict[Condition, int]


def site_facts(table: Table) -> dict[str, SiteFacts]:
    """Sum the table up by site; empty where the map does not speak of sites."""
    if SITE not in table.factors:
        return {}
    at = table.factors.index(SITE)
    names, here = table.levels[at], table.codes[:, at].astype(np.int64)
    share = np.bincount(here, table.exposure, len(names))
    attempts = np.bincount(here, table.attempts, len(names))
    shown: list[dict[Condition, int]] = [{} for _ in names]
    for factor, levels, codes in zip(table.factors, table.levels, table.codes.T, strict=True):
        cells, size = here * len(levels) + codes, len(names) * len(levels)
        deployed = np.bincount(cells, table.exposure, size) > 0.0
        counts = np.bincount(cells, table.demonstrations, size)
        for cell in np.flatnonzero(deployed).tolist():
            site, level = divmod(cell, len(levels))
            if level:  # 0 is a factor that the stratum does not speak of
                shown[site][Condition(factor, levels[level])] = int(counts[cell])
    return {
        name: SiteFacts(float(share[k]), float(attempts[k]), shown[k])
        for k, name in enumerate(names)
        if name and share[k] > 0.0
    }


def primary_of(shares: Mapping[str, float], settings: Section) -> str:
    """The site that the settings name, else the one with the largest share of production; '' without sites."""
    named = str(settings["primary_site"])
    if named and named not in shares:
        raise UnknownName("site of the map (plan.primary_site)", named, shares, ", ".join(sorted(shares)))
    return named or max(sorted(shares), key=lambda site: round(shares[site], 9), default="")


def site_sets(table: Table, quotas: Sequence[Quota], settings: Section) -> tuple[SiteSet, ...]:
    """What each site needs, has and is promised, the primary first; a set must be complete before go-live."""
    facts = site_facts(table)
    primary, each = _primary(facts, settings), int(settings.number("fine_tuning_demonstrations"))
    planned: dict[str, int] = defaultdict(int)
    for quota in quotas:
        if quota.kind is not QuotaKind.SIMULATION:
            planned[quota.stratum.level(SITE) or ""] += quota.demonstrations
    made = []
    for site in sorted(facts, key=lambda s: (s != primary, -facts[s].share, s)):
        shown = facts[site].shown
        asked = [] if site == primary else _asked(site, facts, primary)
        lacking = {c: each - shown[c] for c in asked if shown[c] < each}
        made.append(
            SiteSet(
                site=site,
                share=facts[site].share,
                primary=site == primary,
                specific=tuple(str(c) for c in asked if c.factor != SITE),
                needed=each * len(asked),
                have=sum(min(each, shown[c]) for c in asked),
                planned=planned[site],
                complete=not lacking,
                message=_message(site, primary, lacking),
            )
        )
    return tuple(made)


def fine_tuning_demands(table: Table, budget: float, settings: Section) -> Iterator[Demand]:
    """Ask for what the sets of sites that are not yet at work lack, within their part of the budget, largest first.

    A site whose robots already work is served by where production fails, as any other.
    """
    left = int(settings.number("fine_tuning_share") * budget)
    facts = site_facts(table)
    primary, each = _primary(facts, settings), int(settings.number("fine_tuning_demonstrations"))
    for site in sorted(facts, key=lambda s: (-facts[s].share, s)):
        if site == primary or facts[site].attempts:
            continue
        promised = 0
        for condition in _asked(site, facts, primary):
            # whatever shows what is specific shows the site as well
            lacking = each - facts[site].shown[condition] - (promised if condition.factor == SITE else 0)
            amount = min(left, lacking)
            if amount <= 0:
                continue
            left -= amount
            promised += amount
            stratum = Stratum(tuple(sorted({Condition(SITE, site), condition})))
            why = f"{site} is not at work yet, and its set must show {condition} {each} times before it is"
            yield Demand(f"{MINIMUM}{stratum}", stratum, amount, why, f"the fine-tuning set of {site}")


def _primary(facts: dict[str, SiteFacts], settings: Section) -> str:
    return primary_of({site: fact.share for site, fact in facts.items()}, settings)


def _asked(site: str, facts: dict[str, SiteFacts], primary: str) -> list[Condition]:
    """What a further site's set must show: each condition that the primary site lacks, and last the site itself."""
    specific = set(facts[site].shown) - set(facts[primary].shown)
    return sorted(specific, key=lambda c: (c.factor == SITE, c))


def _message(site: str, primary: str, lacking: dict[Condition, int]) -> str:
    if site == primary:
        return f"{site} is the primary site; what is general is collected here."
    if not lacking:
        return f"The set of {site} is complete; gate it there before its robots work."
    listed = ", ".join(f"{count} of {condition}" for condition, count in lacking.items())
    return f"The set of {site} lacks {listed}: no go-live before it is complete and gated there."
