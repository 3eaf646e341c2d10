"""Markdown that fieldloop writes itself (datasheets, post-mortems) as HTML: headings, lists, tables, paragraphs."""

import re
from collections.abc import Iterator
from itertools import groupby

from fieldloop.ui.markup import Html, join, tag, text


def prose(markdown: str) -> Html:
    """Render the plain subset of Markdown; everything in it stays text.

    >>> prose("# Release <r7>")
    '<div class="prose"><h1>Release &lt;r7&gt;</h1></div>'
    """
    return tag("div", *_blocks(markdown), class_="prose")


def _blocks(markdown: str) -> Iterator[Html]:
    for kind, lines in groupby(markdown.splitlines(), key=_kind):
        rows = list(lines)
        if kind == "heading":
            for row in rows:
                depth = min(3, len(row) - len(row.lstrip("#")))
                yield tag(f"h{depth}", _inline(row.lstrip("# ")))
        elif kind == "list":
            yield tag("ul", *(tag("li", _inline(row.strip()[2:])) for row in rows))
        elif kind == "table":
            yield _table(rows)
        elif kind == "text":
            yield tag("p", _inline(" ".join(rows)))


def _kind(line: str) -> str:
    bare = line.strip()
    if not bare:
        return "gap"
    if bare.startswith("#"):
        return "heading"
    if bare.startswith(("- ", "* ")):
        return "list"
    return "table" if bare.startswith("|") else "text"


def _table(rows: list[str]) -> Html:
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    body = [row for row in cells[1:] if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
    head = tag("tr", *(tag("th", _inline(cell)) for cell in cells[0]))
    return tag(
        "table",
        tag("thead", head),
        tag("tbody", *(tag("tr", *(tag("td", _inline(c)) for c in row)) for row in body)),
        class_="t",
    )


def _inline(line: str) -> Html:
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", line)
    return join(*(_word(part) for part in parts if part))


def _word(part: str) -> Html:
    if part.startswith("`"):
        return tag("code", part.strip("`"))
    return tag("b", part.strip("*")) if part.startswith("**") else text(part)
