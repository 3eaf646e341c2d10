"""Where text goes: coloured tables on a terminal, whole plain lines anywhere else."""

import os
import sys
from typing import IO, Any

UNBOUNDED = 10_000  # columns; a pipe has no edge at which a line would have to be cut
RULE, WIDEST_RULE = "─", 100  # a row stays whole for grep; the rule under a heading need not be as wide as it


def is_plain(stream: IO[str]) -> bool:
    """Must no escape code reach this stream? NO_COLOR, a pipe, a file or a dumb terminal say so."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb" or not stream.isatty()


class Screen:
    """Prints rich renderables to a stream, without codes, padding or cuts where the stream is no terminal."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        """Choose by the stream; stdout unless given."""
        from rich.console import Console

        self.stream = stream or sys.stdout
        self.plain = is_plain(self.stream)
        on_terminal = self.stream.isatty()
        self.console = Console(
            file=self.stream,
            force_terminal=not self.plain,
            color_system=None if self.plain else "auto",
            width=None if on_terminal else UNBOUNDED,
            highlight=False,
            soft_wrap=not on_terminal,
            emoji=False,
        )

    def write(self, text: str) -> None:
        """Write a text as it is."""
        self.stream.write(text if text.endswith("\n") else f"{text}\n")

    def print(self, *things: Any) -> None:
        """Print things in order; strings are taken as they are, square brackets and all."""
        if not self.plain:
            self.console.print(*things, markup=False)
            return
        with self.console.capture() as caught:
            self.console.print(*things, markup=False)
        lines = [_rule(line.rstrip()) for line in caught.get().splitlines()]
        self.stream.write("\n".join(lines) + "\n")


def _rule(line: str) -> str:
    return line[:WIDEST_RULE] if not line.strip(RULE) else line
