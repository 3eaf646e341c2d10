"""Terminal output of agreement: what to do first, then the vector, then where it comes from."""

from collections.abc import Iterable, Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_table
from fieldloop.say import write_sentence
from fieldloop.say.agreement import write_reading
from fieldloop.say.numbers import NONE, format_fixed, format_plural, join_names, percent

MOST_ROWS = 8
PEOPLE = ("kind", "annotator", "episodes", "kappa", "others", "later by", "apart")
NUMBERS = ("kappa", "boundary, frames", "bias", "boundaries shared", "F1@10/50/90", "edit", "gamma")


def print_agreement(agreed: Any, screen: Screen) -> None:
    """Print how far annotators agree."""
    report = agreed.report
    who = f"{join_names(report.authors)} on {format_plural(report.episodes, 'episode')}  "
    screen.print(make_heading(who).append(format_status(agreed.status)))
    _print_findings(report.findings, screen)
    screen.print()
    columns = ("kind", "", "episodes", *NUMBERS)
    rows = [(v.kind, v.status, v.episodes, *format_vector(v)) for v in report.vectors]
    screen.print(make_table(columns, rows, right=("episodes",)))
    for vector in report.vectors:
        if vector.reason:
            screen.write(f"  {vector.kind}: {write_sentence(vector.reason)}")
        if reading := write_reading(vector):
            screen.write(f"  {vector.kind}: {reading}")
    _print_section("By pair", ("kind", "pair", *NUMBERS), (
        (v.kind, " – ".join(v.authors), *format_vector(v)) for v in report.pairs
    ), screen)  # fmt: skip
    _print_section("Part of the episodes", ("kind", "part", "", "episodes", *NUMBERS[:4]), (
        (v.kind, v.slice, v.status, v.episodes, *format_vector(v)[:4]) for v in report.slices
    ), screen)  # fmt: skip
    _print_section("Boundaries, farthest apart first", ("kind", "boundary", "matched", "frames", "scatter"), (
        (b.kind, b.name, b.matched, format_estimate(b.mae_frames, 1), format_fixed(b.spread_frames, 1))
        for b in report.boundaries
    ), screen)  # fmt: skip
    _print_section("Labels given to the same segments", ("kind", "labels", "segments", "of", "share"), (
        (c.kind, " / ".join(c.labels), c.confused, c.segments, percent(c.share, 0)) for c in report.confused
    ), screen)  # fmt: skip
    _print_section("Each against the others", PEOPLE, (
        (p.kind, p.author, p.episodes, format_fixed(p.kappa, 2), format_fixed(p.others_kappa, 2),
         format_fixed(p.bias_frames, 1), format_fixed(p.mae_frames, 1)) for p in report.people
    ), screen)  # fmt: skip
    for remark in (*agreed.remarks, *report.remarks):
        screen.write(write_sentence(remark))


def format_vector(vector: Any) -> tuple[str, ...]:
    """Write the numbers of a vector, in the order of NUMBERS."""
    shares = "/".join(format_fixed(getattr(vector, name).value, 2) for name in ("f1_10", "f1_50", "f1_90"))
    return (
        format_estimate(vector.kappa, 2),
        format_estimate(vector.boundary_mae_frames, 1),
        format_fixed(vector.boundary_bias_frames.value, 1),
        percent(vector.boundary_f1.value, 0) if vector.boundary_f1.value is not None else NONE,
        shares,
        format_fixed(vector.edit.value, 2),
        format_fixed(vector.gamma.value, 2),
    )


def format_estimate(estimate: Any, digits: int) -> str:
    """Write a number with its interval.

    >>> from fieldloop.model.agreement import AgreementEstimate
    >>> format_estimate(AgreementEstimate(0.8123, 0.7, 0.9), 2), format_estimate(AgreementEstimate(), 2)
    ('0.81 (0.70–0.90)', '–')
    """
    written = format_fixed(estimate.value, digits)
    if estimate.low is None or estimate.high is None:
        return written
    return f"{written} ({format_fixed(estimate.low, digits)}–{format_fixed(estimate.high, digits)})"


def _print_findings(findings: Sequence[Any], screen: Screen) -> None:
    for finding in findings:
        screen.print(make_facts_table([(str(finding.remedy.value), write_sentence(finding.says))]))


def _print_section(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], screen: Screen) -> None:
    held = list(rows)
    if not held:
        return
    screen.print()
    screen.print(make_heading(title))
    screen.print(make_table(columns, held[:MOST_ROWS]))
    if len(held) > MOST_ROWS:
        screen.write(f"  {len(held) - MOST_ROWS} more: --json or --html has them.")
