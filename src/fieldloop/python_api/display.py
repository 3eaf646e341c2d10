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
        return write_result_text(tuple(self))

    def _repr_html_(self) -> str:
        return _wrap_as_preformatted(write_result_text(tuple(self)))


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
        kind._repr_html_ = draw_result_html
        kind._repr_pretty_ = _print_in_ipython
    return result


def write_result_text(result: Any) -> str:
    """Return a result as the text that the command line prints.

    Arguments:
        result: what a function or method of this interface returned
    """
    from fieldloop.cli.render import show_result
    from fieldloop.cli.screen import Screen

    written = io.StringIO()
    show_result(result, Screen(written, width=WIDTH))
    return written.getvalue().rstrip("\n")


def draw_result_html(result: Any) -> str:
    """Draw a result: the page it was written to, else the report of its kind, else its text."""
    page = getattr(result, "html", None)
    if page and Path(page).is_file():
        return _wrap_in_frame(Path(page).read_text(encoding="utf-8"))
    draw = PAGES.get(type(result).__name__)
    return _wrap_in_frame(draw(result)) if draw else _wrap_as_preformatted(write_result_text(result))


def _print_in_ipython(result: Any, printer: Any, cycle: bool) -> None:  # noqa: FBT001 - IPython calls it by position
    """Print a result in IPython."""
    printer.text("…" if cycle else write_result_text(result))


def _render_check_report(report: Any) -> str:
    from fieldloop.report.check import render_check_page as page

    return page(report)


def _render_plan(plan: Any) -> str:
    from fieldloop.report.plan import PlanReport
    from fieldloop.report.plan import render_plan_page as page

    return page(PlanReport(plan, (), ()))


def _render_plan_now(plan_now: Any) -> str:
    from fieldloop.report.plan import render_plan_page as page

    return page(plan_now)


def _render_diagnosis(diagnosis: Any) -> str:
    from fieldloop.report.diagnose import DiagnosisReport
    from fieldloop.report.diagnose import render_diagnosis_page as page

    return page(DiagnosisReport(diagnosis))


def _render_audit(audited: Any) -> str:
    from fieldloop.report.audit import render_audit_page as page

    return page(audited.deployment, audited.audit, audited.early)


PAGES: dict[str, Callable[[Any], str]] = {
    "Audited": _render_audit,
    "CheckReport": _render_check_report,
    "Diagnosis": _render_diagnosis,
    "Plan": _render_plan,
    "PlanNow": _render_plan_now,
}
"""Nouns that have a report, by the name of their class, so that none is imported before it is drawn."""


def _wrap_in_frame(page: str) -> str:
    """Put a page into a frame of its own, so that its style does not reach the notebook."""
    from fieldloop.say.html import tag

    grow = "this.style.height = this.contentDocument.documentElement.scrollHeight + 'px'"
    return str(tag("iframe", srcdoc=page, onload=grow, style="width: 100%; height: 600px; border: 0"))


def _wrap_as_preformatted(text: str) -> str:
    from fieldloop.say.html import tag

    return str(tag("pre", text, style="white-space: pre; line-height: 1.3"))
