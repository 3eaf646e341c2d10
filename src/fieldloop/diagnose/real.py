"""Is there a loss at all, where nothing is found to be wrong? Small counts count against saying so."""

from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import difference


def bounds(before: tuple[int, int], after: tuple[int, int], settings: Section) -> tuple[float, float]:
    """The interval of a loss that nothing shows to be one."""
    return difference.interval(before, after, settings.number("confidence"))


def without_loss(before: tuple[int, int], after: tuple[int, int], settings: Section) -> tuple[Status, tuple[str, ...]]:
    """Where no loss is shown. PASSED: shown to be negligible. CANNOT_TELL: that neither, with what is missing."""
    negligible = settings.number("negligible_loss")
    if difference.lower_bound(after, before, 1.0 - settings.number("alpha")) > -negligible:
        return Status.PASSED, ()
    reason = (
        f"{after[0]} of {after[1]} after {before[0]} of {before[1]} may be chance, and a loss of "
        f"{100 * negligible:.0f} points is still possible; record more outcomes"
        f"{' of the baseline' if before[1] < after[1] else ''}."
    )
    return Status.CANNOT_TELL, (reason,)


def missing(before: int, after: int) -> str:
    """Say which outcomes there are none of; '' where there are both."""
    what = "baseline (gate or laboratory)" if not before else "production" if not after else ""
    return f"There are no {what} outcomes of this policy that its judges agree on; record them." if what else ""
