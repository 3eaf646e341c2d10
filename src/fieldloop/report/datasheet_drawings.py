"""Drawings of a datasheet: shares in production and in the release, durations, and counts, as plain SVG."""

from collections.abc import Sequence

from fieldloop.model.release import Release
from fieldloop.model.release_contents import Bin, Counted
from fieldloop.say.html import Markup, escape
from fieldloop.say.numbers import format_number, levels_in_words, percent

ROW, LABEL, BAR, VALUE, MOST_ROWS = 22, 190, 260, 120, 12
LETTER = 6.2
"""Width of a letter at 11 pixels, in which labels are cut."""
HEIGHT, BIN = 120, 24
NOT_STATED = "not stated"


def draw_shares(release: Release) -> Markup:
    """Draw the share of each stratum in production as a tick over its share of the release, largest first."""
    shares = sorted(release.shares, key=lambda s: -max(s.natural, s.sampled))[:MOST_ROWS]
    most = max((max(s.natural, s.sampled) for s in shares), default=0.0) or 1.0
    rows = []
    for k, share in enumerate(shares):
        y = k * ROW
        tick = LABEL + BAR * share.natural / most
        rows.append(
            _draw_label(levels_in_words(share.stratum) or NOT_STATED, y)
            + f'<rect x="{LABEL}" y="{y + 5}" width="{BAR * share.sampled / most:.1f}" height="12" fill="var(--c1)"/>'
            + f'<path d="M{tick:.1f} {y + 2}v18" stroke="var(--ink)" stroke-width="2"/>'
            + _draw_value(f"{percent(share.sampled)} of {percent(share.natural)}", y)
        )
    return _wrap(rows, len(shares) * ROW, "Share of each stratum in the release (bar) and in production (tick)")


def draw_counts(counts: Sequence[Counted], title: str) -> Markup:
    """Draw how many episodes have each name, most first."""
    shown = counts[:MOST_ROWS]
    most = max((one.episodes for one in shown), default=1)
    rows = [
        _draw_label(one.name or NOT_STATED, k * ROW)
        + f'<rect x="{LABEL}" y="{k * ROW + 5}" width="{BAR * one.episodes / most:.1f}" height="12" fill="var(--c1)"/>'
        + _draw_value(format_number(one.episodes), k * ROW)
        for k, one in enumerate(shown)
    ]
    return _wrap(rows, len(shown) * ROW, title)


def draw_durations(bins: Sequence[Bin]) -> Markup:
    """Draw a histogram of durations."""
    most = max((one.episodes for one in bins), default=1) or 1
    wide = max(BIN, 480 // max(len(bins), 1))
    bars = []
    for k, one in enumerate(bins):
        tall = (HEIGHT - 36) * one.episodes / most
        count = one.episodes or ""
        bars.append(
            f'<rect x="{k * wide + 1}" y="{HEIGHT - 18 - tall:.1f}" width="{wide - 2}" height="{tall:.1f}" '
            f'fill="var(--c1)"/><text x="{k * wide + wide / 2}" y="{HEIGHT - 22 - tall:.1f}" text-anchor="middle" '
            f'font-size="11" fill="var(--ink-2)">{count}</text>'
        )
    ends = (bins[0].low_s, bins[-1].high_s) if bins else (0.0, 0.0)
    bars.append(f'<text x="0" y="{HEIGHT - 4}" font-size="11" fill="var(--ink-3)">{format_number(ends[0], 3)} s</text>')
    bars.append(
        f'<text x="{len(bins) * wide}" y="{HEIGHT - 4}" font-size="11" text-anchor="end" fill="var(--ink-3)">'
        f"{format_number(ends[1], 3)} s</text>"
    )
    return _wrap(bars, HEIGHT, "Episodes by duration", width=max(len(bins) * wide, 1))


def _draw_label(text: str, y: int) -> str:
    most = int(LABEL / LETTER) - 1
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    whole = f"<title>{escape(text)}</title>"
    return f'<text x="0" y="{y + 15}" font-size="11" fill="var(--ink-2)">{escape(shown)}{whole}</text>'


def _draw_value(text: str, y: int) -> str:
    return f'<text x="{LABEL + BAR + 8}" y="{y + 15}" font-size="11" fill="var(--ink-2)">{escape(text)}</text>'


def _wrap(parts: Sequence[str], height: int, label: str, width: int = LABEL + BAR + VALUE) -> Markup:
    style = f"display:block;width:100%;height:auto;max-width:{width}px"
    return Markup(
        f'<svg viewBox="0 0 {width} {max(height, 1)}" role="img" aria-label="{escape(label)}" style="{style}">'
        f"{''.join(parts)}</svg>"
    )
