"""What every bench shares: figures with their n and interval, repeated runs, and the command line."""

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Measure(Protocol):
    """What a bench module offers: its figures, in full or in a form of at most a few minutes."""

    def __call__(self, *, short: bool) -> "Mapping[str, Figure]":
        """Measure."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number: the median of n runs with its 95 % interval; without n it is exact."""

    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    aim: str = ""

    def plain(self) -> float | dict[str, float | int | None]:
        """Return what `--json` prints for it."""
        if self.n is None:
            return self.value
        return {"value": self.value, "n": self.n, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        spread = "" if self.n is None else f"  ({_short(self.low)} to {_short(self.high)}, n = {self.n})"
        return f"{_short(self.value)} {self.unit}{spread}"


def summarise(values: Sequence[float], unit: str = "", aim: str = "") -> Figure:
    """Take the median of repeated runs, with a bootstrap interval of it.

    >>> summarise([1.0, 2.0, 3.0]).value
    2.0
    """
    draws = np.random.default_rng(0).choice(np.asarray(values, dtype=float), size=(2000, len(values)))
    low, high = np.percentile(np.median(draws, axis=1), (2.5, 97.5))
    return Figure(statistics.median(values), len(values), float(low), float(high), unit, aim)


def table(figures: Mapping[str, Figure]) -> str:
    """Write figures as a Markdown table."""
    lines = ["| figure | value | 95 % interval | n | aim |", "|---|---|---|---|---|"]
    for name, figure in figures.items():
        spread = "exact" if figure.n is None else f"{_short(figure.low)} to {_short(figure.high)}"
        n = "" if figure.n is None else figure.n
        lines.append(f"| {name} | {_short(figure.value)} {figure.unit} | {spread} | {n} | {figure.aim} |")
    return "\n".join(lines)


def main(measure: Measure) -> None:
    """Run one bench from the command line."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--short", action="store_true", help="a form of at most a few minutes")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    chosen = parser.parse_args()
    figures = measure(short=chosen.short)
    if chosen.json:
        print(json.dumps({name: figure.plain() for name, figure in figures.items()}))
        return
    width = max(map(len, figures), default=0)
    for name, figure in figures.items():
        print(f"{name:<{width}}  {figure}{f'   aim: {figure.aim}' if figure.aim else ''}")


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
