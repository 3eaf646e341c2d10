"""Is there a loss at all? Small counts speak against it, and so do days: what a day's episodes share is one witness."""

from fieldloop.diagnose.spread import witnesses
from fieldloop.diagnose.table import Table
from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import difference

Counts = tuple[int, int]


def bounds(before: Table, after: Table, day_spread: float, settings: Section) -> tuple[float, float]:
    """The interval of the loss."""
    theirs, ours = (_witnesses(table, day_spread) for table in (before, after))
    return difference.interval(theirs, ours, settings.number("confidence"))


def without_loss(before: Table, after: Table, day_spread: float, settings: Section) -> tuple[Status, tuple[str, ...]]:
    """Where no loss is shown. PASSED: shown to be negligible. CANNOT_TELL: that neither, with what is missing."""
    negligible = settings.number("negligible_loss")
    ours, theirs = (_witnesses(table, day_spread) for table in (after, before))
    if difference.lower_bound(ours, theirs, 1.0 - settings.number("alpha")) > -negligible:
        return Status.PASSED, ()
    now, then = after.counts, before.counts
    reason = (
        f"{now[0]} of {now[1]} after {then[0]} of {then[1]} may be chance, and a loss of {100 * negligible:.0f} points "
        f"is still possible; record more outcomes{' of the baseline' if then[1] < now[1] else ''}."
    )
    return Status.CANNOT_TELL, (reason,)


def nothing_works(before: Table, after: Table) -> str:
    """Say so where no attempt ever succeeded: nothing can be lost there, and nothing was shown to be well; else ''."""
    if before.success.any() or after.success.any():
        return ""
    return (
        f"Not one of {len(before):,} attempts before and of {len(after):,} in production succeeded: where nothing ever "
        "worked no loss can be explained. Let a person try whether it can be done at all, and look at how success is "
        "judged."
    )


def missing(before: int, after: int) -> str:
    """Say which outcomes there are none of; '' where there are both."""
    what = "baseline (gate or laboratory)" if not before else "production" if not after else ""
    return f"There are no {what} outcomes of this policy that its judges agree on; record them." if what else ""


def _witnesses(table: Table, day_spread: float) -> Counts:
    """Successes and episodes, as many fewer as days that differ by so much make them tell less."""
    episodes = max(round(witnesses(table.success, table.clusters, day_spread)), 1)
    return round(float(table.success.mean()) * episodes), episodes
