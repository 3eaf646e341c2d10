"""A protocol as a sheet that an operator reads: as a page that prints, as Markdown, as parts that a page draws."""

from fieldloop.report.protocol.content import Facts, Grid, Lines, Part, Sheet
from fieldloop.report.protocol.html import render_html
from fieldloop.report.protocol.markdown import render_markdown
from fieldloop.report.protocol.sheet import make_operator_sheet

__all__ = ["Facts", "Grid", "Lines", "Part", "Sheet", "make_operator_sheet", "render_html", "render_markdown"]
