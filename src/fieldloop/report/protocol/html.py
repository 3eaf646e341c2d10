"""A sheet as one page: large enough to read beside the robot, and it prints."""

from importlib.resources import files

from fieldloop.report.markup import draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.report.protocol.content import Block, Facts, Grid, Lines, Sheet
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import draw_level_mark


def render_html(sheet: Sheet) -> str:
    """Return the whole page."""
    style = files("fieldloop.report.protocol").joinpath("sheet.css").read_text(encoding="utf-8")
    parts = [draw_panel(part.title, map(_draw_block, part.blocks), part.note) for part in sheet.parts]
    blocks = [Markup(f"<style>\n{style}</style>"), draw_paragraph(sheet.lead, "lead"), *parts]
    return render_page(sheet.title, blocks, kind="fieldloop protocol", foot=sheet.foot)


def _draw_block(block: Block) -> Markup:
    if isinstance(block, Facts):
        rows = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in block.pairs)
        return Markup(f'<dl class="facts">{"".join(rows)}</dl>')
    if isinstance(block, Grid):
        return draw_table(block.columns, block.rows)
    return _draw_sentences(block)


def _draw_sentences(block: Lines) -> Markup:
    kind = "ol" if block.ordered else "ul"
    sign = draw_level_mark("bad", "never") if block.prohibited else ""
    items = join(*(Markup(f"<li>{escape(sign)}<span>{escape(line)}</span></li>") for line in block.lines))
    heading = Markup(f"<h3>{escape(block.heading)}</h3>") if block.heading else ""
    name = "never" if block.prohibited else "do"
    return join(heading, Markup(f'<{kind} class="{name}">{items}</{kind}>'))
