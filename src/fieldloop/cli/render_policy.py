"""Terminal output of the check of a policy folder."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_table
from fieldloop.model.finding import Status
from fieldloop.say.findings import write_statement
from fieldloop.say.numbers import format_plural

ORDER = list(Status)


def print_policy_check(result: Any, screen: Screen) -> None:
    """Print what is wrong with a policy, worst first, and how many questions it passed."""
    screen.print(format_status(result.status).append(f"  {result.source}: {result.kind}", style="bold default"))
    rest = sorted((f for f in result.findings if f.status is not Status.PASSED), key=lambda f: ORDER.index(f.status))
    if rest:
        rows = [(f.status, f.check, f.subject or "–", write_statement(f)) for f in rest]
        screen.print(make_table(("status", "question", "about", "answer"), rows))
    passed = sum(finding.status is Status.PASSED for finding in result.findings)
    screen.write(f"{format_plural(passed, 'answer')} passed of {len(result.findings)}; no weights were loaded.")
