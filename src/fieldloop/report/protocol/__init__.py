"""A protocol as a sheet that an operator reads: as a page that prints, as Markdown, as parts that a page draws."""

from fieldloop.report.protocol.content import Facts, Grid, Lines, Part, Sheet
from fieldloop.report.protocol.html import html
from fieldloop.report.protocol.markdown import markdown
from fieldloop.report.protocol.sheet import sheet

__all__ = ["Facts", "Grid", "Lines", "Part", "Sheet", "html", "markdown", "sheet"]
