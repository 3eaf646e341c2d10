"""What the report of a diagnosis contains, and its summary in a sentence or two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.alarm import Rate
from fieldloop.model.diagnosis import Cause, Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.report.diagnose.kinds import write_harder_mix
from fieldloop.report.diagnose.parts import format_causes_cost, has_drop, has_loss_interval, sum_cause_shares
from fieldloop.say import write_sentence
from fieldloop.say.numbers import UNKNOWN, format_day, format_interval, percent, stratum_in_words

ANSWERS = {Status.PASSED: "yes", Status.FAILED: "no", Status.CANNOT_TELL: "open"}
"""The answer to one of the four questions, by its status."""
DOUBT = write_sentence(note("diagnose.doubt"))
COLUMNS = write_sentence(note("diagnose.columns_explained"))
LEAST_DOUBT = 0.01
MOST_PLACES = 2
"""Number of places of one cause that a sentence names; tables have all."""


@dataclass(frozen=True, slots=True)
class DiagnosisReport:
    """A diagnosis, success in production day by day (oldest first), and the name of the policy where it has one."""

    diagnosis: Diagnosis
    days: tuple[Rate, ...] = ()
    policy: str = ""


def write_verdict(diagnosis: Diagnosis) -> str:
    """State in a few words whether the drop is real, which takes an interval above zero."""
    return write_sentence(note(_choose_verdict_code(diagnosis)))


def _choose_verdict_code(diagnosis: Diagnosis) -> str:
    if diagnosis.status is Status.FAILED:
        return "diagnose.verdict_real" if has_drop(diagnosis) else "diagnose.verdict_hidden"
    if diagnosis.status is Status.PASSED:
        return "diagnose.verdict_negligible" if has_drop(diagnosis) else "diagnose.verdict_no_drop"
    if diagnosis.baseline == diagnosis.observed == 0.0:
        return "diagnose.verdict_never_worked"
    if diagnosis.status is Status.CANNOT_TELL and has_drop(diagnosis):
        if _find_first_known_cause(diagnosis) is not None:
            return "diagnose.verdict_cause_uncertain"
        mostly_mix = diagnosis.kinds is not None and diagnosis.kinds.mostly_mix
        return "diagnose.verdict_mix" if mostly_mix else "diagnose.verdict_cause_unknown"
    return "diagnose.verdict_cannot_tell"


def write_headline(diagnosis: Diagnosis) -> str:
    """State whether success dropped, from what to what, by how much."""
    return f"{write_verdict(diagnosis)}: {write_success_change(diagnosis)}"


def write_success_change(diagnosis: Diagnosis) -> str:
    """State from what to what success went, by how many points, with the interval where there is one."""
    if not (math.isfinite(diagnosis.baseline) and math.isfinite(diagnosis.observed)):
        return write_sentence(note("diagnose.nothing_to_compare"))
    span = format_interval(-diagnosis.loss_high, -diagnosis.loss_low) if has_loss_interval(diagnosis) else ""
    fact = note(
        "diagnose.change",
        baseline=diagnosis.baseline, observed=diagnosis.observed, change=-diagnosis.loss, interval=span,
        episodes=diagnosis.episodes, site=diagnosis.site or "all sites",
    )  # fmt: skip
    return write_sentence(fact)


def write_main_cause(diagnosis: Diagnosis) -> str:
    """State the largest cause with its fix, or a harder mix; '' where neither is known."""
    mix = write_harder_mix(diagnosis) if has_drop(diagnosis) else ""
    cause = _write_first_cause(diagnosis)
    return " ".join(filter(None, (cause, mix) if diagnosis.status is Status.FAILED else (mix, cause)))


def _write_first_cause(diagnosis: Diagnosis) -> str:
    """State the first cause: the diagnosis has ordered them."""
    top = _find_first_known_cause(diagnosis)
    if top is None:
        return ""
    alike, unknown = ([c for c in diagnosis.causes if c.gap is gap] for gap in (top.gap, Gap.UNKNOWN))
    gap, size, places = top.gap.value, format_causes_cost(diagnosis, alike), _write_cause_places(diagnosis, alike)
    if unknown and sum_cause_shares(unknown) > sum_cause_shares(alike):
        rest = format_causes_cost(diagnosis, unknown, short=True)
        fact = note("diagnose.first_cause_named", top.fix, unexplained=rest, gap=gap, part=size, places=places)
        return write_sentence(fact)
    return write_sentence(note("diagnose.first_cause", top.fix, gap=gap, part=size, places=places))


def name_first_cause(diagnosis: Diagnosis) -> str:
    """Name the first kind of cause; where none is named, return the verdict."""
    top = _find_first_known_cause(diagnosis)
    return top.gap.value if top else write_verdict(diagnosis)


def _find_first_known_cause(diagnosis: Diagnosis) -> Cause | None:
    return next((cause for cause in diagnosis.causes if cause.gap is not Gap.UNKNOWN), None)


def _write_cause_places(diagnosis: Diagnosis, same_kind_causes: Sequence[Cause]) -> str:
    """State where a kind of cause acts; where it acts in several places, the largest with their shares of the loss."""
    by_place: dict[str, list[Cause]] = {}
    for cause in same_kind_causes:
        by_place.setdefault(write_cause_place(cause), []).append(cause)
    if len(by_place) == 1:
        return next(iter(by_place))
    shown = ", ".join(
        f"{place} {format_causes_cost(diagnosis, there, short=True)}"
        for place, there in sorted(by_place.items(), key=lambda one: -sum_cause_shares(one[1]))[:MOST_PLACES]
    )
    return write_sentence(
        note("diagnose.places_and_more", places=shown, more=max(len(by_place) - MOST_PLACES, 0) or None)
    )


def write_cause_place(cause: Cause) -> str:
    """State where a cause acts; conditions that cannot be separated from it are named with it."""
    every = ((cause.stratum, ""), *cause.rivals)
    shown = " or ".join(
        f"{stratum_in_words(stratum)} since {day}" if day else stratum_in_words(stratum) for stratum, day in every
    )
    return write_sentence(note("diagnose.place_or", places=shown)) if cause.group else shown


def write_cause_start(cause: Cause) -> str:
    """State since when it changed, by the site's calendar where that is known, or whether data ever covered it."""
    if cause.since_ns is not None:
        return write_sentence(note("diagnose.changed_about", day=cause.since_day or format_day(cause.since_ns)))
    if cause.gap is Gap.SIM_TO_REAL and cause.never_covered is not True:
        return write_sentence(note("diagnose.covered_in_simulation"))
    if cause.never_covered is None:
        return write_sentence(note("diagnose.coverage_unknown"))
    return write_sentence(note("diagnose.never_covered" if cause.never_covered else "diagnose.covered_then_changed"))


