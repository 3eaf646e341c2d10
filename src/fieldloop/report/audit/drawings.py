"""Drawings of the map: exposure by factor and site, and picks by article."""

from collections.abc import Sequence

import numpy as np

from fieldloop.model.deployment import Deployment, Site, Sku
from fieldloop.report.plots import INK, INK_3, LINE, SERIES, SURFACE, Margins, add_halo, open_drawing
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_count, percent

WIDTH = 5.3
SHADES = ("#eef0f2", "#c5d8f4", "#7fa6e2", "#2563c9")
EDGES = (0.0, 0.15, 0.35, 0.6)
MOST_SITES = 8
MOST_LETTERS = 28
INCH_A_LETTER = 0.062
NAMES = {"high": "high", "medium": "medium", "long_tail": "long tail"}


def draw_exposure(deployment: Deployment, sites: Sequence[Site]) -> Markup | None:
    """Draw every level of every factor as a row and every site as a column, with its share of the site's picks.

    None where the map gives no shares.
    """
    from matplotlib.patches import Rectangle

    mixes = [deployment.get_mixes(site) for site in sites]
    rows = list(dict.fromkeys((factor, level) for mix in mixes for factor, levels in mix.items() for level in levels))
    if not rows:
        return None
    longest = max(len(f"{factor} {level}") for factor, level in rows)
    left = min(2.6, 0.35 + INCH_A_LETTER * longest)
    heads = [shorten_middle(f"{site.id}, {percent(site.share, 0)}") for site in sites]
    widest = INCH_A_LETTER * max(map(len, heads))
    upright = widest > (WIDTH - left) / len(sites)  # side by side they would overlap
    top = 0.15 + widest if upright else 0.3
    height = 0.23 * len(rows) + top + 0.06
    with open_drawing(WIDTH, height, Margins(left=left, right=0.05, top=top, bottom=0.05)) as (axis, made):
        axis.grid(visible=False)
        for row, (factor, level) in enumerate(rows):
            for column, mix in enumerate(mixes):
                share = mix.get(factor, {}).get(level)
                fill = SURFACE if share is None else SHADES[int(np.searchsorted(EDGES, share, "right")) - 1]
                axis.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor=SURFACE, linewidth=1.5))
                text = "–" if share is None else percent(share, 0)
                ink = SURFACE if fill == SHADES[-1] else INK_3 if share is None else INK
                axis.text(column + 0.5, row + 0.54, text, ha="center", va="center", color=ink)
        starts = [row for row in range(1, len(rows)) if rows[row][0] != rows[row - 1][0]]
        for row in starts:
            axis.axhline(row, color=LINE, linewidth=0.8)
        axis.set_xlim(0, len(sites))
        axis.set_ylim(len(rows), 0)
        axis.set_yticks(np.arange(len(rows)) + 0.5, [f"{factor}  {level}" for factor, level in rows])
        axis.set_xticks(np.arange(len(sites)) + 0.5, heads, rotation=90 if upright else 0)
        axis.xaxis.tick_top()
        axis.spines["bottom"].set_visible(False)
    return made[0]


def shorten_middle(text: str) -> str:
    """Keep both ends of a long name: names of sites and levels differ there.

    >>> shorten_middle("distribution centre north, annex 7")
    'distribution …north, annex 7'
    """
    half = MOST_LETTERS // 2
    return text if len(text) <= MOST_LETTERS else f"{text[: half - 1]}…{text[-half:]}"


def draw_velocity(skus: Sequence[Sku]) -> Markup | None:
    """Draw the cumulative share of picks by article, most picked first, with the tiers marked; None without picks."""
    ranked = sorted(skus, key=lambda sku: (-sku.picks_per_week, sku.id))
    picks = np.array([sku.picks_per_week for sku in ranked])
    if not picks.sum():
        return None
    share = np.concatenate([[0.0], np.cumsum(picks) / picks.sum()])
    places = np.unique(np.linspace(0, len(picks), min(len(picks), 400) + 1).astype(int))
    with open_drawing(WIDTH, 2.4, Margins(left=0.45, right=0.15, bottom=0.4)) as (axis, made):
        axis.plot(places / len(picks), share[places], color=SERIES[0], linewidth=1.6)
        start = 0
        for tier, colour in zip(NAMES, SERIES, strict=False):
            count = sum(sku.tier == tier for sku in ranked)
            if not count:
                continue
            end = start + count
            axis.axvspan(start / len(picks), end / len(picks), color=colour, alpha=0.07, linewidth=0)
            label = f"{NAMES[tier]}: {format_count(count)} articles, {percent(share[end] - share[start], 0)} of picks"
            add_halo(
                axis.text(0.98, 0.26 - 0.1 * list(NAMES).index(tier), label, color=colour, ha="right", va="bottom")
            )
            start = end
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1.02)
        axis.set_yticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %"])
        axis.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 % of articles"])
        axis.get_xticklabels()[-1].set_horizontalalignment("right")
        axis.set_title("share of picks, articles most picked first", loc="left", pad=5, color=INK)
    return made[0]
