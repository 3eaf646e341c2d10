"""Before anything moves: the numbers in force."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_value, make_heading, make_styled_text, make_table
from fieldloop.say.numbers import format_number


def print_numbers(result: Any, screen: Screen) -> None:
    """Print every number in force with its unit, reason and source."""
    lock = "locked" if result.locked else "not locked"
    assumed = sum(n.source_kind == "assumed" for n in result.numbers)
    title = f"{result.name} v{result.version} ({result.fingerprint}), {lock}, {len(result.numbers)} numbers"
    screen.print(make_heading(title).append(f", {assumed} of them assumed", style="yellow"))
    rows = [(_format_name(n), _format_value(n), n.unit, n.why, _format_source(n)) for n in result.numbers]
    screen.print(make_table(("name", "value", "unit", "why", "source"), rows))


def _format_name(number: Any) -> str:
    return f"{number.name} (declared, not used yet)" if number.pending else str(number.name)


def _format_value(number: Any) -> str:
    if number.value is not None:
        return format_value(number.value)
    low, high = number.minimum, number.maximum
    if low is None:
        return f"at most {format_number(high, 6)}"
    return (
        f"at least {format_number(low, 6)}" if high is None else f"{format_number(low, 6)} to {format_number(high, 6)}"
    )


def _format_source(number: Any) -> Any:
    text = f"{number.source_kind}: {number.source}"
    return make_styled_text(f"▲ {text}", "yellow") if number.source_kind == "assumed" else text
