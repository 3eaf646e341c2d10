"""Puts what a bench measured on a page of the docs, between two marks that say how it was made."""

from pathlib import Path

from fieldloop.errors import BadInput


def put(page: Path, command: str, text: str) -> None:
    """Replace what stands between the marks of a command; the words around it stay."""
    begin, end = marks(command)
    before, has_begin, rest = page.read_text(encoding="utf-8").partition(begin)
    _, has_end, after = rest.partition(end)
    if not (has_begin and has_end):
        raise BadInput(f"{page} lacks the marks {begin} and {end}: put them where the tables belong.")
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", encoding="utf-8")


def marks(command: str) -> tuple[str, str]:
    """What stands before and after the text of a command."""
    return f"<!-- made by {command}: begin -->", f"<!-- made by {command}: end -->"
