"""Writes a report as one HTML file with its style inside; it fetches nothing."""

from collections.abc import Iterable
from importlib.resources import files

from fieldloop.say import palette
from fieldloop.say.html import Markup, escape, join

DARK = "screen and (prefers-color-scheme: dark)"
"""Paper is always light."""


def render_page(title: str, blocks: Iterable[object], *, kind: str = "fieldloop", foot: str = "") -> str:
    """Return a whole HTML page. The first block should be the answer in one sentence."""
    style = palette.write_theme_css(DARK, by_media=True) + _read_style_sheet()
    footer = f"<footer>{escape(foot)}</footer>" if foot else ""
    return Markup(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header class="bar"><b>{escape(kind)}</b><h1>{escape(title)}</h1></header>\n'
        f"<main>\n{join(*blocks)}\n{footer}</main>\n</body>\n</html>\n"
    )


def _read_style_sheet() -> str:
    kit = files("fieldloop.say").joinpath("kit.css").read_text(encoding="utf-8")
    return kit + files("fieldloop.report").joinpath("report.css").read_text(encoding="utf-8")
