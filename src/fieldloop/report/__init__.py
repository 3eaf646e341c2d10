"""Nouns become one self-contained HTML file: reads in light, dark and grey, prints well, fetches nothing.

`render_page(title, blocks)` is the shell of every report; `markup` has the pieces, `plots` the drawings. Each report
has a package of its own: `check` is the first.
"""

from fieldloop.report.markup import draw_figure, draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say.html import Markup

__all__ = ["Markup", "draw_figure", "draw_panel", "draw_paragraph", "draw_table", "render_page"]
