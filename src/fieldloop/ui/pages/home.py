"""Home: the next thing to do, the loop, success on the floor, what changed, coverage, what to collect."""

from fieldloop.loop.home import Home, home
from fieldloop.model.codec import to_plain
from fieldloop.model.plan import Plan
from fieldloop.ui.components import (
    Column,
    button,
    change_list,
    command,
    dense_table,
    empty_state,
    gain_bar,
    heat_map,
    loop_strip,
    next_card,
    panel,
    status_mark,
)
from fieldloop.ui.coverage import grid
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.said import interval, percent, plural
from fieldloop.ui.visit import Drawn, Island, IslandPanel, Part, Visit

COLLECT = "collect"
MOST_ROWS = 8


def draw(visit: Visit) -> Drawn:
    """Draw the home page."""
    now = home(visit.workspace)
    step = now.next
    card = next_card(step.mark, step.sentence, step.why, command(step.command), button("Look", step.page, "primary"))
    changes = panel("What changed", change_list(now.changes, now.at_ns), note="newest first", columns=4, flush=True)
    strip = loop_strip(now.stages, now.way_back)
    live = Island("home.js", {"src": "/api/home"}, live=True)
    return Drawn(text("Home"), (card, strip, _success(now), changes, _coverage(now), _collect(now.plan), live))


def _success(now: Home) -> Part:
    if not now.success.points:
        nothing = empty_state("No outcome yet", "Success appears here with the first outcomes from the floor.",
                              command("fieldloop monitor record FILE"))  # fmt: skip
        return panel("Success on the floor", nothing, columns=8)
    note = f"{now.success.window_days:g}-day rolling, all sites, 95 % interval"
    return IslandPanel(
        "Success on the floor", "success.js", {"src": "/api/home", "first": to_plain(now.success)}, note, 8, before=_headline(now), live=True
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
        where = f"{abs(100 * under):.1f} points {'under' if under > 0 else 'over'} baseline"
        said.insert(1, tag("span", status_mark(level), tag("span", where), class_="st"))
    return tag("div", *said, class_="big body", style="padding-bottom:0")


def _coverage(now: Home) -> Html:
    note = "share of the data ÷ share of production"
    if not now.coverage:
        nothing = empty_state("No deployment is mapped", "Coverage is measured against the map of the floor.",
                              command("fieldloop audit deployment.toml"))  # fmt: skip
        return panel("Coverage of the floor", nothing, columns=6)
    return panel(
        "Coverage of the floor",
        heat_map(grid(now.coverage)),
        note=note,
        columns=6,
        right=button("All factors", "/plan", "ghost"),
    )


def _collect(plan: Plan | None) -> Part:
    if plan is None or not plan.quotas:
        nothing = empty_state("No plan yet", "A plan says what to collect next, and what it is expected to bring.",
                              command("fieldloop plan"))  # fmt: skip
        return panel("What to collect next", nothing, columns=6)
    table = tag("div", quotas(plan, MOST_ROWS), class_="flush scroll")
    return IslandPanel("What to collect next", "budget.js", {"table": COLLECT}, columns=6, in_header=True, after=table)


def quotas(plan: Plan, most: int | None = None) -> Html:
    """Draw the quotas of a plan, the largest gain first, each with its interval and its reason."""
    ranked = sorted(plan.quotas, key=lambda q: -q.gain)[:most]
    largest = max((q.gain_high for q in ranked), default=0.0)
    rows = [
        ((_where(q.stratum.levels), tag("span", str(q.demonstrations), data_given=True),
          gain_bar(q.gain_low, q.gain, q.gain_high, largest=largest), q.why), {"data_demos": q.demonstrations})
        for q in ranked
    ]  # fmt: skip
    columns = ("Where", Column("Demos", "num"), "Expected gain, points", Column("Why", "text"))
    hidden = len(plan.quotas) - len(ranked)
    more = (
        tag("p", tag("a", f"and {plural(hidden, 'more stratum', 'more strata')}", href="/plan"), class_="body dim")
        if hidden
        else None
    )
    return join(dense_table(columns, rows, COLLECT), more)


def _where(levels: dict[str, str]) -> str:
    return ", ".join(levels.values()) or "everywhere"
