"""Draws plots as inline SVG in the light palette, then replaces each colour by its token, so that dark works too."""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple

from fieldloop.say.html import Markup, escape
from fieldloop.say.numbers import format_number
from fieldloop.say.palette import LIGHT

DRAWN = (
    "ink", "ink-2", "ink-3", "line", "line-2", "surface", "bad", "warn", "good", "even", "over-1", "over-2", "under-1",
    "under-2", "c1", "c2", "c3", "c4", "c5", "c6",
)  # fmt: skip
"""Tokens that drawings use; each has a colour of its own, so that a colour leads back to its token."""
TOKENS = {LIGHT[token]: token for token in DRAWN}
SERIES = tuple(LIGHT[f"c{k}"] for k in range(1, 7))
INK, INK_2, INK_3, LINE, LINE_2, SURFACE, BAD, WARN = (LIGHT[token] for token in DRAWN[:8])
LINE_WIDTH = 1.1
PX_PER_INCH = 102
"""Scale of sized drawings: text of 8 points is then 11 pixels on screen."""
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "fieldloop", "text.parse_math": False, "font.size": 8,
    "axes.edgecolor": LINE_2, "axes.labelcolor": INK_3, "text.color": INK_2,
    "xtick.color": INK_3, "ytick.color": INK_3, "xtick.labelsize": 8, "ytick.labelsize": 8, "axes.titlesize": 8,
    "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False, "axes.linewidth": 0.8,
    "xtick.major.size": 0, "ytick.major.size": 0, "axes.grid": True, "axes.grid.axis": "y", "grid.color": LINE,
    "grid.linewidth": 0.8, "axes.axisbelow": True, "lines.linewidth": LINE_WIDTH, "figure.facecolor": "none",
    "axes.facecolor": "none", "savefig.facecolor": "none",
}  # fmt: skip

DRAWING = Lock()
"""The style is set for the whole process while a drawing is made, and pages are drawn in several threads."""


class Margins(NamedTuple):
    """Room around the axes, in inches; given, because measuring the text would take longer than the drawing."""

    left: float = 0.45
    right: float = 0.1
    top: float = 0.24
    bottom: float = 0.24


@contextmanager
def open_drawing(width: float, height: float, margins: Margins = Margins()) -> Iterator[tuple[Any, list[Markup]]]:  # noqa: B008 - frozen
    """Open axes of this size in inches; the SVG is in the list once the block has ended."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    made: list[Markup] = []
    # the font used for measuring may lack letters of a name; the browser has its own fonts
    warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
    with DRAWING, mpl.rc_context(STYLE):
        sketch = Figure(figsize=(width, height))
        FigureCanvasSVG(sketch)
        across, up = width - margins.left - margins.right, height - margins.top - margins.bottom
        axis = sketch.add_axes((margins.left / width, margins.bottom / height, across / width, up / height))
        yield axis, made
        made.append(_to_inline_svg(sketch))


def make_responsive(svg: Markup, label: str, width_in: float, min_width_in: float = 0.0) -> Markup:
    """Show a drawing of so many inches at its own size, smaller on a narrow screen, but never below `min_width_in`.

    `label` describes the drawing in words, for screen readers.
    """
    most, fewest = (round(inches * PX_PER_INCH) for inches in (width_in, min(width_in, min_width_in)))
    style = f"display:block;width:100%;height:auto;max-width:{most}px;min-width:{fewest}px"
    return Markup(str(svg).replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" style="{style}" ', 1))


def add_halo(text: Any) -> None:
    """Put the surface's colour around a label, so that lines may cross it."""
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.5, foreground=SURFACE)])


def label_seconds_axis(axis: Any) -> None:
    """Label a time axis: the unit once, at the last tick."""
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(6))
    ticks = [t for t in axis.get_xticks() if axis.get_xlim()[0] <= t <= axis.get_xlim()[1]]
    axis.set_xticks(ticks, [format_number(t, 6) for t in ticks[:-1]] + [f"{format_number(t, 6)} s" for t in ticks[-1:]])


def _to_inline_svg(figure: Any) -> Markup:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda m: f"var(--{TOKENS[m[0]]})" if m[0] in TOKENS else m[0], text)
    return Markup(_prefix_ids(text))


_DRAWN = iter(range(1, 1 << 62))


def _prefix_ids(text: str) -> str:
    """Add a prefix to ids, because several drawings share one page."""
    prefix = f"d{next(_DRAWN)}-"
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'href="#', f'href="#{prefix}', text)
    return re.sub(r"url\(#", f"url(#{prefix}", text)
