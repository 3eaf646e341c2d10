"""The pieces of a page. Text is escaped here and nowhere else: whatever is not Markup is text."""

import html
from collections.abc import Iterable, Mapping, Sequence

from fieldloop.model.finding import Status


class Markup(str):
    """HTML that was made here, as opposed to text that came from somewhere."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """Make anything safe to put into a page; Markup stays as it is.

    >>> escape("<img onerror=x>")
    '&lt;img onerror=x&gt;'
    """
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))


def join(parts: Iterable[object]) -> Markup:
    """Put pieces one behind the other."""
    return Markup("".join(escape(part) for part in parts))


def paragraph(text: object, kind: str = "") -> Markup:
    """A line of text; kinds: `lead`, `dim`."""
    return Markup(f'<p class="{escape(kind)}">{escape(text)}</p>')


def panel(title: str, body: Iterable[object], note: object = "", anchor: str = "") -> Markup:
    """A framed part with a heading; `note` stands beside it in grey, `anchor` makes it a target of links."""
    beside = f'<span class="dim">{escape(note)}</span>' if note else ""
    name = f' id="{escape(anchor)}"' if anchor else ""
    return Markup(
        f'<section class="panel"{name}><header><h2>{escape(title)}</h2>{beside}</header>{join(body)}</section>'
    )


def figure(drawing: Markup, caption: str, kind: str = "") -> Markup:
    """A drawing with a sentence that says what it shows."""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return Markup(f'<figure class="{escape(kind)}">{drawing}{below}</figure>')


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    numbers: Sequence[str] = (),
    wide: Sequence[str] = (),
    medium: Sequence[str] = (),
) -> Markup:
    """A dense table: `numbers` are set flush right, `wide` columns keep room for a sentence, `medium` for words."""
    named = (("num", numbers), ("wide", wide), ("medium", medium))
    kinds = [next((kind for kind, own in named if column in own), "") for column in columns]
    marks = [f' class="{kind}"' if kind else "" for kind in kinds]
    head = "".join(f"<th{m}>{escape(column)}</th>" for column, m in zip(columns, marks, strict=True))
    lines = []
    for row in rows:
        cells = (f"<td{m}>{escape(cell)}</td>" for cell, m in zip(row, marks, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return Markup(f'<div class="scroll"><table>{body}</table></div>')


def picture(data_uri: str, alternative: str) -> Markup:
    """A picture that is part of the file."""
    return Markup(f'<img src="{escape(data_uri)}" alt="{escape(alternative)}">')


def link(text: object, anchor: str) -> Markup:
    """A link to a place on the same page."""
    return Markup(f'<a href="#{escape(anchor)}">{escape(text)}</a>')


def mono(text: object) -> Markup:
    """An id, set so that its letters can be told apart."""
    return Markup(f'<span class="mono">{escape(text)}</span>')


def folded(summary: object, rest: Iterable[object], *, opened: bool = False) -> Markup:
    """What few will read, one click away; on paper it is open."""
    return Markup(f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{join(rest)}</details>")


WORDS: Mapping[Status, tuple[str, str]] = {
    Status.FAILED: ("bad", "Failed"),
    Status.ERRORED: ("bad", "Check broke"),
    Status.CANNOT_TELL: ("warn", "Cannot tell"),
    Status.NOT_APPLICABLE: ("idle", "Not applicable"),
    Status.PASSED: ("good", "Passed"),
}
SHAPES = {
    "good": '<circle cx="6" cy="6" r="5.5" fill="currentColor"/><path d="M3.5 6.2 5.3 8 8.6 4.3" class="cut"/>',
    "warn": '<path d="M6 .8 11.6 11H.4Z" fill="currentColor"/><path d="M6 4.3v3.2M6 9v.6" class="cut"/>',
    "bad": '<path d="M3.6.4h4.8l3.2 3.2v4.8l-3.2 3.2H3.6L.4 8.4V3.6Z" fill="currentColor"/>'
    '<path d="m4.1 4.1 3.8 3.8M7.9 4.1 4.1 7.9" class="cut"/>',
    "idle": '<circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" stroke-width="1.4" class="dashed"/>',
}


def mark(status: Status, word: str = "") -> Markup:
    """A status: shape first, then word, then colour, so that it reads in grey."""
    kind, usual = WORDS[status]
    shape = f'<svg viewBox="0 0 12 12" aria-hidden="true">{SHAPES[kind]}</svg>'
    return Markup(f'<span class="mark {kind}">{shape}{escape(word or usual)}</span>')


def tally(counts: Mapping[Status, int]) -> Markup:
    """How many of each status, side by side."""
    cells = (f"<div><b>{counts[s]}</b>{mark(s)}</div>" for s in Status if counts.get(s))
    return Markup(f'<div class="tally">{"".join(cells)}</div>')
