"""Deployment: where the robot will work, as mapped, and how well the map answers the five questions."""

from collections import Counter, defaultdict

from fieldloop.loop.audit import latest_audit, latest_deployment
from fieldloop.loop.audited_map import map_changed
from fieldloop.loop.live_sites import live_without_a_set
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.ui.components import (
    Column,
    button,
    command,
    dense_table,
    empty_state,
    key_value,
    meter,
    next_card,
    panel,
    status_mark,
)
from fieldloop.ui.markup import Html, tag, text
from fieldloop.ui.pages.deployment_claims import claims
from fieldloop.ui.pages.deployment_sites import mixes, sites, zones
from fieldloop.ui.said import percent, plural, where
from fieldloop.ui.visit import Drawn, Visit

MOST_STRATA = 24


def draw(visit: Visit) -> Drawn:
    """Draw the deployment page."""
    if visit.workspace.newest(Deployment) is None:
        nothing = empty_state(
            "No deployment is mapped yet",
            "Describe the facility in deployment.toml with skus.csv beside it, then ask the five questions.",
            command("fieldloop audit deployment.toml"),
        )
        return Drawn(text("Deployment"), (nothing,))
    deployment, audit = latest_deployment(visit.workspace), latest_audit(visit.workspace)
    parts = [sites(deployment), zones(deployment), _tiers(deployment), _edges(deployment), mixes(deployment)]
    answers = (_answer(audit), _audit(audit), *claims(audit)) if audit else ()
    early = [tag("p", f"Note: {one}", class_="warn") for one in live_without_a_set(visit.workspace, deployment)]
    answers = (*answers[:1], panel("Sites that went live early", *early), *answers[1:]) if early else answers
    notes = (*map_changed(visit.workspace), *(audit.odd if audit else ()))
    odd = [panel("Notes", *(tag("p", f"Note: {one}", class_="warn") for one in notes))] if notes else []
    return Drawn(text("Deployment"), (*odd, *answers, *parts, _strata(deployment)))


def _answer(audit: Audit) -> Html:
    gaps = sum(len(answer.missing) for answer in audit.answers)
    if audit.complete:
        return next_card(
            "good",
            f"The map is complete: {percent(audit.score, 0)}",
            f"{plural(gaps, 'gap')} left open.",
            button("To the plan", "/plan", "primary"),
        )
    if audit.overridden_by:
        why = f"{audit.overridden_by} went on: {audit.override_reason}"
        return next_card("warn", f"The map is incomplete at {percent(audit.score, 0)}, and that was overridden", why)
    return next_card(
        "bad",
        f"The map is incomplete: {percent(audit.score, 0)}",
        f"{plural(gaps, 'gap')} to fill before anything is locked.",
        command("fieldloop audit"),
    )


def _audit(audit: Audit) -> Html:
    rows = [
        (
            tag("span", status_mark("good" if not a.missing else "warn"), tag("span", a.question), class_="st"),
            meter(a.score),
            percent(a.score, 0),
            tag("div", *(tag("p", one) for one in a.missing)) if a.missing else "nothing",
        )
        for a in audit.answers
    ]
    return panel(
        "Five questions",
        dense_table(("Question", Column("", "slim"), Column("Score", "num"), Column("Missing", "text wide")), rows),
        flush=True,
    )


def _tiers(deployment: Deployment) -> Html:
    counts = Counter(s.tier for s in deployment.skus)
    picks: defaultdict[str, float] = defaultdict(float)
    for sku in deployment.skus:
        picks[sku.tier] += sku.picks_per_week
    total = sum(picks.values()) or 1
    rows = [
        (
            tier.replace("_", " ") or "no tier",
            f"{counts[tier]:,}",
            meter(picks[tier] / total),
            percent(picks[tier] / total, 0),
        )
        for tier in counts
    ]
    columns = ("Tier", Column("SKUs", "num"), Column("", "slim"), Column("Of picks", "num"))
    return panel(
        "Catalogue", dense_table(columns, rows), note=plural(len(deployment.skus), "SKU"), columns=6, flush=True
    )


def _edges(deployment: Deployment) -> Html:
    facts = [
        (
            e.name,
            f"{e.per_week:g} a week, "
            + ("failure not known" if e.failure_rate is None else f"fails {percent(e.failure_rate, 0)}"),
        )
        for e in deployment.edge_cases
    ]
    return panel("Edge cases", key_value(facts or [("none", "none is described")]), columns=6)


def _strata(deployment: Deployment) -> Html:
    ranked = sorted(deployment.exposures, key=lambda e: -e.share)
    rows = [(where(e.stratum), meter(e.share / ranked[0].share), percent(e.share)) for e in ranked[:MOST_STRATA]]
    note = f"{len(ranked)} in all, {min(len(ranked), MOST_STRATA)} most common shown"
    return panel(
        "Strata of production",
        dense_table(("Stratum", Column("", "slim"), Column("Share", "num")), rows),
        note=note,
        flush=True,
    )
