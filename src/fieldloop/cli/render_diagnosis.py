"""Prints a diagnosis: the verdict, how the loss splits, its causes with evidence and fix, what to log."""

from collections.abc import Sequence

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import (
    format_status,
    format_value,
    make_heading,
    make_styled_text,
    make_table,
    make_two_line_cell,
)
from fieldloop.model.diagnosis import Cause, Diagnosis, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.content import (
    ANSWERS,
    COLUMNS,
    DOUBT,
    format_doubt,
    name_remarks,
    sort_slices_by_loss,
    write_cause_start,
    write_explained_failures,
    write_main_cause,
    write_success_change,
    write_verdict,
)
from fieldloop.report.diagnose.kinds import compute_kind_shares, divide_loss_by_kind, has_visible_kinds
from fieldloop.report.diagnose.parts import format_cause_size
from fieldloop.report.diagnose.parts import get_size_headings as sized_columns
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_plural, format_points, percent, shorten_ids

MOST_SLICES = 8  # on a screen; --json and --html have all
MOST_FAILURES = 5


def print_diagnosis(result: Diagnosis, screen: Screen) -> None:
    """Print whether the drop is real, how it splits, and its causes with evidence and fix."""
    screen.print(
        format_status(result.status, write_verdict(result)).append(
            f"  {write_success_change(result)}", style="bold default"
        )
    )
    if first := write_main_cause(result):
        screen.print(first)
    screen.print(make_styled_text(f"{shorten_ids(result.id)}, policy {shorten_ids(result.policy)}", "dim"))
    if has_visible_kinds(result):
        screen.print()
        screen.print(_make_loss_by_kind_table(result))
    if result.causes:
        screen.print()
        screen.print(_make_causes_table(result))
        for number, cause in enumerate(result.causes, 1):
            screen.print(f"{number}. {write_sentence(cause.evidence)}\n   Fix: {write_sentence(cause.fix)}")
    for reason in result.cannot_tell:
        sign, style = ("·", "dim") if result.status is Status.PASSED else ("▲", "yellow")
        screen.print(make_styled_text(f"{sign} {name_remarks(result)}: {write_sentence(reason)}", style))
    if result.slices:
        screen.print()
        screen.print(make_heading("Conditions with lost success"))
        screen.print(_make_slices_table(sort_slices_by_loss(result.slices)))
        if (more := len(result.slices) - MOST_SLICES) > 0:
            screen.print(
                make_styled_text(
                    f"And {format_plural(more, 'more condition')} with a smaller loss; --json lists all.", "dim"
                )
            )
        screen.print(make_styled_text(DOUBT, "dim"))
    if result.failures:
        screen.print()
        _print_failures(result, screen)
    if result.columns:
        screen.print()
        screen.print(make_heading("What each column is"))
        rows = [(one.name, one.role.value, write_sentence(one.why)) for one in result.columns]
        screen.print(make_table(("column", "role", "why"), rows))
        screen.print(make_styled_text(COLUMNS, "dim"))


def _make_loss_by_kind_table(diagnosed: Diagnosis) -> object:
    what = "the loss by kind" if diagnosed.loss > 0.0 else "the change by kind"
    rows = [(kind.label, format_points(-kind.lost)) for kind in divide_loss_by_kind(diagnosed)]
    if parts := compute_kind_shares(diagnosed):
        shared = [(label, percent(part, 0), lost) for (label, lost), part in zip(rows, parts, strict=True)]
        return make_table((what, "share", "points"), shared, right=("share", "points"))
    return make_table((what, "points"), rows, right=("points",))


def _make_causes_table(diagnosed: Diagnosis) -> object:
    rows = [
        (number, c.gap.value, *format_cause_size(diagnosed, c), write_cause_start(c), _write_cause_conditions(c))
        for number, c in enumerate(diagnosed.causes, 1)
    ]
    held, span = sized_columns(diagnosed)
    return make_table(("", "cause", held, span, "data", "where"), rows, right=("", held))


def _write_cause_conditions(cause: Cause) -> str:
    """Name the conditions as commands accept them, with those that cannot be separated from them."""
    every = ((cause.stratum, ""), *cause.rivals)
    return " or ".join(
        f"{format_value(stratum)} since {day}" if day else format_value(stratum) for stratum, day in every
    )


def _make_slices_table(slices: Sequence[LostSlice]) -> object:
    rows = [
        (s.episodes, percent(s.expected, 0), percent(s.observed, 0), format_doubt(s), s.stratum)
        for s in slices[:MOST_SLICES]
    ]
    columns = ("episodes", "expected", "observed", "doubt", "where")
    return make_table(columns, rows, right=columns[:-1])


def _print_failures(diagnosed: Diagnosis, screen: Screen) -> None:
    """Print the questions once, numbered, and the answers under their numbers."""
    questions = list(dict.fromkeys(asked.question for failure in diagnosed.failures for asked in failure.asked))
    screen.print(
        make_heading("Four questions about failures").append(
            f"  {write_explained_failures(diagnosed, MOST_FAILURES)}", style="default"
        )
    )
    for number, question in enumerate(questions, 1):
        screen.print(f"{number}. {write_sentence(question)}")
    rows = []
    for failure in diagnosed.failures[:MOST_FAILURES]:
        answers = {
            asked.question: format_status(asked.status, ANSWERS.get(asked.status, "")) for asked in failure.asked
        }
        cells = [answers.get(question, "–") for question in questions]
        rows.append((*cells, make_two_line_cell(failure.stratum, shorten_ids(failure.outcome))))
    screen.print(make_table((*map(str, range(1, len(questions) + 1)), "failure"), rows))
    if len(diagnosed.failures) > MOST_FAILURES:
        screen.print(
            make_styled_text(f"The HTML page and --json have {len(diagnosed.failures)}, with full answers.", "dim")
        )
