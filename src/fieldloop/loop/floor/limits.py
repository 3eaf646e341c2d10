"""How much may be simulated at once."""

from fieldloop.errors import BadInput
from fieldloop.say.numbers import whole

MOST_AT_ONCE = 100_000
"""Demonstrations or attempts; more would take days and fill the disk."""
MOST_DAYS = 3650.0
"""Ten years."""


def refuse_amount(name: str, value: float, most: float = MOST_AT_ONCE) -> None:
    """Refuse an amount that is not above 0, or larger than a simulation can make.

    >>> refuse_amount("count", 8)
    >>> refuse_amount("days", 1e308, MOST_DAYS)
    Traceback (most recent call last):
    fieldloop.errors.BadInput: days = 1e+308; it must be above 0 and at most 3,650.
    """
    if not 0 < value <= most:
        raise BadInput(f"{name} = {value}; it must be above 0 and at most {whole(int(most))}.")
