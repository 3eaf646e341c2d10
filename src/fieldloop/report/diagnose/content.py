"""All that the page of a diagnosis is drawn from, and what it says in a sentence or two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.alarm import Rate
from fieldloop.model.diagnosis import Cause, Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.kinds import mix_said
from fieldloop.report.diagnose.parts import has_drop, has_interval, part, share_of
from fieldloop.report.words import UNKNOWN, day, interval, percent, plural, points, where

UNSURE = "Cannot tell whether success dropped"
NEVER = "Nothing works, neither before nor now"
ANSWERS = {Status.PASSED: "yes", Status.FAILED: "no", Status.CANNOT_TELL: "open"}
"""What the status of one of the four questions says, wherever it is shown."""
DOUBT = (
    "Doubt: how probable it is that a condition is none of the causes. The doubts add up to the number of false finds "
    "to expect."
)
LEAST_DOUBT = 0.01
MOST_PLACES = 2
"""Places of one cause that a sentence names; tables have all."""


@dataclass(frozen=True, slots=True)
class DiagnosisReport:
    """A diagnosis, success in production day by day (oldest first), and the name of the policy where it has one."""

    diagnosis: Diagnosis
    days: tuple[Rate, ...] = ()
    policy: str = ""


def verdict(found: Diagnosis) -> str:
    """Say in a few words whether the drop is real, which takes an interval that lies above nothing."""
    if found.status is Status.FAILED:
        return "The drop is real" if has_drop(found) else "Something is wrong, the whole may not have dropped"
    if found.status is Status.PASSED:
        return "No drop that matters" if has_drop(found) else "No real drop"
    if found.baseline == found.observed == 0.0:
        return NEVER
    if found.status is Status.CANNOT_TELL and has_drop(found):
        named = _first(found) is not None
        if not named and found.kinds is not None and found.kinds.mostly_mix:
            return "The drop is real, most of it is a harder mix"
        return f"The drop is real, its cause is not {'certain' if named else 'known'}"
    return UNSURE


def sentence(found: Diagnosis) -> str:
    """Say whether success dropped, from what to what, by how much."""
    return f"{verdict(found)}: {change(found)}"


def change(found: Diagnosis) -> str:
    """Say from what to what success went, by how many points, with the interval where there is one."""
    if not (math.isfinite(found.baseline) and math.isfinite(found.observed)):
        return "there is nothing to compare."
    span = f" ({interval(-found.loss_high, -found.loss_low)})" if has_interval(found) else ""
    over = f", over {plural(found.episodes, 'episode')} at {found.site or 'all sites'}"
    return f"{percent(found.baseline)} → {percent(found.observed)}, {points(-found.loss)} points{span}{over}."


def main_cause(found: Diagnosis) -> str:
    """Say what holds most of the loss, a cause with what to do about it or a harder mix; '' where neither is known."""
    mix = mix_said(found) if has_drop(found) else ""
    cause = _main_cause(found)
    return " ".join(filter(None, (cause, mix) if found.status is Status.FAILED else (mix, cause)))


def _main_cause(found: Diagnosis) -> str:
    """The order is the diagnosis's own: the first one named is the one it holds responsible first."""
    top = _first(found)
    if top is None:
        return ""
    alike, unknown = ([c for c in found.causes if c.gap is gap] for gap in (top.gap, Gap.UNKNOWN))
    held = f"{top.gap.value} ({part(found, alike)}; {_places(found, alike)})"
    if unknown and share_of(unknown) > share_of(alike):
        larger = f"The largest part is not explained ({part(found, unknown, short=True)})"
        return f"{larger}. First cause named: {held}. {top.fix}"
    return f"First cause: {held}. {top.fix}"


def in_short(found: Diagnosis) -> str:
    """Name the kind of cause that is held responsible first; where none is, say what the verdict is."""
    top = _first(found)
    return top.gap.value if top else verdict(found)


def _first(found: Diagnosis) -> Cause | None:
    return next((cause for cause in found.causes if cause.gap is not Gap.UNKNOWN), None)


def _places(found: Diagnosis, alike: Sequence[Cause]) -> str:
    """Say where a kind of cause acts; where it acts in several places, what each of the first holds of the loss."""
    if len(alike) == 1:
        return place(alike[0])
    told = ", ".join(f"{place(cause)} {part(found, [cause], short=True)}" for cause in alike[:MOST_PLACES])
    more = len(alike) - MOST_PLACES
    return f"{told} and {more} more" if more > 0 else told


def place(cause: Cause) -> str:
    """Say where a cause acts; conditions that cannot be told apart from it are named with it."""
    told = " or ".join([where(cause.stratum), *(f"{where(one)}{since_day}" for one, since_day in cause.rivals)])
    return f"{told} (cannot be told apart)" if cause.group else told


def since(cause: Cause) -> str:
    """Say since when it changed, by the site's calendar where that is known, or whether data ever covered it."""
    if cause.since_ns is not None:
        return f"changed about {cause.since_day or day(cause.since_ns)}"
    if cause.gap is Gap.SIM_TO_REAL and cause.never_covered is not True:
        return "covered in simulation"
    if cause.never_covered is None:
        return "cannot tell"
    return "never covered" if cause.never_covered else "covered, then changed"


def by_loss(slices: Sequence[LostSlice]) -> list[LostSlice]:
    """Return the conditions that lost, those first that cost most attempts."""
    return sorted(slices, key=lambda one: -one.episodes * _lost(one))


def _lost(one: LostSlice) -> float:
    lost = one.expected - one.observed
    return lost if math.isfinite(lost) else 0.0


def remark_word(found: Diagnosis) -> str:
    """Say what the lines beside the causes are: where all is well nothing is left open, and they are remarks."""
    return "Worth knowing" if found.status is Status.PASSED else "Cannot tell"


def remarks_title(found: Diagnosis) -> str:
    """Head the same lines on a page."""
    return remark_word(found) if found.status is Status.PASSED else "What could not be told, and what to log"


def sampled(found: Diagnosis, shown: int | None = None) -> str:
    """Say how many of all failures the four questions are asked of, and how those were chosen."""
    asked = len(found.failures) if shown is None else min(shown, len(found.failures))
    if asked >= found.failed:
        return f"All {plural(asked, 'failure')}, the least expected first."
    return f"{asked:,} of {plural(found.failed, 'failure')}: those where success was expected most."


def doubt(one: LostSlice) -> str:
    """Write how probable it is that a slice is none of the causes; below one in a hundred nobody counts."""
    if not math.isfinite(one.doubt):
        return UNKNOWN
    return f"< {percent(LEAST_DOUBT, 0)}" if one.doubt < LEAST_DOUBT else percent(one.doubt, 0)
