"""How results look: the report as HTML in a notebook, the command's text in IPython and from `fl.text`."""

import dataclasses
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
WIDTH = 120
"""Columns of the text form."""


class Results(tuple[Any, ...]):
    """Several results, shown as the table that the command line prints."""

    __slots__ = ()

    def __repr__(self) -> str:
        return text(tuple(self))

    def _repr_html_(self) -> str:
        return _preformatted(text(tuple(self)))


def add_notebook_display(result: T) -> T:
    """Return a result as it is, and add to its class the two methods that notebooks and IPython look for.

    Nouns know nothing of reports and terminals. `repr` and `str` stay as they are: logs, debuggers and tests use them.
    """
    if isinstance(result, list | tuple):
        for each in result:
            add_notebook_display(each)
        return Results(result)  # type: ignore[return-value]  # a tuple of the same results
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        kind: Any = type(result)
        kind._repr_html_ = html
        kind._repr_pretty_ = _pretty
    return result


def text(result: Any) -> str:
    """Return a result as the text that the command line prints.

    Arguments:
        result: what a function or method of this interface returned
    """
    from fieldloop.cli.render import show
    from fieldloop.cli.screen import Screen

    written = io.StringIO()
    show(result, Screen(written, width=WIDTH))
    return written.getvalue().rstrip("\n")


def html(result: Any) -> str:
    """Draw a result: the page it was written to, else the report of its kind, else its text."""
    page = getattr(result, "html", None)
    if page and Path(page).is_file():
        return _framed(Path(page).read_text(encoding="utf-8"))
    draw = PAGES.get(type(result).__name__)
    return _framed(draw(result)) if draw else _preformatted(text(result))


def _pretty(result: Any, printer: Any, cycle: bool) -> None:  # noqa: FBT001 - IPython calls it by position
    """Print a result in IPython."""
    printer.text("…" if cycle else text(result))


def _check(report: Any) -> str:
    from fieldloop.report.check import html as page

    return page(report)


def _plan(plan: Any) -> str:
    from fieldloop.report.plan import PlanReport
    from fieldloop.report.plan import html as page

    return page(PlanReport(plan, (), ()))


def _plan_now(now: Any) -> str:
    from fieldloop.report.plan import html as page

    return page(now)


def _diagnosis(diagnosis: Any) -> str:
    from fieldloop.report.diagnose import DiagnosisReport
    from fieldloop.report.diagnose import html as page

    return page(DiagnosisReport(diagnosis))


def _audit(audited: Any) -> str:
    from fieldloop.report.audit import html as page

    return page(audited.deployment, audited.audit, audited.early)


PAGES: dict[str, Callable[[Any], str]] = {
    "Audited": _audit,
    "CheckReport": _check,
    "Diagnosis": _diagnosis,
    "Plan": _plan,
    "PlanNow": _plan_now,
}
"""Nouns that have a report, by the name of their class, so that none is imported before it is drawn."""


def _framed(page: str) -> str:
    """Put a page into a frame of its own, so that its style does not reach the notebook."""
    from fieldloop.say.html import tag

    grow = "this.style.height = this.contentDocument.documentElement.scrollHeight + 'px'"
    return str(tag("iframe", srcdoc=page, onload=grow, style="width: 100%; height: 600px; border: 0"))


def _preformatted(written: str) -> str:
    from fieldloop.say.html import tag

    return str(tag("pre", written, style="white-space: pre; line-height: 1.3"))
