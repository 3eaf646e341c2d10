"""Which gap it is: the verdict first, then how the loss splits, its causes with evidence and fix, what to log."""

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, mark, said, short, styled, table
from fieldloop.model.diagnosis import Cause, Diagnosis, FailureExplained, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.content import change, main_cause, since, verdict
from fieldloop.report.words import chance, interval, percent, plural, points

MOST_SLICES = 8  # on a screen; --json and --html have all
MOST_FAILURES = 5
YES_OR_NO = {Status.PASSED: "yes", Status.FAILED: "no"}


def diagnosis(found: Diagnosis, screen: Screen) -> None:
    """Print whether the drop is real, how it splits, and its causes with evidence and fix."""
    screen.print(mark(found.status, verdict(found)).append(f"  {change(found)}", style="bold default"))
    if first := main_cause(found):
        screen.write(first)
    screen.print(styled(f"{found.id}, policy {short(found.policy)}", "dim"))
    if found.causes:
        screen.print()
        screen.print(_split(found))
        screen.print()
        screen.print(_causes(found))
        for number, cause in enumerate(found.causes, 1):
            screen.write(f"{number}. {cause.evidence}\n   Fix: {cause.fix}")
    for reason in found.cannot_tell:
        screen.print(styled(f"▲ Cannot tell: {reason}", "yellow"))
    if found.slices:
        screen.print()
        screen.print(heading("Conditions that lost"))
        screen.print(_slices(found.slices))
    if found.failures:
        screen.print()
        screen.print(heading("Four questions for each failure"))
        screen.print(_failures(found.failures))
        if (more := len(found.failures) - MOST_FAILURES) > 0:
            screen.print(styled(f"And {plural(more, 'more failure')}; --json has all.", "dim"))


def _split(found: Diagnosis) -> object:
    shares = (
        ("mix: more of what was hard before", found.mix_share),
        ("mechanism: the same went worse", found.mechanism_share),
        ("unseen: conditions the baseline never met", found.unseen_share),
    )
    rows = [(name, percent(share, 0), points(-found.loss * share)) for name, share in shares]
    return table(("the loss by kind", "share", "points"), rows, right=("share", "points"))


def _causes(found: Diagnosis) -> object:
    rows = [
        (number, c.gap.value, percent(c.share, 0), interval(c.low, c.high, 0), _place(c), since(c))
        for number, c in enumerate(found.causes, 1)
    ]
    columns = ("", "cause", "of the loss", "interval, %", "where", "data")
    return table(columns, rows, right=("", "of the loss"))


def _place(cause: Cause) -> str:
    """Name the conditions as commands take them, with those that cannot be told apart from them."""
    return " or ".join(said(stratum) for stratum in (cause.stratum, *cause.group))


def _slices(slices: tuple[LostSlice, ...]) -> object:
    rows = [
        (s.stratum, s.episodes, percent(s.expected, 0), percent(s.observed, 0), chance(s.chance))
        for s in slices[:MOST_SLICES]
    ]
    columns = ("where", "episodes", "expected", "observed", "chance alone")
    return table(columns, rows, right=columns[1:])


def _failures(failures: tuple[FailureExplained, ...]) -> object:
    questions = list(dict.fromkeys(asked.question for one in failures for asked in one.asked))
    rows = []
    for one in failures[:MOST_FAILURES]:
        answers = {asked.question: mark(asked.status, YES_OR_NO.get(asked.status, "")) for asked in one.asked}
        rows.append((short(one.outcome), one.stratum, *(answers.get(question, "–") for question in questions)))
    return table(("failure", "where", *questions), rows)
