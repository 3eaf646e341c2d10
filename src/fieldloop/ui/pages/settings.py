"""The Settings page: every number in force with its unit, reason and source; assumed ones first."""

from collections.abc import Sequence

from fieldloop.loop.home.settings import show_settings
from fieldloop.loop.protocol.numbers import Number, Numbers
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import shape
from fieldloop.say.numbers import format_number, plural
from fieldloop.ui.components import Column, chip, dense_table, key_value, next_card, panel
from fieldloop.ui.visit import Drawn, Visit

ASSUMED = "assumed"


def draw(visit: Visit) -> Drawn:
    """Draw the settings page."""
    now = show_settings(visit.workspace)
    rules, running = now.protocol, now.operations
    assumed = sum(n.source_kind == ASSUMED for n in (*rules.numbers, *running.numbers))
    total = len(rules.numbers) + len(running.numbers)
    card = next_card(
        "warn" if assumed else "good",
        f"{assumed} of {plural(total, 'number')} are assumed, not measured",
        "Replace an assumed number by a measured one in protocols/ or operations.toml of the workspace.",
    )
    where = panel(
        "Workspace",
        key_value(
            [
                ("Name", now.workspace),
                ("Task", now.task),
                ("Protocol", _label(rules)),
                ("Operations", running.fingerprint),
                ("You are", f"{now.user}, {now.role}"),
                ("HTTP API", tag("a", "every route with its parameters and answers", href="/docs")),
            ]
        ),
    )
    return Drawn(
        escape("Settings"),
        (
            card,
            where,
            _table("Protocol: how episodes are collected and judged", rules),
            _table("Operations: how the workspace is run", running),
        ),
    )


def _label(rules: Numbers) -> str:
    return f"{rules.name} v{rules.version} ({rules.fingerprint}), {'locked' if rules.locked else 'not locked'}"


def _table(title: str, shown: Numbers) -> Markup:
    columns = ("Number", Column("Value", "num text"), "Unit", Column("Why", "text wide"), Column("Source", "source"))
    rows = [_row(n) for n in _assumed_first(shown.numbers)]
    return panel(
        title, dense_table(columns, rows), note=f"{plural(len(rows), 'number')}, assumed ones first", flush=True
    )


def _assumed_first(numbers: Sequence[Number]) -> list[Number]:
    return sorted(numbers, key=lambda n: n.source_kind != ASSUMED)


def _row(number: Number) -> tuple[object, ...]:
    mark = tag("span", shape("warn", "assumed"), tag("span", f"assumed: {number.source}"), class_="st")
    source = (
        mark if number.source_kind == ASSUMED else tag("span", f"{number.source_kind}: {number.source}", class_="dim")
    )
    name = tag("span", number.name, class_="mono")
    to_come = "no check yet" if number.value is None else "not used yet"
    return (
        tag("span", name, " ", chip(to_come)) if number.pending else name,
        _value(number),
        number.unit,
        number.why,
        source,
    )


def _value(number: Number) -> str:
    if isinstance(number.value, tuple):
        return ", ".join(format_number(v) for v in number.value)
    if number.value is not None:
        return format_number(number.value)
    low, high = number.minimum, number.maximum
    if low is None:
        return f"at most {format_number(high)}"
    return f"at least {format_number(low)}" if high is None else f"{format_number(low)} to {format_number(high)}"
