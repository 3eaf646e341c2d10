"""Before anything moves: the numbers in force."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, styled, table, value_text
from fieldloop.say.numbers import format_number


def numbers(shown: Any, screen: Screen) -> None:
    """Print every number in force with its unit, reason and source."""
    lock = "locked" if shown.locked else "not locked"
    assumed = sum(n.source_kind == "assumed" for n in shown.numbers)
    title = f"{shown.name} v{shown.version} ({shown.fingerprint}), {lock}, {len(shown.numbers)} numbers"
    screen.print(heading(title).append(f", {assumed} of them assumed", style="yellow"))
    rows = [(_name(n), _value(n), n.unit, n.why, _source(n)) for n in shown.numbers]
    screen.print(table(("name", "value", "unit", "why", "source"), rows))


def _name(number: Any) -> str:
    return f"{number.name} (declared, not used yet)" if number.pending else str(number.name)


def _value(number: Any) -> str:
    if number.value is not None:
        return value_text(number.value)
    low, high = number.minimum, number.maximum
    if low is None:
        return f"at most {format_number(high, 6)}"
    return (
        f"at least {format_number(low, 6)}" if high is None else f"{format_number(low, 6)} to {format_number(high, 6)}"
    )


def _source(number: Any) -> Any:
    text = f"{number.source_kind}: {number.source}"
    return styled(f"▲ {text}", "yellow") if number.source_kind == "assumed" else text
