"""Demonstration sets by site: one primary site with most of the data, and a set for each further site."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.deployment import choose_primary_site
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Demand, Quota, QuotaKind, SiteSet
from fieldloop.plan.rules.minimums import MINIMUM, OWN
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section

SITE = "site"


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """Facts of one site: share, attempts, and the demonstrations of each deployed condition."""

    share: float
    attempts: float
    shown: dict[Condition, int]


def sum_table_by_site(table: Table) -> dict[str, SiteFacts]:
    """Sum the table by site; empty where the map has no sites."""
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
            if level:  # 0: the stratum does not have this factor
                shown[site][Condition(factor, levels[level])] = int(counts[cell])
    return {
        name: SiteFacts(float(share[k]), float(attempts[k]), shown[k])
        for k, name in enumerate(names)
        if name and share[k] > 0.0
    }


def compute_site_sets(table: Table, quotas: Sequence[Quota], settings: Section) -> tuple[SiteSet, ...]:
    """Return what each site needs, has and gets, the primary first; a set must be complete before go-live."""
    facts = sum_table_by_site(table)
    primary, each = _choose_primary_site(facts, settings), int(settings.number("fine_tuning_demonstrations"))
    planned: Counter[tuple[str, Condition]] = Counter()
    simulated: Counter[str] = Counter()
    for quota in quotas:
        site = quota.stratum.level(SITE) or ""
        if quota.kind is QuotaKind.SIMULATION:
            simulated[site] += quota.demonstrations
            continue
        planned.update({(site, condition): quota.demonstrations for condition in quota.stratum.conditions})
    made = []
    for site in sorted(facts, key=lambda s: (s != primary, -facts[s].share, s)):
        shown = facts[site].shown
        asked = [] if site == primary else _list_required_conditions(site, facts, primary)
        lacking = {c: each - shown[c] for c in asked if shown[c] < each}
        left = sum(max(0, count - planned[site, c]) for c, count in lacking.items())
        made.append(
            SiteSet(
                site=site,
                share=facts[site].share,
                primary=site == primary,
                specific=tuple(str(c) for c in asked if c.factor != SITE),
                needed=each * len(asked),
                have=sum(min(each, shown[c]) for c in asked),
                planned=planned[site, Condition(SITE, site)],
                complete=not lacking,
                message=_note_missing_demonstrations(site, primary, lacking, left, at_work=facts[site].attempts > 0.0),
                simulated=simulated[site],
                open=left,
            )
        )
    return tuple(made)


def make_fine_tuning_demands(table: Table, good: Floats, budget: float, settings: Section) -> Iterator[Demand]:
    """Ask for what the sets of further sites lack, within their part of the budget, sites that are not live first.

    A live site is served by where production fails, like any other: its set is asked for only where `good`, the free
    allocation, would leave it incomplete.
    """
    left = int(settings.number("fine_tuning_share") * budget)
    facts = sum_table_by_site(table)
    primary, each = _choose_primary_site(facts, settings), int(settings.number("fine_tuning_demonstrations"))
    for site in sorted(facts, key=lambda s: (facts[s].attempts > 0.0, -facts[s].share, s)):
        if site == primary:
            continue
        promised, at_work = 0, facts[site].attempts > 0.0
        for condition in _list_required_conditions(site, facts, primary):
            # a demonstration of a specific condition also shows the site
            lacking = each - facts[site].shown[condition] - (promised if condition.factor == SITE else 0)
            amount = min(left, lacking)
            stratum = Stratum(tuple(sorted({Condition(SITE, site), condition})))
            if amount <= 0 or (at_work and float(good[table.find_rows(stratum)].sum()) >= lacking):
                continue
            left -= amount
            promised += amount
            code = "plan.set_of_live_site" if at_work else "plan.set_before_go_live"
            why = note(code, site=site, each=each, condition=str(condition))
            yield Demand(f"{MINIMUM}{stratum}", stratum, amount, why, OWN)


def _choose_primary_site(facts: dict[str, SiteFacts], settings: Section) -> str:
    return choose_primary_site({site: fact.share for site, fact in facts.items()}, str(settings["primary_site"]))


def _list_required_conditions(site: str, facts: dict[str, SiteFacts], primary: str) -> list[Condition]:
    """List what a further site's set must show: each condition that the primary site lacks, then the site itself."""
    specific = set(facts[site].shown) - set(facts[primary].shown)
    return sorted(specific, key=lambda c: (c.factor == SITE, c))


def _note_missing_demonstrations(
    site: str, primary: str, lacking: dict[Condition, int], left: int, *, at_work: bool
) -> Note:
    if site == primary:
        return note("plan.primary_site", site=site)
    if not lacking:
        return note("plan.set_complete", site=site)
    items = tuple(note("plan.lacking", count=count, condition=str(c)) for c, count in lacking.items())
    then = note("plan.set_left_open", left=left) if left else note("plan.set_completed")
    return note("plan.live_with_incomplete_set" if at_work else "plan.set_incomplete", then, site=site, lacking=items)
