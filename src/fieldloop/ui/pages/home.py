"""The Home page: next step, the loop, success on the floor, changes, coverage, what to collect."""

import math
from collections.abc import Sequence

from fieldloop.doors.written import as_json
from fieldloop.loop.home.home import Home, home
from fieldloop.loop.home.success import policies_shown
from fieldloop.model.plan import Plan, Progress, Quota, QuotaKind
from fieldloop.report.plan.content import shared_factors, sort_by_gain
from fieldloop.report.plan.grid import grid
from fieldloop.say import details, sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import shape
from fieldloop.say.numbers import fixed, format_number, levels_in_words, percent, percent_range, plural
from fieldloop.ui.components import (
    Column,
    button,
    change_list,
    chip,
    command,
    dense_table,
    empty_state,
    gain_bar,
    heat_map,
    island,
    loop_strip,
    meter,
    next_card,
    panel,
)
from fieldloop.ui.components.tables import Row
from fieldloop.ui.visit import Drawn, Visit

COLLECT = "collect"
MOST_ROWS = 8


def draw(visit: Visit) -> Drawn:
    """Draw the home page."""
    now = home(visit.workspace)
    step = now.next
    card = next_card(
        step.mark,
        sentence(step.sentence),
        sentence(step.why),
        command(step.command),
        button("Show", step.page, "primary"),
    )
    changes = panel("What changed", change_list(now.changes, now.at_ns), note="newest first", columns=4, flush=True)
    strip = loop_strip(now.stages, now.way_back)
    live = island("home.js", {}, live=now.seq)
    return Drawn(
        escape("Home"),
        (
            card,
            *_draw_later_steps(now),
            strip,
            _success(now),
            changes,
            _coverage(now),
            _draw_what_to_collect(now),
            live,
        ),
    )


def _draw_later_steps(now: Home) -> tuple[Markup, ...]:
    """List the steps after the first, a line each."""
    if not now.then:
        return ()
    lines = [
        tag(
            "li", shape(s.mark), tag("a", sentence(s.sentence), href=s.page), tag("span", sentence(s.why), class_="dim")
        )
        for s in now.then
    ]
    return (panel("Then", tag("ol", *lines, class_="steps"), flush=True),)


def _success(now: Home) -> Markup:
    if not now.success.points:
        nothing = empty_state(
            "No rate yet",
            "The success rate appears here once robots have reported enough outcomes.",
            command("fieldloop monitor record FILE"),
        )
        return panel("Success in production", nothing, columns=8)
    days = f"{format_number(now.success.window_days, 6)}-day rolling"
    note = f"{policies_shown(now.success)}, {days}, all sites, 95 % interval"
    chart = island("success.js", {"first": as_json(now.success)}, live=now.seq)
    return panel("Success in production", _headline(now), chart, note=note, columns=8)


def _headline(now: Home) -> Markup:
    last, base = now.success.points[-1], now.success.baseline
    headline = [
        tag("b", percent(last.rate)),
        tag("span", percent_range(last.low, last.high)),
        tag("span", plural(last.episodes, "episode")),
    ]
    if base is not None:
        under = base - last.rate
        level = (
            "good"
            if under <= 0
            else "bad"
            if now.success.alarm is not None and last.rate < now.success.alarm
            else "warn"
        )
        beside = f"{fixed(abs(100 * under), 1)} points {'below' if under > 0 else 'above'} baseline"
        headline.insert(1, tag("span", shape(level), tag("span", beside), class_="st"))
    return tag("div", *headline, class_="big")


def _coverage(now: Home) -> Markup:
    note = "share of the data ÷ share of production"
    if not now.coverage:
        nothing = empty_state(
            "No deployment is mapped",
            "Coverage compares demonstrations with the deployment map.",
            command("fieldloop audit --example"),
        )
        return panel("Coverage of production", nothing, columns=6)
    return panel(
        "Coverage of production",
        heat_map(grid(now.coverage)),
        note=note,
        columns=6,
        right=chip("All factors", href="/plan"),
    )


def _draw_what_to_collect(now: Home) -> Markup:
    if now.plan is None or not now.plan.quotas:
        how = "A plan states what to collect next and the expected gain."
        return panel("What to collect next", empty_state("No plan yet", how, command("fieldloop plan")), columns=6)
    table = draw_quotas(now.plan, now.progress, MOST_ROWS)
    return panel("What to collect next", table, right=draw_budget_slider(now.plan), columns=6, flush=True)


def draw_budget_slider(plan: Plan) -> Markup:
    """Draw the budget slider; it greys the rows of the table that the budget does not reach."""
    return island("budget.js", {"table": COLLECT, "total": sum(quota.demonstrations for quota in plan.quotas)})


def draw_quotas(plan: Plan, progress: Sequence[Progress], most: int | None = None) -> Markup:
    """Draw the quotas of a plan, the largest gain first, each with its interval; all of them with their reasons too."""
    ranked = sort_by_gain(plan.quotas)[:most]
    largest = max((q.gain_high for q in ranked if math.isfinite(q.gain_high)), default=0.0)
    done = {(p.stratum, p.kind): p for p in progress if not p.order}
    same = tuple(shared_factors([q.stratum for q in plan.quotas]))
    rows = [_quota(q, done.get((q.stratum, q.kind)), largest, same, whole=most is None) for q in ranked]
    columns: list[Column | str] = [
        "Where" if most else Column("Stratum and reasons", "text wide"),
        Column("Demos", "num"),
        Column("Expected gain, points", "slim"),
        Column("Accepted", "num"),
    ]
    if most is None:
        columns += [Column("", "slim"), Column("Rejected", "num")]
    hidden = len(plan.quotas) - len(ranked)
    link = tag("a", f"and {plural(hidden, 'more stratum', 'more strata')}", href="/plan")
    return join(dense_table(columns, rows, COLLECT), tag("p", link, class_="body dim") if hidden else None)


def _quota(quota: Quota, done: Progress | None, largest: float, same: tuple[str, ...], *, whole: bool) -> Row:
    accepted, rejected = (done.accepted, done.rejected) if done else (0, 0)
    cells = [
        levels_in_words(quota.stratum, without=same),
        tag("span", str(quota.demonstrations), data_given=True),
        gain_bar(quota.gain_low, quota.gain, quota.gain_high, largest=largest),
        str(accepted) if accepted else "–",
    ]
    if whole:
        share = accepted / quota.demonstrations if quota.demonstrations else 1.0
        done_bar = meter(share, "good" if share >= 1 else "")
        cells += [done_bar, str(rejected) if rejected else "–"]
        kind = "" if quota.kind is QuotaKind.DEMONSTRATION else f" ({quota.kind.value})"
        cells[0] = join(f"{cells[0]}{kind}", tag("small", details(quota.why)))
    return cells, {"data_demos": quota.demonstrations}
