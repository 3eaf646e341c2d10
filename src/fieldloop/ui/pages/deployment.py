"""The Deployment page: the map of the facilities, and how well it answers the five questions."""

from collections import Counter, defaultdict

from fieldloop.loop.home.deployment import show_deployment
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_count, format_number, format_plural, levels_in_words, percent
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_button,
    draw_copyable_command,
    draw_empty_state,
    draw_form,
    draw_key_values,
    draw_meter,
    draw_panel,
    draw_table,
)
from fieldloop.ui.pages.deployment_claims import draw_claims
from fieldloop.ui.pages.deployment_sites import draw_mixes, draw_sites, draw_zones
from fieldloop.ui.visit import Drawn, Visit

MOST_STRATA = 24


def draw(visit: Visit) -> Drawn:
    """Draw the deployment page."""
    now = show_deployment(visit.workspace)
    deployment, audit = now.deployment, now.audit
    if deployment is None:
        nothing = draw_empty_state(
            "No deployment is mapped yet",
            "Describe the facility in deployment.toml and its articles in skus.csv, then audit the map.",
            draw_copyable_command("fieldloop audit --example"),
        )
        return Drawn(escape("Deployment"), (nothing, _draw_edit_form(now.map_text)))
    parts = [
        draw_sites(deployment),
        draw_zones(deployment),
        _draw_tiers(deployment),
        _draw_edge_cases(deployment),
        draw_mixes(deployment),
    ]
    answers = (_draw_answer_card(audit), _draw_gap_questions(audit), *draw_claims(audit)) if audit else ()
    live = map(write_sentence, now.early)
    early = [tag("p", f"Note: {text}", class_="warn") for text in live]
    answers = (*answers[:1], draw_panel("Sites that went live early", *early), *answers[1:]) if early else answers
    notes = (*map(write_sentence, now.changed), *map(write_sentence, audit.odd if audit else ()))
    odd = [draw_panel("Notes", *(tag("p", f"Note: {one}", class_="warn") for one in notes))] if notes else []
    return Drawn(
        escape("Deployment"), (*odd, *answers, *parts, _draw_strata(deployment), _draw_edit_form(now.map_text))
    )


def _draw_edit_form(text: str) -> Markup:
    """Draw the form in which the map is edited or pasted, checked, and put in force."""
    fields = (
        Field("map_text", "deployment.toml", "lines", value=text),
        Field("skus_text", "skus.csv, to replace the catalogue; leave it empty to keep it", "lines"),
    )
    check = Submit("Check", {"put_in_force": False}, kind="", show="summary.text")
    put = Submit("Put in force", {"put_in_force": True}, sure="Write the map and put it in force?")
    return draw_panel("Edit the map", draw_form("/api/audit/write", fields, check, put))


def _draw_answer_card(audit: Audit) -> Markup:
    gaps = sum(len(answer.missing) for answer in audit.answers)
    if audit.complete:
        return draw_answer_card(
            "good",
            f"The map is complete: {percent(audit.score, 0)}",
            f"The audit leaves {format_plural(gaps, 'gap')} open.",
            draw_button("Go to the plan", "/plan", "primary"),
        )
    if audit.overridden_by:
        why = f"{audit.overridden_by} overrode the audit: {audit.override_reason}"
        return draw_answer_card(
            "warn", f"The map is incomplete ({percent(audit.score, 0)}), but the audit was overridden", why
        )
    return draw_answer_card(
        "bad",
        f"The map is incomplete: {percent(audit.score, 0)}",
        f"Fill {format_plural(gaps, 'gap')} in the map before you lock a protocol or taxonomy.",
        draw_copyable_command("fieldloop audit"),
    )


def _draw_gap_questions(audit: Audit) -> Markup:
    rows = [
        (
            tag(
                "span",
                draw_level_mark("good" if not a.missing else "warn"),
                tag("span", write_sentence(a.question)),
                class_="st",
            ),
            draw_meter(a.score),
            percent(a.score, 0),
            tag("div", *(tag("p", write_sentence(one)) for one in a.missing)) if a.missing else "nothing",
        )
        for a in audit.answers
    ]
    return draw_panel(
        "Five questions",
        draw_table(("Question", Column("", "slim"), Column("Score", "num"), Column("Missing", "text wide")), rows),
        flush=True,
    )


def _draw_tiers(deployment: Deployment) -> Markup:
    counts = Counter(s.tier for s in deployment.skus)
    picks: defaultdict[str, float] = defaultdict(float)
    for sku in deployment.skus:
        picks[sku.tier] += sku.picks_per_week
    total = sum(picks.values()) or 1
    rows = [
        (
            tier.replace("_", " ") or "no tier",
            format_count(counts[tier]),
            draw_meter(picks[tier] / total),
            percent(picks[tier] / total, 0),
        )
        for tier in counts
    ]
    columns = ("Tier", Column("SKUs", "num"), Column("", "slim"), Column("Share of picks", "num"))
    return draw_panel(
        "Catalogue", draw_table(columns, rows), note=format_plural(len(deployment.skus), "SKU"), columns=6, flush=True
    )


def _draw_edge_cases(deployment: Deployment) -> Markup:
    facts = [
        (
            e.name,
            f"{format_number(e.per_week, 6)} a week, "
            + ("failure rate not known" if e.failure_rate is None else f"fails {percent(e.failure_rate, 0)}"),
        )
        for e in deployment.edge_cases
    ]
    return draw_panel("Edge cases", draw_key_values(facts or [("none", "none is described")]), columns=6)


def _draw_strata(deployment: Deployment) -> Markup:
    ranked = sorted(deployment.exposures, key=lambda e: -e.share)
    rows = [
        (levels_in_words(e.stratum), draw_meter(e.share / ranked[0].share), percent(e.share))
        for e in ranked[:MOST_STRATA]
    ]
    note = f"{len(ranked)} strata in all, the {min(len(ranked), MOST_STRATA)} most common shown"
    return draw_panel(
        "Strata of production",
        draw_table(("Stratum", Column("", "slim"), Column("Share", "num")), rows),
        note=note,
        flush=True,
    )