def sort_slices_by_loss(slices: Sequence[LostSlice]) -> list[LostSlice]:
    """Sort the conditions that lost, those that cost most attempts first."""
    return sorted(slices, key=lambda one: -one.episodes * _compute_slice_loss(one))


def _compute_slice_loss(lost_slice: LostSlice) -> float:
    lost = lost_slice.expected - lost_slice.observed
    return lost if math.isfinite(lost) else 0.0


def name_remarks(diagnosis: Diagnosis) -> str:
    """Name the lines beside the causes: in a passed diagnosis they are remarks, else open questions."""
    return write_sentence(
        note("diagnose.worth_knowing" if diagnosis.status is Status.PASSED else "diagnose.cannot_tell")
    )


def write_remarks_title(diagnosis: Diagnosis) -> str:
    """Return the heading of the same lines on a page."""
    return (
        name_remarks(diagnosis)
        if diagnosis.status is Status.PASSED
        else write_sentence(note("diagnose.not_known_title"))
    )


def write_explained_failures(diagnosis: Diagnosis, shown_failures: int | None = None) -> str:
    """State how many of all failures are explained, and how they were chosen."""
    asked = len(diagnosis.failures) if shown_failures is None else min(shown_failures, len(diagnosis.failures))
    if asked >= diagnosis.failed:
        return write_sentence(note("diagnose.all_failures", failures=asked))
    return write_sentence(note("diagnose.some_failures", shown=asked, failures=diagnosis.failed))


def format_doubt(lost_slice: LostSlice) -> str:
    """Write the probability that a slice is not a cause; below one in a hundred its digits do not matter."""
    if not math.isfinite(lost_slice.doubt):
        return UNKNOWN
    return f"< {percent(LEAST_DOUBT, 0)}" if lost_slice.doubt < LEAST_DOUBT else percent(lost_slice.doubt, 0)
