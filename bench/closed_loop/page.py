"""The documentation's page of planning: its tables and its picture come from a run, between two marks."""

from pathlib import Path

from fieldloop.errors import BadInput

BEGIN, END = "<!-- made by bench.plan: begin -->", "<!-- made by bench.plan: end -->"


def exchange(page: Path, written: str) -> None:
    """Put what a run has found between the marks of a page."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise BadInput(f"{page} lacks the marks {BEGIN} and {END}: put them where the tables belong.")
    page.write_text(f"{before}{BEGIN}\n{written.strip()}\n{END}{after}", encoding="utf-8")
