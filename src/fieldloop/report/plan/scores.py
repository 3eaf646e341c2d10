"""What earlier plans promised beside what came of them, on one scale."""

import math
from collections.abc import Sequence

from fieldloop.model.plan import PlanScore
from fieldloop.report.bars import interval_bar
from fieldloop.report.markup import Markup, escape, mark, mono, panel, table
from fieldloop.report.words import interval, points, short

MOST_SHOWN = 40


def earlier(scores: Sequence[PlanScore]) -> Markup:
    """Draw one row a plan: promised, came, and the verdict."""
    told = [v for s in scores for v in (s.expected_low, s.expected_high, s.measured_low, s.measured_high)]
    ends = [0.0, *(v for v in told if math.isfinite(v))]
    rows = [
        (
            mark(s.status),
            mono(short(s.plan)),
            _bar((s.expected_low, s.expected, s.expected_high), ends),
            _bar((s.measured_low, s.measured, s.measured_high), ends),
            s.demonstrations,
            f"{s.episodes:,}",
            s.message,
        )
        for s in scores[:MOST_SHOWN]
    ]
    columns = ("", "plan", "promised, points", "came, points", "demos", "episodes", "what")
    return panel("How earlier plans turned out", [table(columns, rows, columns[4:6], columns[6:])], anchor="scores")


def _bar(told: tuple[float, float, float], ends: Sequence[float]) -> Markup:
    low, value, high = told
    drawn = interval_bar(low, value, high, first=min(ends), last=max(ends), tick=0.0)
    return Markup(f'<span class="bars">{drawn}{escape(f"{points(value)} ({interval(low, high)})")}</span>')
