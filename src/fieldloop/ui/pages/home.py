"""The Home page: next step, the loop, success on the floor, changes, coverage, what to collect."""

import math
from collections.abc import Sequence

from fieldloop.doors.written import convert_to_json
from fieldloop.loop.home.home import Home, show_home
from fieldloop.loop.home.success import list_policies_shown
from fieldloop.model.plan import Plan, Progress, Quota, QuotaKind
from fieldloop.report.plan.content import find_shared_factors, sort_by_gain
from fieldloop.report.plan.grid import make_coverage_grid
from fieldloop.say import write_details, write_sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_fixed, format_number, format_plural, levels_in_words, percent, percent_range
from fieldloop.ui.components import (
    Column,
    draw_answer_card,
    draw_button,
    draw_change_list,
    draw_chip,
    draw_copyable_command,
    draw_empty_state,
    draw_gain_bar,
    draw_heat_map,
    draw_loop_strip,
    draw_meter,
    draw_panel,
    draw_table,
    make_script_element,
)
from fieldloop.ui.components.tables import Row
from fieldloop.ui.visit import Drawn, Visit

COLLECT = "collect"
MOST_ROWS = 8


def draw(visit: Visit) -> Drawn:
    """Draw the home page."""
    now = show_home(visit.workspace)
    step = now.next
    card = draw_answer_card(
        step.mark,
        write_sentence(step.sentence),
        write_sentence(step.why),
        draw_copyable_command(step.command),
        draw_button("Show", step.page, "primary"),
    )
    changes = draw_panel(
        "What changed", draw_change_list(now.changes, now.at_ns), note="newest first", columns=4, flush=True
    )
    strip = draw_loop_strip(now.stages, now.way_back)
    live = make_script_element("home.js", {}, shown_seq=now.seq)
    return Drawn(
        escape("Home"),
        (
            card,
            *_draw_later_steps(now),
            strip,
            _draw_success_panel(now),
            changes,
            _draw_coverage_panel(now),
            _draw_what_to_collect(now),
            live,
        ),
    )


def _draw_later_steps(home: Home) -> tuple[Markup, ...]:
    """List the steps after the first, a line each."""
    if not home.then:
        return ()
    lines = [
        tag(
            "li",
            draw_level_mark(s.mark),
            tag("a", write_sentence(s.sentence), href=s.page),
            tag("span", write_sentence(s.why), class_="dim"),
        )
        for s in home.then
    ]
    return (draw_panel("Then", tag("ol", *lines, class_="steps"), flush=True),)


def _draw_success_panel(home: Home) -> Markup:
    if not home.success.points and home.success.rate_in_window is None:
        nothing = draw_empty_state(
            "No rate yet",
            "The success rate appears here once robots have reported enough outcomes.",
            draw_copyable_command("fieldloop monitor record FILE"),
        )
        return draw_panel("Success in production", nothing, columns=8)
    days = f"{format_number(home.success.window_days, 6)}-day rolling"
    note = f"{list_policies_shown(home.success)}, {days}, all sites, 95 % interval"
    chart = (
        make_script_element("success.js", {"first": convert_to_json(home.success)}, shown_seq=home.seq)
        if home.success.points
        else None
    )
    return draw_panel("Success in production", *_draw_success_headline(home), chart, note=note, columns=8)


def _draw_success_headline(home: Home) -> tuple[Markup, ...]:
    """Draw the rate in the window, then why it fails or cannot be judged."""
    last, base = home.success.rate_in_window, home.success.baseline
    reasons = tuple(tag("p", write_sentence(reason)) for reason in home.success.reasons)
    if last is None:
        return reasons[:1]
    headline = [
        tag("b", percent(last.rate)),
        tag("span", percent_range(last.low, last.high)),
        tag("span", format_plural(last.episodes, "episode")),
    ]
    if base is not None:
        under = base - last.rate
        level = (
            "good"
            if under <= 0
            else "bad"
            if home.success.alarm is not None and last.rate < home.success.alarm
            else "warn"
        )
        beside = f"{format_fixed(abs(100 * under), 1)} points {'below' if under > 0 else 'above'} baseline"
        headline.insert(1, tag("span", draw_level_mark(level), tag("span", beside), class_="st"))
    return tag("div", *headline, class_="big"), *reasons


