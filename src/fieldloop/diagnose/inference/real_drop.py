"""Is there a loss at all? Intervals allow for small counts, and for days whose episodes are not independent."""

from fieldloop.diagnose.inference.day_spread import effective_episodes
from fieldloop.diagnose.inference.table import Table
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section
from fieldloop.stats import difference

Counts = tuple[int, int]


def bounds(before: Table, after: Table, day_spread: float, settings: Section) -> tuple[float, float]:
    """Return the interval of the loss."""
    theirs, ours = (_effective_counts(table, day_spread) for table in (before, after))
    return difference.compute_difference_interval(theirs, ours, settings.number("confidence"))


def judge_without_loss(
    before: Table, after: Table, day_spread: float, settings: Section
) -> tuple[Status, tuple[Note, ...]]:
    """Judge where no loss is shown. PASSED: it is negligible. CANNOT_TELL: neither is shown, with what is missing."""
    negligible = settings.number("negligible_loss")
    ours, theirs = (_effective_counts(table, day_spread) for table in (after, before))
    if difference.compute_difference_lower_bound(ours, theirs, 1.0 - settings.number("alpha")) > -negligible:
        return Status.PASSED, ()
    now, then = after.counts, before.counts
    fewer = then[1] < now[1]
    reason = note(
        "diagnose.loss_still_possible",
        note("diagnose.record_more_baseline") if fewer else note("diagnose.record_more"),
        succeeded=now[0], attempts=now[1], baseline_succeeded=then[0], baseline_attempts=then[1],
        negligible_points=100.0 * negligible,
    )  # fmt: skip
    return Status.CANNOT_TELL, (reason,)


def nothing_works_note(before: Table, after: Table) -> Note | None:
    """State where no attempt ever succeeded: nothing can be lost there, and nothing was shown to work; else None."""
    if before.success.any() or after.success.any():
        return None
    return note("diagnose.nothing_works", before=len(before), after=len(after))


def missing_side_note(before: int, after: int) -> Note | None:
    """State which side has no outcomes; None where both have."""
    if not before:
        return note("diagnose.no_baseline")
    return None if after else note("diagnose.no_production")


def _effective_counts(table: Table, day_spread: float) -> Counts:
    """Return successes and effective episodes: days that differ this much make episodes less independent."""
    episodes = max(round(effective_episodes(table.success, table.clusters, day_spread)), 1)
    return round(float(table.success.mean()) * episodes), episodes
