"""Four questions about a failure: enough close examples, cue sensed, judged right, labelled or filtered right?"""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.attempts import Key, get_attempt_key, names_attempts
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Asked, FailureExplained, Gap
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

EXAMPLES = note("diagnose.asked_examples")
SENSED = note("diagnose.asked_sensed")
JUDGED = note("diagnose.asked_judged")
LABELLED = note("diagnose.asked_labelled")
Range = tuple[float, float]
WHO = ("robot", "judged_by")
"""The robot and the judge are not conditions of the place."""


def explain_failures(inquiry: Inquiry) -> tuple[FailureExplained, ...]:
    """Answer the four questions for the least expected failures, as many as the setting allows."""
    surprise = np.where(inquiry.after.success < 1.0, inquiry.expected - inquiry.after.success, -np.inf)
    most = int(inquiry.settings.number("explained_failures"))
    first = [int(at) for at in np.argsort(-surprise, kind="stable")[:most] if np.isfinite(surprise[at])]
    verdicts: dict[Key, list[Outcome]] = {}
    for outcome in inquiry.evidence.after if names_attempts(inquiry.evidence.after) else ():
        if (key := get_attempt_key(outcome)) is not None:
            verdicts.setdefault(key, []).append(outcome)
    return tuple(_explain(inquiry, at, verdicts) for at in first)


def _explain(inquiry: Inquiry, at: int, verdicts: dict[Key, list[Outcome]]) -> FailureExplained:
    outcome = inquiry.after.outcomes[at]
    where = Stratum.of({f: level for f, level in inquiry.after.row(at).items() if f not in WHO})
    key = get_attempt_key(outcome)
    shown, settings = inquiry.evidence.demonstrations, inquiry.settings
    known = [c for c in where.conditions if shown is not None and c.factor in shown.factors]
    asked = (
        _answer_enough_examples(known, outcome, shown, settings),
        _answer_cue_sensed(inquiry, at, shown, settings),
        _answer_judged_right(outcome, verdicts[key] if key is not None else [outcome]),
        _answer_labelled_right(known, shown, settings),
    )
    return FailureExplained(outcome.id, where, asked)


def _answer_enough_examples(
    known: Sequence[Condition], outcome: Outcome, shown: Demonstrations | None, settings: Section
) -> Asked:
    """Answer by the condition with the fewest demonstrations; the item is stated too."""
    if shown is None or not known:
        return Asked(EXAMPLES, Status.CANNOT_TELL, note("diagnose.demonstrations_unknown"))
    counts = {c: shown.shown(Stratum((c,))) or 0 for c in known}
    rarest = min(counts, key=lambda c: counts[c])
    answer = note(
        "diagnose.close_examples",
        exact=shown.count_exactly(Stratum(tuple(known))), rarest=str(rarest), fewest=counts[rarest],
        item=shown.items.get(outcome.item, 0) if outcome.item and shown.items else None,
    )  # fmt: skip
    enough = counts[rarest] >= settings.number("covered_demonstrations")
    return Asked(EXAMPLES, Status.PASSED if enough else Status.FAILED, answer)


def _answer_cue_sensed(inquiry: Inquiry, at: int, shown: Demonstrations | None, settings: Section) -> Asked:
    """Compare numbers of the surroundings with all that demonstrations or the baseline had, and ask for confidence.

    Only light and the like determine what a sensor can see; cycles, latency or temperature do not.
    """
    logged = {name: v for name, v in inquiry.after.numbers.items() if inquiry.columns.gap(name) is Gap.ENVIRONMENT}
    here = {name: float(v[at]) for name, v in logged.items() if np.isfinite(v[at])}
    known = {name: (value, seen) for name, value in here.items() if (seen := _known_range(inquiry, name, shown))}
    outside = [
        _value_note("diagnose.value_outside", n, v, seen)
        for n, (v, seen) in known.items()
        if _is_outside_range(v, seen)
    ]
    sure = inquiry.after.outcomes[at].confidence
    if sure is not None and sure < settings.number("unsure_below"):
        outside.append(note("diagnose.policy_unsure", confidence=sure))
    if outside:
        return Asked(SENSED, Status.FAILED, note("diagnose.outside_what_was_seen", *outside))
    inside = [_value_note("diagnose.value_inside", name, value, seen) for name, (value, seen) in known.items()]
    if sure is not None:
        inside.append(note("diagnose.policy_sure", confidence=sure))
    if inside:
        return Asked(SENSED, Status.PASSED, note("diagnose.inside_what_was_seen", *inside))
    if here:
        answer = note("diagnose.cue_not_logged_before", names=tuple(here), count=len(here))
        return Asked(SENSED, Status.CANNOT_TELL, answer)
    return Asked(SENSED, Status.CANNOT_TELL, note("diagnose.cue_not_logged"))


def _known_range(inquiry: Inquiry, name: str, shown: Demonstrations | None) -> Range | None:
    """Return the range of a number in the demonstrations, or in the baseline where they did not log it."""
    if shown is not None and name in shown.ranges:
        return shown.ranges[name]
    past = inquiry.before.numbers.get(name)
    return None if past is None else (float(np.nanmin(past)), float(np.nanmax(past)))


def _is_outside_range(value: float, seen: Range) -> bool:
    return not seen[0] <= value <= seen[1]


def _value_note(code: str, name: str, value: float, seen: Range) -> Note:
    return note(code, name=name, value=value, low=seen[0], high=seen[1])


def _answer_judged_right(outcome: Outcome, verdicts: Sequence[Outcome]) -> Asked:
    """Look for judges who contradict each other, or steps that contradict the verdict."""
    if len({o.succeeded for o in verdicts}) > 1:
        each = tuple(
            note("diagnose.judged_success" if o.succeeded else "diagnose.judged_failure", judge=o.judged_by)
            for o in verdicts
        )
        return Asked(JUDGED, Status.FAILED, note("diagnose.judges_contradict", verdicts=each))
    if outcome.steps and all(step.succeeded for step in outcome.steps):
        return Asked(JUDGED, Status.FAILED, note("diagnose.steps_contradict_verdict", steps=len(outcome.steps)))
    if outcome.steps or len(verdicts) > 1:
        failed = next((step.name for step in outcome.steps if not step.succeeded), "")
        answer = note("diagnose.failed_at_step", step=failed) if failed else note("diagnose.judges_agree")
        return Asked(JUDGED, Status.PASSED, answer)
    return Asked(JUDGED, Status.CANNOT_TELL, note("diagnose.one_judge_no_steps"))


def _answer_labelled_right(known: Sequence[Condition], shown: Demonstrations | None, settings: Section) -> Asked:
    """Did the release keep failures and recoveries under its conditions?"""
    if shown is None or not known:
        return Asked(LABELLED, Status.CANNOT_TELL, note("diagnose.demonstrations_unknown"))
    if not sum(shown.failed.values()):
        return Asked(LABELLED, Status.FAILED, note("diagnose.no_failures_kept"))
    kept = {c: shown.failures(Stratum((c,))) or 0 for c in known}
    rarest = min(kept, key=lambda c: kept[c])
    enough = kept[rarest] >= settings.number("covered_failures")
    answer = note("diagnose.failures_kept", failures=kept[rarest], rarest=str(rarest))
    return Asked(LABELLED, Status.PASSED if enough else Status.FAILED, answer)