def _draw_coverage_panel(home: Home) -> Markup:
    note = "share of the data ÷ share of production"
    if not home.coverage:
        nothing = draw_empty_state(
            "No deployment is mapped",
            "Coverage compares demonstrations with the deployment map.",
            draw_copyable_command("fieldloop audit --example"),
        )
        return draw_panel("Coverage of production", nothing, columns=6)
    return draw_panel(
        "Coverage of production",
        draw_heat_map(make_coverage_grid(home.coverage)),
        note=note,
        columns=6,
        right=draw_chip("All factors", href="/plan"),
    )


def _draw_what_to_collect(home: Home) -> Markup:
    if home.plan is None or not home.plan.quotas:
        how = "A plan states what to collect next and the expected gain."
        return draw_panel(
            "What to collect next",
            draw_empty_state("No plan yet", how, draw_copyable_command("fieldloop plan")),
            columns=6,
        )
    table = draw_quotas(home.plan, home.progress, MOST_ROWS)
    return draw_panel("What to collect next", table, right=draw_budget_slider(home.plan), columns=6, flush=True)


def draw_budget_slider(plan: Plan) -> Markup:
    """Draw the budget slider; it greys the rows of the table that the budget does not reach."""
    return make_script_element(
        "budget.js", {"table": COLLECT, "total": sum(quota.demonstrations for quota in plan.quotas)}
    )


def draw_quotas(plan: Plan, progress: Sequence[Progress], max_quotas: int | None = None) -> Markup:
    """Draw the quotas of a plan, the largest gain first, each with its interval; all of them with their reasons too."""
    ranked = sort_by_gain(plan.quotas)[:max_quotas]
    largest = max((q.gain_high for q in ranked if math.isfinite(q.gain_high)), default=0.0)
    done = {(p.stratum, p.kind): p for p in progress if not p.order}
    same = tuple(find_shared_factors([q.stratum for q in plan.quotas]))
    rows = [
        _make_quota_row(q, done.get((q.stratum, q.kind)), largest, same, with_reasons=max_quotas is None)
        for q in ranked
    ]
    columns: list[Column | str] = [
        "Where" if max_quotas else Column("Stratum and reasons", "text wide"),
        Column("Demos", "num"),
        Column("Expected gain, points", "slim"),
        Column("Accepted", "num"),
    ]
    if max_quotas is None:
        columns += [Column("", "slim"), Column("Rejected", "num")]
    hidden = len(plan.quotas) - len(ranked)
    link = tag("a", f"and {format_plural(hidden, 'more stratum', 'more strata')}", href="/plan")
    return join(draw_table(columns, rows, COLLECT), tag("p", link, class_="body dim") if hidden else None)


def _make_quota_row(
    quota: Quota,
    quota_progress: Progress | None,
    largest_gain: float,
    shared_factors: tuple[str, ...],
    *,
    with_reasons: bool,
) -> Row:
    accepted, rejected = (quota_progress.accepted, quota_progress.rejected) if quota_progress else (0, 0)
    cells = [
        levels_in_words(quota.stratum, without=shared_factors),
        tag("span", str(quota.demonstrations), data_given=True),
        draw_gain_bar(quota.gain_low, quota.gain, quota.gain_high, largest=largest_gain),
        str(accepted) if accepted else "–",
    ]
    if with_reasons:
        share = accepted / quota.demonstrations if quota.demonstrations else 1.0
        done_bar = draw_meter(share, "good" if share >= 1 else "")
        cells += [done_bar, str(rejected) if rejected else "–"]
        kind = "" if quota.kind is QuotaKind.DEMONSTRATION else f" ({quota.kind.value})"
        cells[0] = join(f"{cells[0]}{kind}", tag("small", write_details(quota.why)))
    return cells, {"data_demos": quota.demonstrations}
