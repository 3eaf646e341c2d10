"""What the report of a diagnosis contains, and its summary in a sentence or two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.alarm import Rate
from fieldloop.model.diagnosis import Cause, Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.report.diagnose.kinds import harder_mix
from fieldloop.report.diagnose.parts import cost_text, has_drop, has_interval, share_of
from fieldloop.say import sentence
from fieldloop.say.numbers import UNKNOWN, day, interval, percent, stratum_in_words

ANSWERS = {Status.PASSED: "yes", Status.FAILED: "no", Status.CANNOT_TELL: "open"}
"""The answer to one of the four questions, by its status."""
DOUBT = sentence(note("diagnose.doubt"))
LEAST_DOUBT = 0.01
MOST_PLACES = 2
"""Number of places of one cause that a sentence names; tables have all."""


@dataclass(frozen=True, slots=True)
class DiagnosisReport:
    """A diagnosis, success in production day by day (oldest first), and the name of the policy where it has one."""

    diagnosis: Diagnosis
    days: tuple[Rate, ...] = ()
    policy: str = ""


def verdict(found: Diagnosis) -> str:
    """State in a few words whether the drop is real, which takes an interval above zero."""
    return sentence(note(_verdict(found)))


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.status is Status.FAILED:
        return "diagnose.verdict_real" if has_drop(diagnosis) else "diagnose.verdict_hidden"
    if diagnosis.status is Status.PASSED:
        return "diagnose.verdict_negligible" if has_drop(diagnosis) else "diagnose.verdict_no_drop"
    if diagnosis.baseline == diagnosis.observed == 0.0:
        return "diagnose.verdict_never_worked"
    if diagnosis.status is Status.CANNOT_TELL and has_drop(diagnosis):
        if _first_known_cause(diagnosis) is not None:
            return "diagnose.verdict_cause_uncertain"
        mostly_mix = diagnosis.kinds is not None and diagnosis.kinds.mostly_mix
        return "diagnose.verdict_mix" if mostly_mix else "diagnose.verdict_cause_unknown"
    return "diagnose.verdict_cannot_tell"


def headline(found: Diagnosis) -> str:
    """State whether success dropped, from what to what, by how much."""
    return f"{verdict(found)}: {change_text(found)}"


def change_text(found: Diagnosis) -> str:
    """State from what to what success went, by how many points, with the interval where there is one."""
    if not (math.isfinite(found.baseline) and math.isfinite(found.observed)):
        return sentence(note("diagnose.nothing_to_compare"))
    span = interval(-found.loss_high, -found.loss_low) if has_interval(found) else ""
    fact = note(
        "diagnose.change",
        baseline=found.baseline, observed=found.observed, change=-found.loss, interval=span,
        episodes=found.episodes, site=found.site or "all sites",
    )  # fmt: skip
    return sentence(fact)


def main_cause(found: Diagnosis) -> str:
    """State the largest cause with its fix, or a harder mix; '' where neither is known."""
    mix = harder_mix(found) if has_drop(found) else ""
    cause = _main_cause(found)
    return " ".join(filter(None, (cause, mix) if found.status is Status.FAILED else (mix, cause)))


def _main_cause(diagnosis: Diagnosis) -> str:
    """State the first cause: the diagnosis has ordered them."""
    top = _first_known_cause(diagnosis)
    if top is None:
        return ""
    alike, unknown = ([c for c in diagnosis.causes if c.gap is gap] for gap in (top.gap, Gap.UNKNOWN))
    gap, size, places = top.gap.value, cost_text(diagnosis, alike), _places_text(diagnosis, alike)
    if unknown and share_of(unknown) > share_of(alike):
        rest = cost_text(diagnosis, unknown, short=True)
        fact = note("diagnose.first_cause_named", top.fix, unexplained=rest, gap=gap, part=size, places=places)
        return sentence(fact)
    return sentence(note("diagnose.first_cause", top.fix, gap=gap, part=size, places=places))


def first_cause_text(found: Diagnosis) -> str:
    """Name the first kind of cause; where none is named, return the verdict."""
    top = _first_known_cause(found)
    return top.gap.value if top else verdict(found)


def _first_known_cause(diagnosis: Diagnosis) -> Cause | None:
    return next((cause for cause in diagnosis.causes if cause.gap is not Gap.UNKNOWN), None)


def _places_text(diagnosis: Diagnosis, alike: Sequence[Cause]) -> str:
    """State where a kind of cause acts; where it acts in several places, the first with their shares of the loss."""
    if len(alike) == 1:
        return place_in_words(alike[0])
    shown = ", ".join(
        f"{place_in_words(cause)} {cost_text(diagnosis, [cause], short=True)}" for cause in alike[:MOST_PLACES]
    )
    return sentence(note("diagnose.places_and_more", places=shown, more=max(len(alike) - MOST_PLACES, 0) or None))


def place_in_words(cause: Cause) -> str:
    """State where a cause acts; conditions that cannot be separated from it are named with it."""
    every = ((cause.stratum, ""), *cause.rivals)
    shown = " or ".join(
        f"{stratum_in_words(stratum)} since {day}" if day else stratum_in_words(stratum) for stratum, day in every
    )
    return sentence(note("diagnose.place_or", places=shown)) if cause.group else shown


def since(cause: Cause) -> str:
    """State since when it changed, by the site's calendar where that is known, or whether data ever covered it."""
    if cause.since_ns is not None:
        return sentence(note("diagnose.changed_about", day=cause.since_day or day(cause.since_ns)))
    if cause.gap is Gap.SIM_TO_REAL and cause.never_covered is not True:
        return sentence(note("diagnose.covered_in_simulation"))
    if cause.never_covered is None:
        return sentence(note("diagnose.coverage_unknown"))
    return sentence(note("diagnose.never_covered" if cause.never_covered else "diagnose.covered_then_changed"))


def by_loss(slices: Sequence[LostSlice]) -> list[LostSlice]:
    """Sort the conditions that lost, those that cost most attempts first."""
    return sorted(slices, key=lambda one: -one.episodes * _loss_of_slice(one))


def _loss_of_slice(one: LostSlice) -> float:
    lost = one.expected - one.observed
    return lost if math.isfinite(lost) else 0.0


def remark_word(found: Diagnosis) -> str:
    """Name the lines beside the causes: in a passed diagnosis they are remarks, else open questions."""
    return sentence(note("diagnose.worth_knowing" if found.status is Status.PASSED else "diagnose.cannot_tell"))


def remarks_title(found: Diagnosis) -> str:
    """Return the heading of the same lines on a page."""
    return remark_word(found) if found.status is Status.PASSED else sentence(note("diagnose.not_known_title"))


def explained_failures_text(found: Diagnosis, shown: int | None = None) -> str:
    """State how many of all failures are explained, and how they were chosen."""
    asked = len(found.failures) if shown is None else min(shown, len(found.failures))
    if asked >= found.failed:
        return sentence(note("diagnose.all_failures", failures=asked))
    return sentence(note("diagnose.some_failures", shown=asked, failures=found.failed))


def doubt_text(one: LostSlice) -> str:
    """Write the probability that a slice is not a cause; below one in a hundred its digits do not matter."""
    if not math.isfinite(one.doubt):
        return UNKNOWN
    return f"< {percent(LEAST_DOUBT, 0)}" if one.doubt < LEAST_DOUBT else percent(one.doubt, 0)
