"""What every bench shares: figures with their n and interval, repeated runs, and the command line."""

import argparse
import contextlib
import json
import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fieldloop.stats.binomial import compute_wilson_interval

LEVEL = 0.95
RANGE = "range"
"""Marks a figure of too few runs for an interval: low and high are the smallest and the largest run."""


class Measure(Protocol):
    """What a bench module offers: its figures, in full or in a form of at most three minutes."""

    def __call__(self, *, short: bool) -> "Mapping[str, Figure | Skipped]":
        """Measure."""


class Missing(Exception):
    """Something that a comparison needs is not installed; the text states what, and how to get it."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not measured, and why."""

    reason: str

    def plain(self) -> dict[str, str]:
        """Return what `--json` prints for it."""
        return {"skipped": self.reason}

    def __str__(self) -> str:
        return f"skipped: {self.reason}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number: the median of n runs with its 95 % interval; without n it is exact.

    `kind` is empty for an interval; it is `RANGE` where low and high are only the smallest and the largest run.
    """

    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    aim: str = ""
    kind: str = ""

    def plain(self) -> float | dict[str, float | int | str | None] | None:
        """Return what `--json` prints for it."""
        if self.n is None:
            return _finite(self.value)
        found = {"value": _finite(self.value), "n": self.n, "low": _finite(self.low), "high": _finite(self.high)}
        return found | ({"kind": self.kind} if self.kind else {})

    @property
    def spread(self) -> str:
        """The interval, or what stands in its place."""
        if self.n is None:
            return "exact"
        ends = f"{_short(self.low)} to {_short(self.high)}"
        return f"{self.kind} {ends}" if self.kind else ends

    def __str__(self) -> str:
        spread = "" if self.n is None else f"  ({self.spread}, n = {self.n})"
        return f"{_short(self.value)} {self.unit}{spread}"


def summarise(values: Sequence[float], unit: str = "", aim: str = "") -> Figure:
    """Take the median of repeated runs, with the 95 % interval of it by order statistics, or the range of few runs.

    The interval makes no assumption about the distribution of runs, except that they are independent. Fewer than six
    runs have none at 95 %, not even from the smallest to the largest.

    >>> summarise([1.0, 2.0, 3.0]).spread
    'range 1 to 3'
    >>> summarise([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).spread
    '1 to 6'
    """
    ordered, rank = sorted(values), _rank_of_median_bound(len(values))
    low, high = ordered[rank or 0], ordered[-1 - (rank or 0)]
    kind = RANGE if rank is None else ""
    return Figure(statistics.median(values), len(values), low, high, unit, aim, kind)


def summarise_share(hits: Sequence[bool], unit: str = "share", aim: str = "") -> Figure:
    """Take the share of runs in which something held, with its Wilson interval.

    >>> summarise_share([False] * 12).spread
    '0 to 0.2425'
    """
    low, high = compute_wilson_interval(sum(hits), len(hits), LEVEL)
    return Figure(sum(hits) / len(hits), len(hits), low, high, unit, aim)


def summarise_mean(values: Sequence[float], unit: str = "", aim: str = "") -> Figure:
    """Take the mean of repeated runs with Student's 95 % interval; fewer than six runs get their range."""
    from scipy.special import stdtrit

    mean, n = statistics.fmean(values), len(values)
    if _rank_of_median_bound(n) is None:
        return Figure(mean, n, min(values), max(values), unit, aim, RANGE)
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * statistics.stdev(values) / math.sqrt(n)
    return Figure(mean, n, mean - half, mean + half, unit, aim)


def table(figures: Mapping[str, Figure | Skipped]) -> str:
    """Write figures as a Markdown table."""
    lines = ["| figure | value | 95 % interval | n | aim |", "|---|---|---|---|---|"]
    for name, figure in figures.items():
        if isinstance(figure, Skipped):
            lines.append(f"| {name} | {figure} | | | |")
            continue
        n = "" if figure.n is None else figure.n
        lines.append(f"| {name} | {_short(figure.value)} {figure.unit} | {figure.spread} | {n} | {figure.aim} |")
    return "\n".join(lines)


def main(measure: Measure) -> None:
    """Run one bench from the command line; whatever it prints besides its figures goes to standard error."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--short", action="store_true", help="a form of at most three minutes")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    chosen = parser.parse_args()
    with print_to_stderr():
        figures = measure(short=chosen.short)
    if chosen.json:
        print(json.dumps({name: figure.plain() for name, figure in figures.items()}, allow_nan=False))
        return
    width = max(map(len, figures), default=0)
    for name, figure in figures.items():
        aim = figure.aim if isinstance(figure, Figure) else ""
        print(f"{name:<{width}}  {figure}{f'   aim: {aim}' if aim else ''}")


@contextlib.contextmanager
def print_to_stderr() -> Iterator[None]:
    """Keep standard output for figures, so that `--json` prints one object whatever a bench reports beside it."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _rank_of_median_bound(n: int) -> int | None:
    """Return the largest rank r (from 0) so that the r-th smallest and r-th largest hold the median; None for none."""
    from scipy.stats import binom

    ranks = [rank for rank in range(n // 2) if 1 - 2 * float(binom.cdf(rank, n, 0.5)) >= LEVEL]
    return max(ranks, default=None)


def _finite(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else number


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
