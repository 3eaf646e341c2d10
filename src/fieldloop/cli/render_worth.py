"""Render the worth of episodes: the least valuable first, then those without an estimate, then what trials show."""

from collections import Counter

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import make_heading, make_table
from fieldloop.model.worth import Worth
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_number, format_plural, format_points, percent
from fieldloop.say.worth import SCALES

MOST_ROWS = 12


def print_worth(result: Worth, screen: Screen) -> None:
    """Print the least valuable episodes; --json lists all."""
    screen.print(make_heading(f"{format_plural(len(result.episodes), 'episode')} by worth ({result.method.value})"))
    rows = [
        (place, one.name, format_number(one.value), _write_interval(one.low, one.high))
        for place, one in enumerate(result.episodes[:MOST_ROWS], start=1)
    ]
    if rows:
        screen.write(SCALES[result.method])
        screen.print(make_table(("rank", "episode", "worth", "interval"), rows, right=("rank", "worth")))
    if len(result.episodes) > MOST_ROWS:
        screen.write(f"And {format_plural(len(result.episodes) - MOST_ROWS, 'more episode')}; --json lists all.")
    for reason, count in Counter(write_sentence(why) for _, why in result.unknown).most_common():
        screen.write(f"{format_plural(count, 'episode')} without an estimate: {reason}")
    if result.evidence:
        screen.print()
        screen.print(make_heading("Trials with and without the least valuable"))
        tried = [
            (
                one.whole,
                one.without,
                percent(one.share),
                f"{one.successes}/{one.trials}",
                f"{one.successes_without}/{one.trials_without}",
                f"{format_points(one.gain)} ({format_points(one.low)} to {format_points(one.high)})",
                f"look {one.look}" if one.look else f"first look at {one.planned}",
            )
            for one in result.evidence
        ]
        columns = ("whole", "without", "left out", "succeeded, whole", "without", "gain in points", "judged")
        screen.print(make_table(columns, tried, right=columns[2:]))
    screen.print()
    screen.write(write_sentence(result.conclusion))


def _write_interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{format_number(low)} to {format_number(high)}"
