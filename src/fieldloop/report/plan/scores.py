"""Scores of earlier plans: promised and measured gain on one scale."""

import math
from collections.abc import Sequence

from fieldloop.model.plan import PlanScore
from fieldloop.report.bars import interval_bar
from fieldloop.report.markup import mono, panel, table
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape
from fieldloop.say.marks import status
from fieldloop.say.numbers import interval, points, shorten_ids, whole

MOST_SHOWN = 40


def earlier_scores_panel(scores: Sequence[PlanScore]) -> Markup:
    """Draw one row per plan: promised, measured, and the verdict."""
    limits = [v for s in scores for v in (s.expected_low, s.expected_high, s.measured_low, s.measured_high)]
    ends = [0.0, *(v for v in limits if math.isfinite(v))]
    rows = [
        (
            status(s.status),
            mono(shorten_ids(s.plan)),
            _gain_bar((s.expected_low, s.expected, s.expected_high), ends),
            _gain_bar((s.measured_low, s.measured, s.measured_high), ends),
            s.demonstrations,
            whole(s.episodes),
            sentence(s.message),
        )
        for s in scores[:MOST_SHOWN]
    ]
    columns = ("", "plan", "promised gain, points", "measured gain, points", "demos", "episodes", "what")
    return panel("Scores of earlier plans", [table(columns, rows, columns[4:6], columns[6:])], anchor="scores")


def _gain_bar(values: tuple[float, float, float], ends: Sequence[float]) -> Markup:
    low, value, high = values
    drawn = interval_bar(low, value, high, first=min(ends), last=max(ends), tick=0.0)
    return Markup(f'<span class="bars">{drawn}{escape(f"{points(value)} ({interval(low, high)})")}</span>')
