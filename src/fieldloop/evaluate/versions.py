"""Compare two versions by a sequential test: better, worse, no difference worth waiting for, or more pairs needed.

The question may be asked after every pair, and the operator may stop at any time: either verdict is wrong with a
probability of at most α (`stats.sequential`). The most pairs are set before the first; what comes later is not used.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fieldloop.evaluate.boundary_in_force import find_boundary, find_margin
from fieldloop.evaluate.pairs import AttemptPairs, note_weaknesses
from fieldloop.model.comparison import Question, Verdict, VersionComparison
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section
from fieldloop.stats.sequential import Boundary, Futility, Scenes, compute_interval


@dataclass(frozen=True, slots=True)
class Compared:
    """The two versions, by id and by name."""

    candidate: str
    other: str
    candidate_name: str
    other_name: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the walk is: pairs, what the variance depends on, and the lead of the candidate."""

    pairs: int
    s: int
    lead: int


def compare_versions(
    attempt_pairs: AttemptPairs,
    versions: Compared,
    question: Question,
    settings: Section,
    *,
    unknown: int = 0,
    simulator: str = "",
) -> VersionComparison:
    """Compare a candidate with another version; `simulator` judges simulated attempts. Settings: the section `gate`."""
    scenes = Scenes.PAIRED if attempt_pairs.share_scenes else Scenes.UNPAIRED
    alpha = 1 - settings.number("confidence")
    boundary = find_boundary(scenes, int(settings["compare_max_pairs"]), alpha)
    futility = Futility(
        settings.number("compare_worth"),
        settings.number("compare_least_chance"),
        find_margin(scenes),
        1 if question is Question.BETTER else -1,
    )
    results = np.array([pair.results for pair in attempt_pairs.pairs], dtype=int).reshape(-1, 2)
    at = _walk_to_the_end(boundary, results)
    verdict = _decide(boundary, futility, at)
    low, high = compute_interval(boundary, futility.margin, at.pairs, at.s, at.lead)
    used = results[: at.pairs]
    won, lost = int(used[:, 0].sum()), int(used[:, 1].sum())
    most = boundary.max_pairs - at.pairs if verdict is Verdict.UNDECIDED else 0
    more = _count_more_pairs(boundary, futility, at) if most else 0
    message = _write_message(verdict, question, versions, at, (won, lost), (low, high), (more, most), futility)
    return VersionComparison(
        candidate=versions.candidate,
        other=versions.other,
        question=question,
        verdict=verdict,
        status=_judge(verdict, question, low, high, futility.worth),
        paired=attempt_pairs.share_scenes,
        pairs=at.pairs,
        max_pairs=boundary.max_pairs,
        candidate_successes=won,
        other_successes=lost,
        candidate_only=int((used[:, 0] > used[:, 1]).sum()),
        other_only=int((used[:, 0] < used[:, 1]).sum()),
        difference=at.lead / at.pairs if at.pairs else None,
        low=low,
        high=high,
        level=1 - alpha,
        more_pairs=more,
        most_pairs=most,
        unused=attempt_pairs.alone + 2 * (len(results) - at.pairs),
        unknown=unknown,
        message=message,
        weaknesses=(
            *note_weaknesses(attempt_pairs, at.pairs, settings),
            *_note_simulated(attempt_pairs, at.pairs, simulator),
            *((note("evaluate.compare_unknown", attempts=unknown),) if unknown else ()),
        ),
        assumes=_list_assumptions(boundary, alpha),
        operations=settings.fingerprint,
    )


def _walk_to_the_end(boundary: Boundary, results: np.ndarray) -> Standing:
    """Follow the pairs until one arm's lead ends the test, the pairs end, or the most pairs are used."""
    s = lead = pairs = 0
    for candidate, other in results[: boundary.max_pairs]:
        pairs += 1
        lead += int(candidate) - int(other)
        s += int(candidate) + int(other) if boundary.scenes is Scenes.UNPAIRED else int(candidate != other)
        if abs(lead) >= boundary.list_leads()[pairs - 1][s]:
            break
    return Standing(pairs, s, lead)


