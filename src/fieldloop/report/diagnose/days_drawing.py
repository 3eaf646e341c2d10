"""Drawing of production success by day, with its interval, the baseline, and the day a cause began."""

import math
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Any

from fieldloop.model.alarm import Rate
from fieldloop.model.diagnosis import Cause, Diagnosis
from fieldloop.report.plots import BAD, INK_3, SERIES, Margins, add_halo, make_responsive, open_drawing
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_day, percent
from fieldloop.stats import binomial

WIDTH, HEIGHT = 10.4, 2.1
BAND = "#c5d8f4"
MOST_MARKS = 3
MOST_LABELS = 8
FEW = 2


def draw_daily_rates(days: Sequence[Rate], diagnosis: Diagnosis) -> Markup | None:
    """Draw the rate of each day, all sites together; None where there are fewer than two days."""
    rates = _sum_sites_by_day(days)
    if len(rates) < FEW:
        return None
    at = [_get_noon_date(one) for one in rates]
    x = [one.toordinal() for one in at]
    with open_drawing(WIDTH, HEIGHT, Margins(left=0.5, right=0.9, top=0.15, bottom=0.3)) as (axis, made):
        axis.fill_between(x, [d.low for d in rates], [d.high for d in rates], color=BAND, linewidth=0)
        axis.plot(x, [d.rate for d in rates], color=SERIES[0], marker="o", markersize=3)
        low = min(d.low for d in rates)
        if math.isfinite(diagnosis.baseline):
            axis.axhline(diagnosis.baseline, color=INK_3, linestyle=(0, (4, 2)), linewidth=0.9)
            beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "annotation_clip": False}
            axis.annotate("baseline", (1, diagnosis.baseline), (4, 0), va="center", color=INK_3, **beside)
            low = min(low, diagnosis.baseline)
        for number, cause in enumerate(_select_dated_causes(diagnosis.causes)[:MOST_MARKS]):
            _mark_cause_date(axis, number, cause)
        axis.set_ylim(max(0.0, low - 0.05), 1.02)
        axis.yaxis.set_major_formatter(lambda value, _: percent(value, 0))
        axis.locator_params(axis="y", nbins=5)
        _label_days(axis, at)
    described = f"Success by day from {at[0]:%Y-%m-%d} to {at[-1]:%Y-%m-%d}"
    return make_responsive(made[0], described, WIDTH, min_width_in=6.0)


def _sum_sites_by_day(days: Sequence[Rate]) -> list[Rate]:
    """Sum the sites of each day."""
    parts: dict[date, list[Rate]] = defaultdict(list)
    for rate in days:
        if rate.episodes:
            parts[_get_noon_date(rate)].append(rate)
    summed = []
    for part in (parts[when] for when in sorted(parts)):
        won, tried = (sum(getattr(rate, name) for rate in part) for name in ("successes", "episodes"))
        ends = binomial.compute_wilson_interval(won, tried)
        summed.append(Rate(part[0].policy, "", won, tried, won / tried, *ends, part[0].start_ns, part[0].end_ns))
    return summed


def _mark_cause_date(axis: Any, number: int, cause: Cause) -> None:
    when = date.fromisoformat(cause.since_day or format_day(cause.since_ns or 0)).toordinal()
    axis.axvline(when, color=BAD, linestyle=(0, (1, 2)), linewidth=1.2)
    side, shift = ("left", 4) if when < sum(axis.get_xlim()) / 2 else ("right", -4)
    over = {"textcoords": "offset points", "color": BAD, "ha": side, "va": "top"}
    add_halo(axis.annotate(cause.gap.value, (when, 1), (shift, -2 - 11 * number), ("data", "axes fraction"), **over))


def _label_days(axis: Any, dates: Sequence[date]) -> None:
    shown = dates[:: max(1, -(-len(dates) // MOST_LABELS))]
    axis.set_xticks([one.toordinal() for one in shown], [f"{one.day} {one:%b}" for one in shown])
    axis.margins(x=0.02)


def _select_dated_causes(causes: Sequence[Cause]) -> list[Cause]:
    return [cause for cause in causes if cause.since_ns is not None]


def _get_noon_date(day_rate: Rate) -> date:
    """Return the date of its noon, because midnights differ from site to site."""
    return date.fromisoformat(format_day((day_rate.start_ns + day_rate.end_ns) // 2))
