"""Home: the next thing to do, the loop, success on the floor, what changed, coverage, what to collect."""

import math
from collections.abc import Sequence
from typing import Any

from fieldloop.loop.home import Home, home
from fieldloop.model.codec import to_plain
from fieldloop.model.plan import Plan, Progress, Quota, QuotaKind
from fieldloop.report.plan.content import by_gain, shared_factors
from fieldloop.report.plan.grid import grid
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
    loop_strip,
    meter,
    next_card,
    panel,
    status_mark,
)
from fieldloop.ui.components.tables import Row
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.said import interval, percent, plural, where
from fieldloop.ui.visit import Drawn, Island, IslandPanel, Part, Visit

COLLECT = "collect"
MOST_ROWS = 8


def draw(visit: Visit) -> Drawn:
    """Draw the home page."""
    now = home(visit.workspace)
    step = now.next
    card = next_card(step.mark, step.sentence, step.why, command(step.command), button("Show", step.page, "primary"))
    changes = panel("What changed", change_list(now.changes, now.at_ns), note="newest first", columns=4, flush=True)
    strip = loop_strip(now.stages, now.way_back)
    live = Island("home.js", {"src": "/api/home"}, live=True)
    return Drawn(text("Home"), (card, *_then(now), strip, _success(now), changes, _coverage(now), _collect(now), live))


def _then(now: Home) -> tuple[Html, ...]:
    """List what comes after the first thing, a line each."""
    if not now.then:
        return ()
    lines = [
        tag("li", status_mark(s.mark), tag("a", s.sentence, href=s.page), tag("span", s.why, class_="dim"))
        for s in now.then
    ]
    return (panel("Then", tag("ol", *lines, class_="steps"), flush=True),)


def _success(now: Home) -> Part:
    if not now.success.points:
        nothing = empty_state(
            "No rate yet",
            "Success appears here once enough outcomes came from the floor to say something.",
            command("fieldloop monitor record FILE"),
        )
        return panel("Success on the floor", nothing, columns=8)
    note = f"{now.success.policy}, {now.success.window_days:g}-day rolling, all sites, 95 % interval"
    return IslandPanel(
        "Success on the floor",
        "success.js",
        {"src": "/api/home", "first": to_plain(now.success)},
        note,
        8,
        before=_headline(now),
        live=True,
    )


def _headline(now: Home) -> Html:
    last, base = now.success.points[-1], now.success.baseline
    said = [
        tag("b", percent(last.rate)),
        tag("span", interval(last.low, last.high)),
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
        beside = f"{abs(100 * under):.1f} points {'under' if under > 0 else 'over'} baseline"
        said.insert(1, tag("span", status_mark(level), tag("span", beside), class_="st"))
    return tag("div", *said, class_="big body", style="padding-bottom:0")


def _coverage(now: Home) -> Html:
    note = "share of the data ÷ share of production"
    if not now.coverage:
        nothing = empty_state(
            "No deployment is mapped",
            "Coverage is measured against the map of the floor.",
            command("fieldloop audit deployment.toml"),
        )
        return panel("Coverage of the floor", nothing, columns=6)
    return panel(
        "Coverage of the floor",
        heat_map(grid(now.coverage)),
        note=note,
        columns=6,
        right=chip("All factors", href="/plan"),
    )


def _collect(now: Home) -> Part:
    if now.plan is None or not now.plan.quotas:
        how = "A plan says what to collect next, and what it is expected to bring."
        return panel("What to collect next", empty_state("No plan yet", how, command("fieldloop plan")), columns=6)
    table = tag("div", quotas(now.plan, now.progress, MOST_ROWS), class_="flush scroll")
    return IslandPanel("What to collect next", "budget.js", budget(now.plan), columns=6, in_header=True, after=table)


def budget(plan: Plan) -> dict[str, Any]:
    """Tell the budget slider which table it greys, and how far it goes."""
    return {"table": COLLECT, "total": sum(quota.demonstrations for quota in plan.quotas)}


def quotas(plan: Plan, progress: Sequence[Progress], most: int | None = None) -> Html:
    """Draw the quotas of a plan, the largest gain first, each with its interval; all of them with their reasons too."""
    ranked = by_gain(plan.quotas)[:most]
    largest = max((q.gain_high for q in ranked if math.isfinite(q.gain_high)), default=0.0)
    done = {(p.stratum, p.kind): p for p in progress if not p.order}
    same = tuple(shared_factors([q.stratum for q in plan.quotas]))
    rows = [_quota(q, done.get((q.stratum, q.kind)), largest, same, whole=most is None) for q in ranked]
    columns: list[Column | str] = [
        "Where" if most else Column("Where, and why", "text wide"),
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
        where(quota.stratum, without=same),
        tag("span", str(quota.demonstrations), data_given=True),
        gain_bar(quota.gain_low, quota.gain, quota.gain_high, largest=largest),
        str(accepted) if accepted else "–",
    ]
    if whole:
        share = accepted / quota.demonstrations if quota.demonstrations else 1.0
        done_bar = meter(share, "good" if share >= 1 else "")
        cells += [done_bar, str(rejected) if rejected else "–"]
        kind = "" if quota.kind is QuotaKind.DEMONSTRATION else f" ({quota.kind.value})"
        cells[0] = join(f"{cells[0]}{kind}", tag("small", quota.why))
    return cells, {"data_demos": quota.demonstrations}
