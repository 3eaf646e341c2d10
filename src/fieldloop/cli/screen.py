"""Print text: coloured tables on a terminal, whole plain lines anywhere else."""

import os
import sys
from typing import IO, Any

PIPE_WIDTH = 100
"""Columns at which running text is wrapped in a pipe or a file, unless COLUMNS states others."""
UNBOUNDED = 10_000  # columns; a pipe has no right edge, so lines are not cut
RULE, WIDEST_RULE = "─", 100  # a row stays whole for grep; the rule under a heading need not be as wide as it


def is_plain_terminal(stream: IO[str]) -> bool:
    """Must the stream stay free of escape codes? True for NO_COLOR, a pipe, a file or a dumb terminal."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb" or not stream.isatty()


class Screen:
    """Prints rich renderables to a stream, without codes, padding or cuts where the stream is not a terminal."""

    def __init__(self, stream: IO[str] | None = None, width: int | None = None) -> None:
        """Choose by the stream, stdout unless given; `width` folds lines where the stream has no edge of its own."""
        from rich.console import Console

        self.stream = stream or sys.stdout
        self.plain = is_plain_terminal(self.stream)
        on_terminal = self.stream.isatty()
        self.console = Console(
            file=self.stream,
            force_terminal=not self.plain,
            color_system=None if self.plain else "auto",
            width=None if on_terminal else width or UNBOUNDED,
            highlight=False,
            soft_wrap=not on_terminal and not width,
            emoji=False,
        )
        self.width = width or (self.console.width if on_terminal else _read_pipe_width())

    def write(self, text: str) -> None:
        """Write a text as it is."""
        self.stream.write(text if text.endswith("\n") else f"{text}\n")

    def print(self, *things: Any) -> None:
        """Print things in order; square brackets in strings are not markup."""
        if not self.plain:
            self.console.print(*things, markup=False)
            return
        with self.console.capture() as caught:
            self.console.print(*things, markup=False)
        lines = [_shorten_rule(line.rstrip()) for line in caught.get().splitlines()]
        self.stream.write("\n".join(lines) + "\n")


def _read_pipe_width() -> int:
    stated = os.environ.get("COLUMNS", "")
    return int(stated) if stated.isdecimal() and int(stated) else PIPE_WIDTH


def _shorten_rule(line: str) -> str:
    return line[:WIDEST_RULE] if not line.strip(RULE) else line
