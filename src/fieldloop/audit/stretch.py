"""The period of an export: one mistyped year must not turn weeks into decades."""

from collections.abc import Mapping
from datetime import date


def find_longest_period(lines: Mapping[date, int], most_days: float) -> tuple[date, date]:
    """Return the first and last day of the period with most lines; gaps between its days are at most so many days.

    >>> days = {date(2026, 1, 5): 3, date(2026, 2, 1): 4, date(2062, 1, 6): 5}
    >>> [day.isoformat() for day in find_longest_period(days, 92)]
    ['2026-01-05', '2026-02-01']
    """
    stretches: list[list[date]] = []
    for day in sorted(lines):
        if stretches and (day - stretches[-1][-1]).days <= most_days:
            stretches[-1].append(day)
        else:
            stretches.append([day])
    longest = max(stretches, key=lambda days: sum(lines[day] for day in days))
    return longest[0], longest[-1]
