"""The table of quotas: one row each, with its expected gain on a common scale, and its reasons."""

import math
from collections.abc import Sequence

from fieldloop.model.plan import Plan, Quota
from fieldloop.report.bars import LEAST_SPAN, interval_bar
from fieldloop.report.markup import folded, panel, paragraph, table
from fieldloop.report.plan.content import demonstrations_by_level, shared_factors, sort_by_gain
from fieldloop.say import details
from fieldloop.say.html import Markup, escape
from fieldloop.say.numbers import interval, plural, points, stratum_in_words, whole

MOST_SHOWN = 40
MOST_LISTED = 400
COLUMNS = ("where", "demos", "kind", "gain in points", "why")


def what_to_collect(plan: Plan) -> Markup:
    """Draw the quotas, the largest expected gain first; the rest is folded, but open in print."""
    ranked = sort_by_gain([q for q in plan.quotas if q.demonstrations])
    if not ranked:
        return panel("What to collect", [paragraph("The plan asks for no demonstrations.")])
    without = shared_factors([q.stratum for q in ranked])
    scale = _scale(ranked)
    rows = [_row(quota, without, scale) for quota in ranked[:MOST_LISTED]]
    body = [table(("in all", "demonstrations"), list(demonstrations_by_level(ranked))), _table(rows[:MOST_SHOWN])]
    if rest := ranked[MOST_SHOWN:]:
        won = sum(q.gain for q in rest if math.isfinite(q.gain))
        demos = plural(sum(q.demonstrations for q in rest), "demonstration")
        body.append(
            folded(f"{plural(len(rest), 'more row')}: {demos}, {points(won)} points", [_table(rows[MOST_SHOWN:])])
        )
    if len(ranked) > MOST_LISTED:
        body.append(
            paragraph(f"{whole(len(ranked) - MOST_LISTED)} more rows are in the JSON and the work orders.", "dim")
        )
    same = f"everything at {stratum_in_words(ranked[0].stratum.only(without))}" if without else ""
    return panel("What to collect", body, same, "collect")


def _table(rows: Sequence[Sequence[object]]) -> Markup:
    return table(COLUMNS, rows, COLUMNS[1:2], COLUMNS[4:], (COLUMNS[0], COLUMNS[2]))


def _scale(quotas: Sequence[Quota]) -> tuple[float, float]:
    """Return both ends of the common scale, which includes zero."""
    ends = [v for q in quotas for v in (q.gain_low, q.gain_high, q.gain) if math.isfinite(v)]
    return min([0.0, *ends]), max([LEAST_SPAN, *ends])


def _row(quota: Quota, without: Sequence[str], scale: tuple[float, float]) -> tuple[object, ...]:
    drawn = interval_bar(quota.gain_low, quota.gain, quota.gain_high, first=scale[0], last=scale[1], tick=0.0)
    beside = f"{points(quota.gain, 2)} ({interval(quota.gain_low, quota.gain_high, 2)})"
    shown = beside if math.isfinite(quota.gain) else "not known"
    gain = Markup(f'<span class="bars">{drawn}{escape(shown)}</span>')
    return stratum_in_words(quota.stratum, without), quota.demonstrations, quota.kind.value, gain, details(quota.why)
