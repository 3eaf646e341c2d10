"""Find the command that the user means, and the words that are left for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop import __version__
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.catalogue import COMMANDS

OWN = {
    "up": "Serve the pages and the API of a workspace.",
    "look": "Open a log or dataset in the explorer: all cameras with signals and findings on one timeline.",
    "demo": "Run the whole loop on a simulated floor, then serve its pages.",
    "completion": "Print a script that completes commands and options in your shell.",
}
"""Commands of the command line itself: they make or serve a workspace, or help to type."""

WITH_VALUE = ("--workspace",)
BARE = ("--json", "--debug")


@dataclass(frozen=True, slots=True)
class Choice:
    """A command and its words, or a text to print and be done."""

    command: str = ""
    words: tuple[str, ...] = ()
    text: str = ""


def choose_command(arguments: Sequence[str]) -> Choice:
    """Find the command; options that every command takes may stand in front of it.

    >>> choose_command(["--json", "plan", "show", "--limit", "3"])
    Choice(command='plan show', words=('--json', '--limit', '3'), text='')
    >>> choose_command(["plan", "--budget", "40"])
    Choice(command='plan', words=('--budget', '40'), text='')
    """
    front, rest = _split_leading_options(list(arguments))
    if "--version" in front:
        return Choice(text=f"fieldloop {__version__}")
    if not rest:
        from fieldloop.cli.overview import write_overview

        return Choice(text=write_overview())
    first, *others = rest
    if first == "completion":
        from fieldloop.cli.completion import complete_words

        return Choice(text=complete_words(others))
    known = {command.partition(" ")[0] for command in COMMANDS} | set(OWN)
    if first == "help":
        return choose_command([*others, "--help"])
    if first not in known:
        raise UnknownName("command", first, sorted(known))
    if others and f"{first} {others[0]}" in COMMANDS:
        if first in COMMANDS and Path(others[0]).exists():
            raise BadInput(
                f"`{others[0]}` is a verb of `fieldloop {first}` and also a file or folder here. "
                f"Write ./{others[0]} for the file or folder, or run the verb from another folder."
            )
        return Choice(f"{first} {others[0]}", (*front, *others[1:]))
    if first not in COMMANDS and first not in OWN:
        verbs = sorted(c.partition(" ")[2] for c in COMMANDS if c.startswith(f"{first} "))
        given = others[0] if others and not others[0].startswith("-") else ""
        raise BadInput(
            f"`fieldloop {first}` needs one of these verbs: {', '.join(verbs)}.{_write_suggestion(given, verbs)}"
        )
    return Choice(first, (*front, *others))


def _split_leading_options(arguments: list[str]) -> tuple[list[str], list[str]]:
    front: list[str] = []
    while arguments and arguments[0].startswith("-"):
        word = arguments.pop(0)
        if word in ("-h", "--help"):
            return front, []
        front.append(word)
        if word in WITH_VALUE:
            if not arguments:
                raise BadInput(f"The option {word} needs a folder.")
            front.append(arguments.pop(0))
        elif word != "--version" and word not in BARE and not word.startswith("--workspace="):
            raise UnknownName("option before the command", word, [*WITH_VALUE, *BARE, "--version", "--help"])
    return front, arguments


def _write_suggestion(given_word: str, known_words: list[str]) -> str:
    suggestion = UnknownName("verb", given_word, known_words).suggestion if given_word else None
    return f" Did you mean {suggestion!r}?" if suggestion else ""
