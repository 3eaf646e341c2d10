"""Drawings as inline SVG. Drawn in the light palette, then every colour is exchanged for its token, so dark works too."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fieldloop.report.markup import Markup

TOKENS = {
    "#14181d": "ink", "#46515d": "ink-2", "#5f6b78": "ink-3", "#dce0e5": "line", "#bcc4cd": "line-2", "#ffffff": "surface",
    "#b42a17": "bad", "#8a5600": "warn", "#0b6e4f": "good", "#eef0f2": "even", "#c5d8f4": "over-1", "#7fa6e2": "over-2",
    "#2563c9": "c1", "#b3540a": "c2", "#0c7a6b": "c3", "#9d2f7c": "c4", "#6a6300": "c5", "#56606b": "c6",
}  # fmt: skip
SERIES = ("#2563c9", "#b3540a", "#0c7a6b", "#9d2f7c", "#6a6300", "#56606b")
INK, INK_2, INK_3, LINE, LINE_2, SURFACE, BAD, WARN = (
    "#14181d", "#46515d", "#5f6b78", "#dce0e5", "#bcc4cd", "#ffffff", "#b42a17", "#8a5600",
)  # fmt: skip
LINE_WIDTH = 1.2
STYLE = {
    "svg.fonttype": "none", "font.size": 8.5, "axes.edgecolor": LINE_2, "axes.labelcolor": INK_3, "text.color": INK_2,
    "xtick.color": INK_3, "ytick.color": INK_3, "xtick.labelsize": 8, "ytick.labelsize": 8, "axes.titlesize": 8.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False, "axes.linewidth": 0.8,
    "xtick.major.size": 0, "ytick.major.size": 0, "axes.grid": True, "axes.grid.axis": "y", "grid.color": LINE,
    "grid.linewidth": 0.8, "axes.axisbelow": True, "lines.linewidth": LINE_WIDTH, "figure.facecolor": "none",
    "axes.facecolor": "none", "savefig.facecolor": "none",
}  # fmt: skip


@contextmanager
def drawing(width: float, height: float, rows: int = 1, **more: Any) -> Iterator[tuple[Any, Sequence[Any], list[Markup]]]:
    """Open a figure with `rows` axes that share their time; its SVG is in the list once the block has ended."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    made: list[Markup] = []
    with mpl.rc_context({**STYLE, "svg.hashsalt": f"{width}{height}{rows}{more}"}):  # type: ignore[arg-type] # keys as text
        picture = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(picture)
        axes = picture.subplots(rows, 1, squeeze=False, **more)[:, 0]
        yield picture, axes, made
        made.append(_inline(picture))


def _inline(picture: Any) -> Markup:
    file = io.StringIO()
    picture.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda m: f"var(--{TOKENS[m[0]]})" if m[0] in TOKENS else m[0], text)
    return Markup(_own_names(text))


_DRAWN = iter(range(1, 1 << 62))


def _own_names(text: str) -> str:
    """Give ids a prefix of their own, because several drawings share one page."""
    prefix = f"d{next(_DRAWN)}-"
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'href="#', f'href="#{prefix}', text)
    return re.sub(r"url\(#", f"url(#{prefix}", text)