def _decide(boundary: Boundary, futility: Futility, at: Standing) -> Verdict:
    if not at.pairs:
        return Verdict.UNDECIDED
    if abs(at.lead) >= boundary.list_leads()[at.pairs - 1][at.s]:
        return Verdict.BETTER if at.lead > 0 else Verdict.WORSE
    futile = futility.find_futile(boundary, at.pairs, np.array([at.s]), np.array([at.lead]))[0]
    return Verdict.NO_DIFFERENCE if futile else Verdict.UNDECIDED


def _count_more_pairs(boundary: Boundary, futility: Futility, at: Standing) -> int:
    """Return how many more pairs bring an answer if both rates stay as observed."""
    left = boundary.max_pairs - at.pairs
    if not at.pairs:
        return left
    for more in range(1, left):
        grown = (at.pairs + more) / at.pairs
        ahead = Standing(at.pairs + more, round(at.s * grown), round(at.lead * grown))
        if _decide(boundary, futility, ahead) is not Verdict.UNDECIDED:
            return more
    return left


def _judge(verdict: Verdict, question: Question, low: float, high: float, worth: float) -> Status:
    """Answer the question asked; that no difference was seen is an answer only if the interval leaves no room for one.

    >>> _judge(Verdict.NO_DIFFERENCE, Question.DROPPED, -0.05, 0.2, 0.1).value
    'passed'
    >>> _judge(Verdict.NO_DIFFERENCE, Question.DROPPED, -0.15, 0.2, 0.1).value
    'cannot_tell'
    """
    if verdict is Verdict.UNDECIDED:
        return Status.CANNOT_TELL
    if verdict is not Verdict.NO_DIFFERENCE:
        return Status.PASSED if verdict is Verdict.BETTER else Status.FAILED
    if question is Question.BETTER:
        return Status.FAILED if high < worth else Status.CANNOT_TELL
    return Status.PASSED if low > -worth else Status.CANNOT_TELL


def _write_message(
    verdict: Verdict, question: Question, versions: Compared, at: Standing, successes: tuple[int, int],
    interval: tuple[float, float], ahead: tuple[int, int], futility: Futility,
) -> Note:  # fmt: skip
    names: dict[str, Any] = {"candidate": versions.candidate_name, "other": versions.other_name}
    if not at.pairs:
        return note("evaluate.compare_no_pairs", **names)
    seen = note(
        "evaluate.compare_seen", **names, pairs=at.pairs, candidate_successes=successes[0],
        other_successes=successes[1], low=interval[0], high=interval[1],
    )  # fmt: skip
    if verdict is Verdict.UNDECIDED:
        return note("evaluate.compare_undecided", seen, **names, more=ahead[0], most=ahead[1])
    if verdict is Verdict.NO_DIFFERENCE:
        code = "evaluate.compare_no_gain" if question is Question.BETTER else "evaluate.compare_no_drop"
        return note(code, seen, **names, worth_points=100 * futility.worth)
    return note("evaluate.compare_better" if verdict is Verdict.BETTER else "evaluate.compare_worse", seen, **names)


def _note_simulated(attempt_pairs: AttemptPairs, used: int, simulator: str) -> tuple[Note, ...]:
    judges = [{pair.candidate.judged_by, pair.other.judged_by} for pair in attempt_pairs.pairs[:used]]
    simulated = sum(simulator in both for both in judges)
    return (note("evaluate.compare_simulated", simulated=simulated, pairs=used),) if simulated else ()


def _list_assumptions(boundary: Boundary, alpha: float) -> tuple[Note, ...]:
    paired = boundary.scenes is Scenes.PAIRED
    return (
        note("evaluate.compare_errs", alpha=alpha, most=boundary.max_pairs),
        note("evaluate.compare_assumes_pairs" if paired else "evaluate.compare_assumes_rates"),
        note("evaluate.compare_assumes_blind"),
    )
