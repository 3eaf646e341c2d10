"""Markdown that fieldloop writes itself (datasheets, post-mortems) as HTML."""

from functools import cache

from markdown_it import MarkdownIt

from fieldloop.say.html import Markup, tag

RULES = ("heading", "list", "table", "backticks", "emphasis", "escape", "fence", "hr")
"""What is written in them. Links, pictures and raw HTML stay text: an operator's name must not fetch anything."""


def render_markdown(markdown: str) -> Markup:
    r"""Render plain Markdown.

    >>> render_markdown("# Release <r7>")
    Markup('<div class="prose"><h1>Release &lt;r7&gt;</h1>\n</div>')
    """
    return tag("div", Markup(_make_markdown_parser().render(markdown)), class_="prose")


@cache
def _make_markdown_parser() -> MarkdownIt:
    reader = MarkdownIt("zero").enable(list(RULES))
    reader.add_render_rule("table_open", lambda *_: '<table class="t">')
    return reader
