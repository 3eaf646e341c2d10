"""Findings as pages say them: the number with its interval, the moment as a link, what it costs, what would help."""

from collections.abc import Iterable

from fieldloop.model.finding import Finding
from fieldloop.model.fix import Fix, FixKind
from fieldloop.ui.markup import Html, join, tag
from fieldloop.ui.said import SECOND_NS, figure, measured, percent

DID = {FixKind.TRIM: "trim", FixKind.RESTAMP: "re-stamp", FixKind.DROP: "leave out"}


def link_to(episode: str, at_s: float | None = None) -> str:
    """Return where an episode is shown, at the moment that is meant."""
    return f"/episodes/{episode}" + ("" if at_s is None else f"?at={at_s:.2f}")


def value(finding: Finding) -> Html:
    """Write what was measured, with the interval in which the truth lies under it."""
    said = measured(finding.measured, finding.unit)
    if finding.low is None and finding.high is None:
        return join(said)
    ends = " to ".join(
        "no end" if end is None else measured(end, finding.unit, 3) for end in (finding.low, finding.high)
    )
    return join(said, tag("small", ends))


def moment_link(episode: str, at_s: float | None) -> Html:
    """Write a moment as a link to it."""
    return join("–") if at_s is None else tag("a", f"{at_s:.2f} s", href=link_to(episode, at_s))


def cost(share: float) -> str:
    """Write the share of an episode's worth that is lost."""
    return percent(share, 0) if share > 0.0 else "–"


def fix_in_words(fixes: Iterable[Fix]) -> str:
    """Say what a release can put right."""
    return "; ".join(dict.fromkeys(map(_fix, fixes))) or "–"


def _fix(fix: Fix) -> str:
    if fix.kind is FixKind.RESTAMP:
        return f"{DID[fix.kind]} {fix.stream} by {figure(1e3 * fix.shift_ns / SECOND_NS, 3)} ms"
    return DID[fix.kind]
