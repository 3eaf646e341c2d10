"""Before anything moves: the audit, the numbers in force, the plan."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import facts, heading, mark, percent, points, said, styled, table, when
from fieldloop.model.deployment import Audit
from fieldloop.model.finding import Status
from fieldloop.model.plan import Coverage, Plan, Progress


def audited(result: Any, screen: Screen) -> None:
    """Print the map in short, then the audit."""
    deployment = result.deployment
    sites = ", ".join(f"{site.id} ({percent(site.share, 0)})" for site in deployment.sites)
    screen.print(
        facts(
            [
                ("deployment", deployment.id),
                ("sites", sites),
                ("SKUs", len(deployment.skus)),
                ("strata", len(deployment.exposures)),
                ("edge cases", len(deployment.edge_cases)),
            ]
        )
    )
    screen.print()
    audit(result.audit, screen)


def audit(asked: Audit, screen: Screen) -> None:
    """Print the five questions with what is missing."""
    status = Status.PASSED if asked.complete else Status.FAILED
    word = "complete" if asked.complete else "incomplete"
    screen.print(mark(status, word).append(f"  score {percent(asked.score, 0)}", style="bold default"))
    rows = [(a.question, percent(a.score, 0), "; ".join(a.missing) or "nothing") for a in asked.answers]
    screen.print(table(("question", "score", "missing"), rows, right=("score",)))
    if asked.overridden_by:
        screen.write(f"{asked.overridden_by} went on over it: {asked.override_reason}")
    elif not asked.complete:
        screen.write("Complete the map and ask again, or go on knowingly: fieldloop audit override --reason …")


def numbers(shown: Any, screen: Screen) -> None:
    """Print every number in force with its unit, reason and source."""
    lock = "locked" if shown.locked else "not locked"
    assumed = sum(n.source_kind == "assumed" for n in shown.numbers)
    title = f"{shown.name} v{shown.version} ({shown.fingerprint}), {lock}, {len(shown.numbers)} numbers"
    screen.print(heading(title).append(f", {assumed} of them assumed", style="yellow"))
    rows = [(_name(n), _value(n), n.unit, n.why, _source(n)) for n in shown.numbers]
    screen.print(table(("name", "value", "unit", "why", "source"), rows))


def plan(drawn: Plan, screen: Screen) -> None:
    """Print what to collect, with the expected gain, its interval and why."""
    screen.print(heading(f"{drawn.budget} demonstrations, expected {points(drawn.expected_gain)} points in production"))
    screen.print(styled(f"{drawn.id}, drawn {when(drawn.drawn_ns)}, by {drawn.strategy}", "dim"))
    rows = [
        (q.stratum, q.demonstrations, points(q.gain), f"{points(q.gain_low)} to {points(q.gain_high)}", q.why)
        for q in sorted(drawn.quotas, key=lambda q: -q.gain)
    ]
    columns = ("stratum", "demos", "gain, points", "interval", "why")
    screen.print(table(columns, rows, right=columns[1:3]))
    if drawn.orders:
        screen.print()
        screen.print(heading(f"{len(drawn.orders)} work orders"))
        work = [(o.site, o.robot, o.operator, o.stratum, o.demonstrations) for o in drawn.orders]
        screen.print(table(("site", "robot", "operator", "stratum", "demos"), work, right=("demos",)))
    for warning in drawn.warnings:
        screen.print(styled(f"▲ {warning}", "yellow"))


def plan_now(now: Any, screen: Screen) -> None:
    """Print coverage, then the plan in force and how far it is."""
    screen.print(heading("Coverage of the deployed strata"))
    screen.print(_coverage(now.coverage))
    screen.print()
    if now.plan is None:
        screen.write("No plan yet. Draw one: fieldloop plan")
        return
    plan(now.plan, screen)
    screen.print()
    screen.print(heading("Progress"))
    screen.print(_progress(now.progress))


def _coverage(rows: tuple[Coverage, ...]) -> Any:
    cells = [
        (
            c.stratum,
            percent(c.exposure),
            c.demonstrations,
            percent(c.share),
            c.attempts,
            percent(c.failures / c.attempts) if c.attempts else "not tried",
        )
        for c in sorted(rows, key=lambda c: -c.exposure)
    ]
    columns = ("stratum", "of production", "demos", "of the data", "attempts", "failed")
    return table(columns, cells, right=columns[1:])


def _progress(rows: tuple[Progress, ...]) -> Any:
    columns = ("stratum", "planned", "done", "accepted", "rejected", "left")
    cells = [(p.stratum, p.planned, p.done, p.accepted, p.rejected, p.left) for p in rows]
    return table(columns, cells, right=columns[1:])


def _name(number: Any) -> str:
    return f"{number.name} (declared, not used yet)" if number.pending else str(number.name)


def _value(number: Any) -> str:
    if number.value is not None:
        return said(number.value)
    low, high = number.minimum, number.maximum
    if low is None:
        return f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def _source(number: Any) -> Any:
    text = f"{number.source_kind}: {number.source}"
    return styled(f"▲ {text}", "yellow") if number.source_kind == "assumed" else text
