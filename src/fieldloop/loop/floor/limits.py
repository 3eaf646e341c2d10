"""How much may be simulated at once."""

from fieldloop.errors import BadInput
from fieldloop.protocol import default_operations
from fieldloop.say.numbers import format_count


def read_most_simulated() -> float:
    """How many demonstrations or attempts may be simulated at once?"""
    return default_operations()["store"].number("most_simulated")


def read_most_days() -> float:
    """How many days of production may be simulated at once?"""
    return default_operations()["store"].number("most_simulated_days")


def refuse_too_large_amount(name: str, value: float, most: float | None = None) -> None:
    """Refuse an amount that is not above 0, or larger than a simulation can make (default: demonstrations or attempts).

    >>> refuse_too_large_amount("count", 8)
    >>> refuse_too_large_amount("days", 1e308, read_most_days())
    Traceback (most recent call last):
    fieldloop.errors.BadInput: days = 1e+308; it must be above 0 and at most 3,650.
    """
    most = read_most_simulated() if most is None else most
    if not 0 < value <= most:
        raise BadInput(f"{name} = {value}; it must be above 0 and at most {format_count(int(most))}.")
