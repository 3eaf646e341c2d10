"""Prints a diagnosis: the verdict, how the loss splits, its causes with evidence and fix, what to log."""

from collections.abc import Sequence

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, mark, styled, table, two_line_cell, value_text
from fieldloop.model.diagnosis import Cause, Diagnosis, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.content import (
    ANSWERS,
    DOUBT,
    by_loss,
    change_text,
    doubt_text,
    explained_failures_text,
    main_cause,
    remark_word,
    since,
    verdict,
)
from fieldloop.report.diagnose.kinds import has_kinds, kinds, shares
from fieldloop.report.diagnose.parts import columns as sized_columns
from fieldloop.report.diagnose.parts import size
from fieldloop.say import sentence
from fieldloop.say.numbers import percent, plural, points, shorten_ids

MOST_SLICES = 8  # on a screen; --json and --html have all
MOST_FAILURES = 5


def diagnosis(found: Diagnosis, screen: Screen) -> None:
    """Print whether the drop is real, how it splits, and its causes with evidence and fix."""
    screen.print(mark(found.status, verdict(found)).append(f"  {change_text(found)}", style="bold default"))
    if first := main_cause(found):
        screen.print(first)
    screen.print(styled(f"{shorten_ids(found.id)}, policy {shorten_ids(found.policy)}", "dim"))
    if has_kinds(found):
        screen.print()
        screen.print(_loss_by_kind_table(found))
    if found.causes:
        screen.print()
        screen.print(_causes(found))
        for number, cause in enumerate(found.causes, 1):
            screen.print(f"{number}. {sentence(cause.evidence)}\n   Fix: {sentence(cause.fix)}")
    for reason in found.cannot_tell:
        sign, style = ("·", "dim") if found.status is Status.PASSED else ("▲", "yellow")
        screen.print(styled(f"{sign} {remark_word(found)}: {sentence(reason)}", style))
    if found.slices:
        screen.print()
        screen.print(heading("Conditions with lost success"))
        screen.print(_slices(by_loss(found.slices)))
        if (more := len(found.slices) - MOST_SLICES) > 0:
            screen.print(styled(f"And {plural(more, 'more condition')} with a smaller loss; --json lists all.", "dim"))
        screen.print(styled(DOUBT, "dim"))
    if found.failures:
        screen.print()
        _failures(found, screen)


def _loss_by_kind_table(diagnosed: Diagnosis) -> object:
    what = "the loss by kind" if diagnosed.loss > 0.0 else "the change by kind"
    rows = [(kind.label, points(-kind.lost)) for kind in kinds(diagnosed)]
    if parts := shares(diagnosed):
        shared = [(label, percent(part, 0), lost) for (label, lost), part in zip(rows, parts, strict=True)]
        return table((what, "share", "points"), shared, right=("share", "points"))
    return table((what, "points"), rows, right=("points",))


def _causes(diagnosed: Diagnosis) -> object:
    rows = [
        (number, c.gap.value, *size(diagnosed, c), since(c), _place(c)) for number, c in enumerate(diagnosed.causes, 1)
    ]
    held, span = sized_columns(diagnosed)
    return table(("", "cause", held, span, "data", "where"), rows, right=("", held))


def _place(cause: Cause) -> str:
    """Name the conditions as commands accept them, with those that cannot be separated from them."""
    every = ((cause.stratum, ""), *cause.rivals)
    return " or ".join(f"{value_text(stratum)} since {day}" if day else value_text(stratum) for stratum, day in every)


def _slices(slices: Sequence[LostSlice]) -> object:
    rows = [
        (s.episodes, percent(s.expected, 0), percent(s.observed, 0), doubt_text(s), s.stratum)
        for s in slices[:MOST_SLICES]
    ]
    columns = ("episodes", "expected", "observed", "doubt", "where")
    return table(columns, rows, right=columns[:-1])


def _failures(diagnosed: Diagnosis, screen: Screen) -> None:
    """Print the questions once, numbered, and the answers under their numbers."""
    questions = list(dict.fromkeys(asked.question for failure in diagnosed.failures for asked in failure.asked))
    screen.print(
        heading("Four questions about failures").append(
            f"  {explained_failures_text(diagnosed, MOST_FAILURES)}", style="default"
        )
    )
    for number, question in enumerate(questions, 1):
        screen.print(f"{number}. {sentence(question)}")
    rows = []
    for failure in diagnosed.failures[:MOST_FAILURES]:
        answers = {asked.question: mark(asked.status, ANSWERS.get(asked.status, "")) for asked in failure.asked}
        cells = [answers.get(question, "–") for question in questions]
        rows.append((*cells, two_line_cell(failure.stratum, shorten_ids(failure.outcome))))
    screen.print(table((*map(str, range(1, len(questions) + 1)), "failure"), rows))
    if len(diagnosed.failures) > MOST_FAILURES:
        screen.print(styled(f"The HTML page and --json have {len(diagnosed.failures)}, with full answers.", "dim"))
