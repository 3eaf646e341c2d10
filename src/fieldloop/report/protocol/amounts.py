"""Numbers in the units people think in: centimetres, degrees, percent."""

import math

from fieldloop.model.unit import is_share
from fieldloop.protocol import Limit
from fieldloop.say.numbers import format_number, format_without_unit

CENTIMETRES = 100.0


def format_amount(value: float, unit: str) -> str:
    """Write a number in an operator's words.

    >>> (format_amount(0.15, "m"), format_amount(1.5, "m"), format_amount(0.3, "share of episodes"),
    ...  format_amount(5.0, "N"), format_amount(0.025, "N"))
    ('15 cm', '1.5 m', '30 %', '5 N', '0.025 N')
    """
    if unit == "m" and abs(value) < 1:
        return f"{format_number(value * CENTIMETRES)} cm"
    if unit == "rad/s":
        return f"{format_number(math.degrees(value), 3)}° a second"
    if unit == "deg":
        return f"{format_number(value)}°"
    if is_share(unit):
        return format_without_unit(value, unit)
    return f"{format_number(value)} {unit}"


def format_limit(limit: Limit) -> str:
    """Write a limit in an operator's words.

    >>> from fieldloop.protocol import default_protocol
    >>> format_limit(default_protocol().limits["force.window"])
    '5 to 25 N'
    """
    low, high = limit.minimum, limit.maximum
    if low is not None and high is not None:
        first, last = format_amount(low, limit.unit), format_amount(high, limit.unit)
        same = first.partition(" ")[2] == last.partition(" ")[2]
        return f"{first.partition(' ')[0] if same else first} to {last}"
    if high is not None:
        return f"at most {format_amount(high, limit.unit)}"
    return f"at least {format_amount(low, limit.unit)}" if low is not None else "any"
