"""Settings: every number in force with its unit, reason and source; the assumed ones first."""

from collections.abc import Sequence

from fieldloop.loop.numbers import Number, Numbers, operations, protocol
from fieldloop.ui.components import Column, chip, dense_table, key_value, next_card, panel, status_mark
from fieldloop.ui.markup import Html, tag, text
from fieldloop.ui.said import figure, plural
from fieldloop.ui.visit import Drawn, Visit

ASSUMED = "assumed"


def draw(visit: Visit) -> Drawn:
    """Draw the settings page."""
    rules, running = protocol(visit.workspace), operations(visit.workspace)
    assumed = sum(n.source_kind == ASSUMED for n in (*rules.numbers, *running.numbers))
    total = len(rules.numbers) + len(running.numbers)
    card = next_card(
        "warn" if assumed else "good",
        f"{assumed} of {plural(total, 'number')} are assumed",
        "They work until somebody measures them; change one in protocols/ or operations.toml of the workspace.",
    )
    where = panel(
        "Workspace",
        key_value(
            [
                ("Name", visit.workspace.name),
                ("Task", visit.workspace.task),
                ("Protocol", _label(rules)),
                ("Operations", running.fingerprint),
                ("You are", f"{visit.workspace.actor.id}, {visit.workspace.actor.role.value}"),
            ]
        ),
    )
    return Drawn(
        text("Settings"),
        (card, where, _table("Protocol: how to collect", rules), _table("Operations: how to run", running)),
    )


def _label(rules: Numbers) -> str:
    return f"{rules.name} v{rules.version} ({rules.fingerprint}), {'locked' if rules.locked else 'not locked'}"


def _table(title: str, shown: Numbers) -> Html:
    columns = ("Number", Column("Value", "num text"), "Unit", Column("Why", "text wide"), Column("Source", "source"))
    rows = [_row(n) for n in _assumed_first(shown.numbers)]
    return panel(
        title, dense_table(columns, rows), note=f"{plural(len(rows), 'number')}, assumed ones first", flush=True
    )


def _assumed_first(numbers: Sequence[Number]) -> list[Number]:
    return sorted(numbers, key=lambda n: n.source_kind != ASSUMED)


def _row(number: Number) -> tuple[object, ...]:
    mark = tag("span", status_mark("warn", "assumed"), tag("span", f"assumed: {number.source}"), class_="st")
    source = (
        mark if number.source_kind == ASSUMED else tag("span", f"{number.source_kind}: {number.source}", class_="dim")
    )
    name = tag("span", number.name, class_="mono")
    to_come = "check to come" if number.value is None else "not used yet"
    return (
        tag("span", name, " ", chip(to_come)) if number.pending else name,
        _value(number),
        number.unit,
        number.why,
        source,
    )


def _value(number: Number) -> str:
    if isinstance(number.value, tuple):
        return ", ".join(figure(v) for v in number.value)
    if number.value is not None:
        return figure(number.value)
    low, high = number.minimum, number.maximum
    if low is None:
        return f"at most {figure(high)}"
    return f"at least {figure(low)}" if high is None else f"{figure(low)} to {figure(high)}"
