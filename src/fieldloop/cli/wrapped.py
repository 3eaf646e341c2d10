"""Text in lines that fit the screen: wrapped between words, so that no name is broken."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its style; `sign`, if any, is in front of it in a style of its own."""

    text: str
    style: str = ""
    sign: str = ""
    sign_style: str = ""

    def make_styled_text(self) -> "Text":
        """Return it ready to print."""
        from rich.text import Text

        return Text(f"{self.sign} " if self.sign else "", style=self.sign_style).append(self.text, style=self.style)


def wrap_text(
    text: str,
    width: int,
    *,
    indent: int = 0,
    style: str = "",
    sign: tuple[str, str] | None = None,
    max_lines: int | None = None,
) -> list[Line]:
    """Wrap a text; lines after the first are indented like it. A `sign` and its style stand in front of the first.

    >>> [line.text for line in wrap_text("camera/left repeats frames", 16, indent=2)]
    ['  camera/left', '  repeats frames']
    """
    mark, mark_style = sign or ("", "")
    space = " " * (indent + (len(mark) + 1 if mark else 0))
    words = [shorten_name(word, width - len(space)) for word in text.split()]
    lines = textwrap.wrap(
        " ".join(words), width, initial_indent=space, subsequent_indent=space, break_long_words=False,
        break_on_hyphens=False, max_lines=max_lines, placeholder=f" {LEFT_OUT}",
    )  # fmt: skip
    if not mark:
        return [Line(line, style) for line in lines]
    first = Line(lines[0][len(space) :] if lines else "", style, " " * indent + mark, mark_style)
    return [first, *(Line(line, style) for line in lines[1:])]


def shorten_name(name: str, width: int) -> str:
    """Leave out middle folders of a name that is longer than a line.

    >>> shorten_name("data/demo_0/initial_state/robot/joint_position", 30)
    'data/demo_0/…/joint_position'
    """
    first, *middle, last = name.split("/") if name.count("/") > 1 else (name, "")
    kept = list(middle)
    while kept and len("/".join((first, *kept, LEFT_OUT, last))) > width:
        kept.pop()
    fits = len(name) <= width or not middle
    return name if fits else "/".join((first, *kept, LEFT_OUT, last))


def join_blocks(blocks: Iterable[Sequence[Line]]) -> list[Line]:
    """Join blocks of lines, an empty line between them; empty blocks leave nothing."""
    joined: list[Line] = []
    for block in blocks:
        if block:
            joined += [Line(""), *block] if joined else block
    return joined
