"""The map: what it answers, where logs contradict it, and a catalogue made from order lines."""

from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.audit import Audit, Comparison
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_count, format_fixed, join_names, percent

MOST_ROWS = 24
WORDS = {Status.FAILED: "contradicted", Status.PASSED: "confirmed", Status.CANNOT_TELL: "open"}


def print_map_and_audit(result: Any, screen: Screen) -> None:
    """Print the map in short, then the audit."""
    deployment = result.deployment
    if not result.in_force:
        screen.write("An example was written: deployment.toml and skus.csv. It is not in force.")
        screen.write(f"Edit both files until they describe your sites and articles, then run: {result.next}")
        screen.print()
    sites = ", ".join(f"{site.id} ({percent(site.share, 0)})" for site in deployment.sites)
    screen.print(
        make_facts_table(
            [
                ("deployment", deployment.id),
                ("sites", sites),
                ("SKUs", format_count(len(deployment.skus))),
                ("strata", format_count(len(deployment.exposures))),
                ("edge cases", len(deployment.edge_cases)),
            ]
        )
    )
    if deployment.measured:
        share = percent(deployment.measured_weight, 0)
        screen.write(f"Shares of strata: {share} measured, the rest from the map.")
    screen.print()
    print_audit(result.audit, screen)
    for warning in result.early:
        screen.print(make_styled_text(f"▲ {write_sentence(warning)}", "yellow"))
    if result.html:
        screen.write(f"HTML page: {result.html}")


def print_audit(result: Audit, screen: Screen) -> None:
    """Print the five questions with what is missing, then the comparison with the logs."""
    status = Status.PASSED if result.complete else Status.FAILED
    word = "complete" if result.complete else "incomplete"
    screen.print(format_status(status, word).append(f"  score {percent(result.score, 0)}", style="bold default"))
    rows = [
        (write_sentence(a.question), percent(a.score, 0), "\n".join(map(write_sentence, a.missing)) or "nothing")
        for a in result.answers
    ]
    screen.print(make_table(("question", "score", "missing"), rows, right=("score",)))
    for odd in result.odd:
        screen.print(make_styled_text(f"▲ {write_sentence(odd)}", "yellow"))
    if result.overridden_by:
        screen.write(f"{result.overridden_by} overrode the audit: {result.override_reason}")
    elif not result.complete:
        screen.write("Complete the map and audit again, or override: fieldloop audit override --reason …")
    if result.compared:
        screen.print()
        _print_comparisons(result.compared, screen)


def print_compared_claims(result: Any, screen: Screen) -> None:
    """Print every claim that logs contradict or confirm."""
    for changed in result.changed:
        screen.print(make_styled_text(f"▲ {write_sentence(changed)}", "yellow"))
    _print_comparisons(result.comparisons, screen)


def print_velocity(result: Any, screen: Screen) -> None:
    """Print a summary of the order lines, and which could not be counted."""
    columns = ", ".join(f"{role} from {column}" for role, column in result.columns)
    screen.print(
        make_facts_table(
            [
                ("catalogue", result.catalogue),
                ("lines", f"{format_count(result.used)} of {format_count(result.lines)} lines counted"),
                ("columns", columns),
                ("days", f"{result.first_day} to {result.last_day}, {format_fixed(result.weeks, 2)} weeks"),
                ("picks a week", format_count(result.picks_per_week)),
                ("SKUs", format_count(result.skus)),
            ]
        )
    )
    rows = [(t.tier.replace("_", " "), f"{format_count(t.skus)}", percent(t.share)) for t in result.tiers]
    screen.print(make_table(("tier", "SKUs", "share of picks"), rows, right=("SKUs", "share of picks")))
    for one in result.skipped:
        first = ", ".join(map(str, one.first))
        screen.print(
            make_styled_text(f"▲ {format_count(one.lines)} lines left out: {one.why} (line {first} …)", "yellow")
        )
    for remark in result.remarks:
        screen.print(make_styled_text(f"▲ {remark}", "yellow"))


def _print_comparisons(comparisons: Sequence[Comparison], screen: Screen) -> None:
    counts = ", ".join(
        f"{n} {word}" for status, word in WORDS.items() if (n := sum(x.status is status for x in comparisons))
    )
    screen.print(make_heading(f"The map compared with the logs: {counts}"))
    ranked = sorted((one for one in comparisons if one.episodes), key=lambda one: list(WORDS).index(one.status))
    rows = [
        (one.status, write_sentence(one.message), format_count(one.episodes), one.days) for one in ranked[:MOST_ROWS]
    ]
    screen.print(make_table(("", "claim", "attempts", "days"), rows, right=("attempts", "days")))
    if len(ranked) > MOST_ROWS:
        screen.write(f"{len(ranked) - MOST_ROWS} more claims: --json lists all.")
    _print_unlogged(comparisons, screen)


def _print_unlogged(comparisons: Sequence[Comparison], screen: Screen) -> None:
    """Name what was not logged: anywhere, or at some sites."""
    logged = {comparison.what for comparison in comparisons if comparison.episodes}
    sites: dict[str, list[str]] = {}
    for comparison in comparisons:
        if not comparison.episodes:
            sites.setdefault(comparison.what, []).append(comparison.site or "any site")
    if nowhere := sorted(sites.keys() - logged):
        screen.write(f"No attempt logs {join_names(nowhere)}.")
    for what in sorted(sites.keys() & logged):
        screen.write(f"No attempt logs {what} at {join_names(list(dict.fromkeys(sites[what])))}.")
