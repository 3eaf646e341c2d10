"""The Settings page: every number in force with its unit, reason and source; assumed ones first."""

from collections.abc import Sequence

from fieldloop.loop.home.settings import show_settings
from fieldloop.loop.protocol.numbers import Number, Numbers
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_number, format_plural
from fieldloop.ui.components import Column, draw_answer_card, draw_chip, draw_key_values, draw_panel, draw_table
from fieldloop.ui.visit import Drawn, Visit

ASSUMED = "assumed"


def draw(visit: Visit) -> Drawn:
    """Draw the settings page."""
    now = show_settings(visit.workspace)
    rules, running = now.protocol, now.operations
    assumed = sum(n.source_kind == ASSUMED for n in (*rules.numbers, *running.numbers))
    total = len(rules.numbers) + len(running.numbers)
    card = draw_answer_card(
        "warn" if assumed else "good",
        f"{assumed} of {format_plural(total, 'number')} are assumed, not measured",
        "Replace an assumed number by a measured one in protocols/ or operations.toml of the workspace.",
    )
    where = draw_panel(
        "Workspace",
        draw_key_values(
            [
                ("Name", now.workspace),
                ("Task", now.task),
                ("Protocol", _write_settings_label(rules)),
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
            _draw_numbers_table("Protocol: how episodes are collected and judged", rules),
            _draw_numbers_table("Operations: how the workspace is run", running),
        ),
    )


def _write_settings_label(numbers: Numbers) -> str:
    return f"{numbers.name} v{numbers.version} ({numbers.fingerprint}), {'locked' if numbers.locked else 'not locked'}"


def _draw_numbers_table(title: str, numbers: Numbers) -> Markup:
    columns = ("Number", Column("Value", "num text"), "Unit", Column("Why", "text wide"), Column("Source", "source"))
    rows = [_make_number_row(n) for n in _sort_assumed_first(numbers.numbers)]
    return draw_panel(
        title, draw_table(columns, rows), note=f"{format_plural(len(rows), 'number')}, assumed ones first", flush=True
    )


def _sort_assumed_first(numbers: Sequence[Number]) -> list[Number]:
    return sorted(numbers, key=lambda n: n.source_kind != ASSUMED)


def _make_number_row(number: Number) -> tuple[object, ...]:
    mark = tag("span", draw_level_mark("warn", "assumed"), tag("span", f"assumed: {number.source}"), class_="st")
    source = (
        mark if number.source_kind == ASSUMED else tag("span", f"{number.source_kind}: {number.source}", class_="dim")
    )
    name = tag("span", number.name, class_="mono")
    to_come = "no check yet" if number.value is None else "not used yet"
    return (
        tag("span", name, " ", draw_chip(to_come)) if number.pending else name,
        _format_value(number),
        number.unit,
        number.why,
        source,
    )


def _format_value(number: Number) -> str:
    if isinstance(number.value, tuple):
        return ", ".join(format_number(v) for v in number.value)
    if number.value is not None:
        return format_number(number.value)
    low, high = number.minimum, number.maximum
    if low is None:
        return f"at most {format_number(high)}"
    return f"at least {format_number(low)}" if high is None else f"{format_number(low)} to {format_number(high)}"
