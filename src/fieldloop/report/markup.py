"""The blocks of a report: panels, tables, figures, lines of text. What is not Markup is text and is escaped."""

from collections.abc import Iterable, Sequence

from fieldloop.say.html import Markup, join, tag


def draw_paragraph(text: object, kind: str = "") -> Markup:
    """Write a line of text; kinds: `lead`, `dim`."""
    return tag("p", text, class_=kind or None)


def draw_panel(title: str, body: Iterable[object], note: object = "", anchor: str = "") -> Markup:
    """Frame a part under a heading; `note` is set beside it in grey, `anchor` makes it a target of links."""
    head = tag("header", tag("h2", title), tag("span", note, class_="dim") if note else None)
    return tag("section", head, *body, class_="panel", id=anchor or None)


def draw_figure(drawing: Markup, caption: str, kind: str = "") -> Markup:
    """Show a drawing with a sentence that says what it shows."""
    return tag("figure", drawing, tag("figcaption", caption) if caption else None, class_=kind or None)


def draw_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    number_columns: Sequence[str] = (),
    wide_columns: Sequence[str] = (),
    medium_columns: Sequence[str] = (),
) -> Markup:
    """Lay out a dense table; numbers are flush right, wide columns hold a sentence, medium ones a few words."""
    named = (("num", number_columns), ("wide", wide_columns), ("medium", medium_columns))
    kinds = [next((kind for kind, members in named if column in members), None) for column in columns]
    head = tag("tr", *(tag("th", column, class_=kind) for column, kind in zip(columns, kinds, strict=True)))
    lines = (tag("tr", *(tag("td", c, class_=kind) for c, kind in zip(row, kinds, strict=True))) for row in rows)
    return tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), class_="scroll")


def draw_picture(data_uri: str, alternative: str) -> Markup:
    """Show a picture that is part of the file."""
    return tag("img", src=data_uri, alt=alternative)


def draw_link(text: object, anchor: str) -> Markup:
    """Link to a place on the same page."""
    return tag("a", text, href=f"#{anchor}")


def draw_monospace(text: object) -> Markup:
    """Set an id in letters of one width."""
    return tag("span", text, class_="mono")


def draw_folded(summary: object, content: Iterable[object], *, opened: bool = False) -> Markup:
    """Hide what few will read behind one click; on paper it is open."""
    return tag("details", tag("summary", summary), join(*content), open=opened)
