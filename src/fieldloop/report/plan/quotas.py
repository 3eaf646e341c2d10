"""The table of quotas: one row each, with its expected gain on a common scale, and its reasons."""

import math
from collections.abc import Sequence

from fieldloop.model.plan import Plan, Quota
from fieldloop.report.bars import LEAST_SPAN, draw_interval_bar
from fieldloop.report.markup import draw_folded, draw_panel, draw_paragraph, draw_table
from fieldloop.report.plan.content import count_demonstrations_by_level, find_shared_factors, sort_by_gain
from fieldloop.say import write_details
from fieldloop.say.html import Markup, escape
from fieldloop.say.numbers import format_count, format_interval, format_plural, format_points, stratum_in_words

MOST_SHOWN = 40
MOST_LISTED = 400
COLUMNS = ("where", "demos", "kind", "gain in points", "why")


def draw_quotas_panel(plan: Plan) -> Markup:
    """Draw the quotas, the largest expected gain first; the rest is folded, but open in print."""
    ranked = sort_by_gain([q for q in plan.quotas if q.demonstrations])
    if not ranked:
        return draw_panel("What to collect", [draw_paragraph("The plan asks for no demonstrations.")])
    without = find_shared_factors([q.stratum for q in ranked])
    scale = _compute_gain_scale(ranked)
    rows = [_make_quota_row(quota, without, scale) for quota in ranked[:MOST_LISTED]]
    body = [
        draw_table(("in all", "demonstrations"), list(count_demonstrations_by_level(ranked))),
        _draw_quotas_table(rows[:MOST_SHOWN]),
    ]
    if rest := ranked[MOST_SHOWN:]:
        won = sum(q.gain for q in rest if math.isfinite(q.gain))
        demos = format_plural(sum(q.demonstrations for q in rest), "demonstration")
        body.append(
            draw_folded(
                f"{format_plural(len(rest), 'more row')}: {demos}, {format_points(won)} points",
                [_draw_quotas_table(rows[MOST_SHOWN:])],
            )
        )
    if len(ranked) > MOST_LISTED:
        body.append(
            draw_paragraph(
                f"{format_count(len(ranked) - MOST_LISTED)} more rows are in the JSON and the work orders.", "dim"
            )
        )
    same = f"everything at {stratum_in_words(ranked[0].stratum.only(without))}" if without else ""
    return draw_panel("What to collect", body, same, "collect")


def _draw_quotas_table(rows: Sequence[Sequence[object]]) -> Markup:
    return draw_table(COLUMNS, rows, COLUMNS[1:2], COLUMNS[4:], (COLUMNS[0], COLUMNS[2]))


def _compute_gain_scale(quotas: Sequence[Quota]) -> tuple[float, float]:
    """Return both ends of the common scale, which includes zero."""
    ends = [v for q in quotas for v in (q.gain_low, q.gain_high, q.gain) if math.isfinite(v)]
    return min([0.0, *ends]), max([LEAST_SPAN, *ends])


def _make_quota_row(quota: Quota, omitted_factors: Sequence[str], scale: tuple[float, float]) -> tuple[object, ...]:
    drawn = draw_interval_bar(quota.gain_low, quota.gain, quota.gain_high, first=scale[0], last=scale[1], tick=0.0)
    beside = f"{format_points(quota.gain, 2)} ({format_interval(quota.gain_low, quota.gain_high, 2)})"
    shown = beside if math.isfinite(quota.gain) else "not known"
    gain = Markup(f'<span class="bars">{drawn}{escape(shown)}</span>')
    return (
        stratum_in_words(quota.stratum, omitted_factors),
        quota.demonstrations,
        quota.kind.value,
        gain,
        write_details(quota.why),
    )
