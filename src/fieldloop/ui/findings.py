"""How pages write findings: the value with its interval, the moment as a link, the cost, the fix."""

from collections.abc import Iterable

from fieldloop.model.finding import Finding
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import format_fixed, format_number, format_without_unit, percent

DID = {FixKind.TRIM: "trim", FixKind.RESTAMP: "re-stamp", FixKind.DROP: "leave out"}


def get_episode_address(episode: str, at_s: float | None = None) -> str:
    """Return the address of an episode at a moment."""
    return f"/episodes/{episode}" + ("" if at_s is None else f"?at={at_s:.2f}")


def draw_measured_value(finding: Finding) -> Markup:
    """Write what was measured, with its interval below."""
    written = format_without_unit(finding.measured, finding.unit)
    if finding.low is None and finding.high is None:
        return join(written)
    ends = " to ".join(
        "no end" if end is None else format_without_unit(end, finding.unit, 3) for end in (finding.low, finding.high)
    )
    return join(written, tag("small", ends))


def draw_moment_link(episode: str, at_s: float | None) -> Markup:
    """Write a moment as a link."""
    return (
        join("–") if at_s is None else tag("a", f"{format_fixed(at_s, 2)} s", href=get_episode_address(episode, at_s))
    )


def format_cost(lost_share: float) -> str:
    """Write the share of an episode's worth that is lost."""
    return percent(lost_share, 0) if lost_share > 0.0 else "–"


def write_fixes(fixes: Iterable[Fix]) -> str:
    """Write what a release can fix by itself."""
    return "; ".join(dict.fromkeys(map(_write_fix, fixes))) or "–"


def _write_fix(fix: Fix) -> str:
    if fix.kind is FixKind.RESTAMP:
        return f"{DID[fix.kind]} {fix.stream} by {format_number(1e3 * fix.shift_ns / NS_PER_S, 3)} ms"
    return DID[fix.kind]
