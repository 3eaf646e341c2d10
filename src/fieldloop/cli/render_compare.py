"""Terminal output of a comparison of two policy versions."""

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.comparison import VersionComparison
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_plural, format_points, percent, shorten_ids


def print_version_comparison(result: VersionComparison, screen: Screen) -> None:
    """Print the verdict, both versions, the difference with its interval, and what the verdict rests on."""
    screen.print(format_status(result.status, result.verdict.value))
    screen.write(write_sentence(result.message))
    screen.print()
    arms = (
        ("candidate", result.candidate, result.candidate_successes, result.candidate_only),
        ("compared with", result.other, result.other_successes, result.other_only),
    )
    pairs = result.pairs
    rows = [
        (name, shorten_ids(version), f"{won} of {pairs}", percent(won / pairs) if pairs else "–", only)
        for name, version, won, only in arms
    ]
    columns = ("", "policy", "succeeded", "rate", "only this one succeeded")
    screen.print(make_table(columns, rows, right=("succeeded", "rate", "only this one succeeded")))
    screen.print(make_facts_table(_list_facts(result)))
    for reason in result.weaknesses:
        screen.print(make_styled_text(f"▲ {write_sentence(reason)}", "yellow"))
    screen.print()
    screen.print(make_heading("The answer rests on this"))
    for fact in result.assumes:
        screen.write(write_sentence(fact))


def _list_facts(result: VersionComparison) -> list[tuple[str, str]]:
    ends = f"{format_points(result.low)} to {format_points(result.high)} points"
    sided = 2 * result.level - 1
    kind = "the same scene" if result.paired else "order of time"
    facts = [
        ("question", "is the candidate better?" if result.question == "better" else "has the candidate dropped?"),
        ("difference", "–" if result.difference is None else f"{format_points(result.difference)} points"),
        (f"{percent(sided, 0)} interval", ends),
        ("pairs", f"{result.pairs} of at most {result.max_pairs}, paired by {kind}"),
    ]
    if result.more_pairs:
        about = f"about {format_plural(result.more_pairs, 'pair')}, " if result.more_pairs < result.most_pairs else ""
        facts.append(("more", f"{about}at most {result.most_pairs} pairs"))
    if result.unused:
        facts.append(("not used", format_plural(result.unused, "attempt")))
    if result.simulated:
        facts.append(("simulated now", format_plural(result.simulated, "attempt")))
    return facts
