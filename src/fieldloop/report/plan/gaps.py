"""Gaps, tiers and site sets of a plan report, as of the day the plan was drawn."""

import math
from collections import Counter
from collections.abc import Sequence

from fieldloop.model.finding import Status
from fieldloop.model.plan import CoverageGap, Plan, SiteSet, TierState
from fieldloop.report.bars import draw_progress_bar
from fieldloop.report.markup import draw_panel, draw_paragraph, draw_table
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_plural, format_small_share, percent, stratum_in_words

MOST_LISTED = 12
THEN = "when the plan was made"


def draw_coverage_gaps(plan: Plan) -> Markup:
    """List how many gaps there are of each kind, then the largest by name."""
    ranked = sorted(plan.gaps, key=_get_gap_share, reverse=True)
    counts = Counter(gap.kind.value for gap in ranked)
    kinds = ", ".join(f"{format_count(count)} × {kind}" for kind, count in counts.items())
    hidden = f" The {MOST_LISTED} largest are listed." if len(ranked) > MOST_LISTED else ""
    covers = f" {format_plural(len(plan.cover), 'stratum', 'strata')} would cover every missing combination." * bool(
        plan.cover
    )
    rows = [
        (g.kind.value, stratum_in_words(g.stratum), format_small_share(g.share), write_sentence(g.message))
        for g in ranked[:MOST_LISTED]
    ]
    columns = ("gap", "where", "share of production", "what")
    body = [
        draw_paragraph(f"{kinds}.{hidden}{covers}", "dim"),
        draw_table(columns, rows, columns[2:3], columns[3:], columns[:2]),
    ]
    return draw_panel("What was never demonstrated", body, f"{format_plural(len(ranked), 'gap')} {THEN}", "gaps")


def draw_tier_states(states: Sequence[TierState]) -> Markup:
    """Show how many articles of each tier have reached its target."""
    rows = [
        (
            one.tier.replace("_", " "),
            percent(one.picks_share, 0),
            draw_progress_bar(one.at_target, 0, one.articles),
            f"{format_count(one.at_target)} of {format_count(one.articles)}",
            format_count(one.shown),
            one.target,
            percent(one.simulated_share, 0) if one.simulated_share else "none",
        )
        for one in states
    ]
    columns = (
        "tier",
        "share of picks",
        "",
        "articles at target",
        "demonstrated at all",
        "target per article",
        "simulated",
    )
    return draw_panel("Articles by tier", [draw_table(columns, rows, (columns[1], *columns[3:]))], THEN, "tiers")


def draw_site_sets(site_sets: Sequence[SiteSet]) -> Markup:
    """Show what each site still needs before it goes live."""
    rows = [
        (
            draw_status(
                Status.PASSED if one.complete else Status.CANNOT_TELL, "complete" if one.complete else "not yet"
            ),
            f"{one.site} (primary)" if one.primary else one.site,
            percent(one.share, 0),
            draw_progress_bar(one.have, 0, one.needed),
            f"{format_count(one.have)} of {format_count(one.needed)}",
            f"{format_count(one.planned)} and {format_count(one.simulated)} simulated"
            if one.simulated
            else format_count(one.planned),
            write_sentence(one.message),
        )
        for one in site_sets
    ]
    columns = ("", "site", "share of production", "", "in hand", "planned", "conditions found only at this site")
    return draw_panel(
        "Sites before they go live", [draw_table(columns, rows, (columns[2], *columns[4:6]), columns[6:])], THEN
    )


def _get_gap_share(gap: CoverageGap) -> float:
    return gap.share if gap.share is not None and math.isfinite(gap.share) else -1.0
