"""Prints a diagnosis: the verdict, how the loss splits, its causes with evidence and fix, what to log."""

from collections.abc import Sequence

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, mark, styled, table, under, written
from fieldloop.model.diagnosis import Cause, Diagnosis, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.content import (
    ANSWERS,
    DOUBT,
    by_loss,
    change,
    doubt,
    main_cause,
    remark_word,
    sampled,
    since,
    verdict,
)
from fieldloop.report.diagnose.kinds import has_kinds, kinds, shares
from fieldloop.report.diagnose.parts import columns as sized_columns
from fieldloop.report.diagnose.parts import size
from fieldloop.say import sentence
from fieldloop.say.numbers import percent, plural, points, short

MOST_SLICES = 8  # on a screen; --json and --html have all
MOST_FAILURES = 5


def diagnosis(found: Diagnosis, screen: Screen) -> None:
    """Print whether the drop is real, how it splits, and its causes with evidence and fix."""
    screen.print(mark(found.status, verdict(found)).append(f"  {change(found)}", style="bold default"))
    if first := main_cause(found):
        screen.print(first)
    screen.print(styled(f"{found.id}, policy {short(found.policy)}", "dim"))
    if has_kinds(found):
        screen.print()
        screen.print(_split(found))
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


def _split(found: Diagnosis) -> object:
    what = "the loss by kind" if found.loss > 0.0 else "the change by kind"
    rows = [(kind.label, points(-kind.lost)) for kind in kinds(found)]
    if parts := shares(found):
        shared = [(label, percent(part, 0), lost) for (label, lost), part in zip(rows, parts, strict=True)]
        return table((what, "share", "points"), shared, right=("share", "points"))
    return table((what, "points"), rows, right=("points",))


def _causes(found: Diagnosis) -> object:
    rows = [(number, c.gap.value, *size(found, c), since(c), _place(c)) for number, c in enumerate(found.causes, 1)]
    held, span = sized_columns(found)
    return table(("", "cause", held, span, "data", "where"), rows, right=("", held))


def _place(cause: Cause) -> str:
    """Name the conditions as commands accept them, with those that cannot be separated from them."""
    every = ((cause.stratum, ""), *cause.rivals)
    return " or ".join(f"{written(stratum)} since {day}" if day else written(stratum) for stratum, day in every)


def _slices(slices: Sequence[LostSlice]) -> object:
    rows = [
        (s.episodes, percent(s.expected, 0), percent(s.observed, 0), doubt(s), s.stratum) for s in slices[:MOST_SLICES]
    ]
    columns = ("episodes", "expected", "observed", "doubt", "where")
    return table(columns, rows, right=columns[:-1])


def _failures(found: Diagnosis, screen: Screen) -> None:
    """Print the questions once, numbered, and the answers under their numbers."""
    questions = list(dict.fromkeys(asked.question for one in found.failures for asked in one.asked))
    screen.print(heading("Four questions about failures").append(f"  {sampled(found, MOST_FAILURES)}", style="default"))
    for number, question in enumerate(questions, 1):
        screen.print(f"{number}. {sentence(question)}")
    rows = []
    for one in found.failures[:MOST_FAILURES]:
        answers = {asked.question: mark(asked.status, ANSWERS.get(asked.status, "")) for asked in one.asked}
        cells = [answers.get(question, "–") for question in questions]
        rows.append((*cells, under(one.stratum, short(one.outcome))))
    screen.print(table((*map(str, range(1, len(questions) + 1)), "failure"), rows))
    if len(found.failures) > MOST_FAILURES:
        screen.print(styled(f"The HTML page and --json have {len(found.failures)}, with full answers.", "dim"))
