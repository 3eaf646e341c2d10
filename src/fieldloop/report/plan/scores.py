"""Scores of earlier plans: promised and measured gain on one scale."""

import math
from collections.abc import Sequence

from fieldloop.model.plan import PlanScore
from fieldloop.report.bars import draw_interval_bar
from fieldloop.report.markup import draw_monospace, draw_panel, draw_table
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_interval, format_points, shorten_ids

MOST_SHOWN = 40


def draw_plan_scores(scores: Sequence[PlanScore]) -> Markup:
    """Draw one row per plan: promised, measured, and the verdict."""
    limits = [v for s in scores for v in (s.expected_low, s.expected_high, s.measured_low, s.measured_high)]
    ends = [0.0, *(v for v in limits if math.isfinite(v))]
    rows = [
        (
            draw_status(s.status),
            draw_monospace(shorten_ids(s.plan)),
            _draw_gain_bar((s.expected_low, s.expected, s.expected_high), ends),
            _draw_gain_bar((s.measured_low, s.measured, s.measured_high), ends),
            s.demonstrations,
            format_count(s.episodes),
            write_sentence(s.message),
        )
        for s in scores[:MOST_SHOWN]
    ]
    columns = ("", "plan", "promised gain, points", "measured gain, points", "demos", "episodes", "what")
    return draw_panel(
        "Scores of earlier plans", [draw_table(columns, rows, columns[4:6], columns[6:])], anchor="scores"
    )


def _draw_gain_bar(low_gain_high: tuple[float, float, float], scale_ends: Sequence[float]) -> Markup:
    low, value, high = low_gain_high
    drawn = draw_interval_bar(low, value, high, first=min(scale_ends), last=max(scale_ends), tick=0.0)
    return Markup(
        f'<span class="bars">{drawn}{escape(f"{format_points(value)} ({format_interval(low, high)})")}</span>'
    )
