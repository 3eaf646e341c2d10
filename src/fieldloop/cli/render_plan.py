"""What to collect next: the plan, how far it is, when it will be done, and what earlier plans brought."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import MARKS, heading, mark, percent, said, short, styled, table, under, when
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.plan import Coverage, CoverageGap, Forecast, Plan, PlanScore, Progress, QuotaKind, WorkOrder
from fieldloop.report.plan.content import PlanReport, by_gain, by_level, deployed, of_production, sentence, uncovered
from fieldloop.report.plan.orders import counted, said_of
from fieldloop.report.words import interval, plural, points

MOST_QUOTAS = 12  # on a screen; --json and --html have all
MOST_GAPS = 5
MOST_STRATA = 10


def plan(drawn: Plan, screen: Screen) -> None:
    """Print what to collect, with the expected gain, its interval and why; then what is missing, and for whom."""
    screen.print(heading(sentence(PlanReport(drawn, (), ()))))
    _body(drawn, screen)


def plan_now(now: Any, screen: Screen) -> None:
    """Print the plan in force and how far it is; without one, what the data lack."""
    screen.print(heading(sentence(now)))
    if now.plan is not None:
        _body(now.plan, screen, earlier=True)
        screen.print()
        screen.print(said_of(now.progress, now.forecast) or "Nothing of it has come in yet.")
        if quotas := [p for p in now.progress if not p.order]:
            progress(quotas, screen)
        screen.print()
        screen.print(uncovered(now.coverage))
    _coverage(now.coverage, screen)
    if now.scores:
        screen.print()
        for score in now.scores:
            scored(score, screen)
    if now.plan is None:
        screen.print("Draw a plan: fieldloop plan")
    if now.html:
        screen.print(f"\nPage with pictures: {now.html}")


def progress(rows: Sequence[Progress], screen: Screen) -> None:
    """Print how far quotas or orders are, what is most behind first."""
    ranked = sorted(rows, key=lambda p: -p.left)
    ordered, told = any(p.order for p in ranked), any(p.reported is not None for p in ranked)
    if ordered:
        screen.print(counted(ranked))
    figures = ("planned", "reported", "done", "accepted", "rejected", "left")
    shown = [name for name in figures if told or name != "reported"]
    cells = []
    for p in ranked[:MOST_QUOTAS]:
        what = _of_kind(p.stratum, p.kind)
        cells.append((*(getattr(p, n) for n in shown), under(p.order or what, what if p.order else "")))
    screen.print(table((*shown, "order" if ordered else "of what"), cells, right=shown))
    _left_out(len(ranked) - MOST_QUOTAS, "row", screen)


def forecast(seen: Forecast, screen: Screen) -> None:
    """Print when a plan will be done at the pace so far."""
    known = seen.days is not None or seen.left == 0
    word = "done" if seen.left == 0 else "on its way" if known else ""
    screen.print(
        mark(Status.PASSED if known else Status.CANNOT_TELL, word).append(f"  {seen.message}", style="default")
    )


def scored(score: PlanScore, screen: Screen) -> None:
    """Print what a plan promised beside what came of it."""
    words = {Status.PASSED: "kept", Status.FAILED: "fell short"}
    came = f"{points(score.measured)} points ({interval(score.measured_low, score.measured_high)})"
    promised = f"{points(score.expected)} ({interval(score.expected_low, score.expected_high)})"
    trained = f", held against policy {short(score.after)}" if score.after else ""
    line = f"  {short(score.plan)}{trained}: {came}, promised {promised}. {score.message}"
    screen.print(mark(score.status, words.get(score.status, "")).append(line, style="default"))


def _body(drawn: Plan, screen: Screen, *, earlier: bool = False) -> None:
    """Print a plan; `earlier`: the floor has moved on since, so warnings and gaps are said to be of that day."""
    cost = f", cost {drawn.cost:.4g}" if drawn.cost else ""
    drawn_by = f"{drawn.id}, drawn {when(drawn.drawn_ns)} by {drawn.strategy}, budget {drawn.budget:,}{cost}"
    screen.print(styled(drawn_by, "dim"))
    if earlier and drawn.warnings:
        screen.print(f"When it was drawn ({when(drawn.drawn_ns)}):")
    for warning in drawn.warnings:
        screen.print(styled(f"{MARKS[Status.CANNOT_TELL][0]} {warning}", "yellow"))
    ranked = by_gain([q for q in drawn.quotas if q.demonstrations])
    if ranked:
        rows = [
            (
                q.demonstrations,
                points(q.gain, 2),
                interval(q.gain_low, q.gain_high, 2),
                under(_of_kind(q.stratum, q.kind), q.why),
            )
            for q in ranked[:MOST_QUOTAS]
        ]
        columns = ("demos", "gain, points", "interval", "of what, and why")
        screen.print(table(columns, rows, right=("demos", "gain, points")))
        _left_out(len(ranked) - MOST_QUOTAS, "row", screen)
        screen.print()
        screen.print(table(("in all", "demonstrations"), list(by_level(ranked))))
    _gaps(drawn.gaps, screen, " when it was drawn" if earlier else "")
    _orders(drawn.orders, screen)


def _of_kind(stratum: Stratum, kind: QuotaKind) -> str:
    return said(stratum) if kind is QuotaKind.DEMONSTRATION else f"{said(stratum)} ({kind.value})"


def _gaps(gaps: Sequence[CoverageGap], screen: Screen, then: str) -> None:
    if not gaps:
        return
    counts = Counter(gap.kind.value for gap in gaps)
    screen.print()
    kinds = ", ".join(f"{count:,} × {kind}" for kind, count in counts.items())
    screen.print(heading(f"{plural(len(gaps), 'gap')}{then}: {kinds}"))
    ranked = sorted(gaps, key=lambda g: -1.0 if g.share is None else g.share, reverse=True)
    for gap in ranked[:MOST_GAPS]:
        share = f" ({of_production(gap.share)} of production)" if gap.share is not None else ""
        screen.print(f"- {said(gap.stratum)}{share}: {gap.message}")
    _left_out(len(ranked) - MOST_GAPS, "gap", screen)


def _orders(orders: Sequence[WorkOrder], screen: Screen) -> None:
    if not orders:
        return
    sites = dict.fromkeys(order.site for order in orders)
    own = {site: [order for order in orders if order.site == site] for site in sites}
    by_site = [f"{site or 'any site'} {len(mine)} ({_work(mine)})" for site, mine in own.items()]
    screen.print()
    screen.print(heading(f"{plural(len(orders), 'work order')}: {', '.join(by_site)}"))


def _work(orders: Sequence[WorkOrder]) -> str:
    """How much, and for how many people where they are named."""
    people = {order.operator for order in orders} - {""}
    asked = plural(sum(order.demonstrations for order in orders), "demonstration")
    return f"{asked}, {plural(len(people), 'operator')}" if people else asked


def _coverage(coverage: Sequence[Coverage], screen: Screen) -> None:
    there = sorted(deployed(coverage), key=lambda c: -c.exposure)
    rows = [
        (
            of_production(c.exposure),
            c.demonstrations,
            percent(c.share),
            c.attempts,
            percent(c.failures / c.attempts) if c.attempts else "not tried",
            c.stratum,
        )
        for c in there[:MOST_STRATA]
    ]
    columns = ("of production", "demos", "of the data", "attempts", "failed", "stratum")
    if rows:
        screen.print(table(columns, rows, right=columns[:-1]))
    _left_out(len(there) - MOST_STRATA, "stratum", screen, "strata")


def _left_out(count: int, word: str, screen: Screen, many: str = "") -> None:
    if count > 0:
        screen.print(styled(f"And {plural(count, f'more {word}', many and f'more {many}')}; --json has all.", "dim"))
