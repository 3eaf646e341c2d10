"""How much may be simulated at once."""

from fieldloop.errors import BadInput
from fieldloop.protocol import default_operations
from fieldloop.say.numbers import format_count

MOST_DAYS = 3650.0
"""Ten years."""


def refuse_too_large_amount(name: str, value: float, most: float | None = None) -> None:
    """Refuse an amount that is not above 0, or larger than a simulation can make (default: demonstrations or attempts).

    >>> refuse_too_large_amount("count", 8)
    >>> refuse_too_large_amount("days", 1e308, MOST_DAYS)
    Traceback (most recent call last):
    fieldloop.errors.BadInput: days = 1e+308; it must be above 0 and at most 3,650.
    """
    most = default_operations()["store"].number("most_simulated") if most is None else most
    if not 0 < value <= most:
        raise BadInput(f"{name} = {value}; it must be above 0 and at most {format_count(int(most))}.")
