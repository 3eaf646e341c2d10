"""Four questions about a failure: enough close examples, cue sensed, judged right, labelled or filtered right?"""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Asked, FailureExplained
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

EXAMPLES = "Were there enough close examples?"
SENSED = "Was the cue sensed?"
JUDGED = "Was the success signal right?"
LABELLED = "Were such failures labelled or filtered correctly?"


def explain_failures(inquiry: Inquiry) -> tuple[FailureExplained, ...]:
    """Ask the four questions of the failures that were least expected, so many as the setting says."""
    surprise = np.where(inquiry.after.success < 1.0, inquiry.search.expected - inquiry.after.success, -np.inf)
    most = int(inquiry.settings.number("explained_failures"))
    first = [int(at) for at in np.argsort(-surprise, kind="stable")[:most] if np.isfinite(surprise[at])]
    verdicts: dict[str, list[Outcome]] = {}
    for outcome in inquiry.evidence.after:
        if outcome.attempt:
            verdicts.setdefault(outcome.attempt, []).append(outcome)
    return tuple(_explain(inquiry, at, verdicts) for at in first)


def _explain(inquiry: Inquiry, at: int, verdicts: dict[str, list[Outcome]]) -> FailureExplained:
    outcome = inquiry.after.outcomes[at]
    where = Stratum.of(inquiry.after.rows[at])
    shown, settings = inquiry.evidence.demonstrations, inquiry.settings
    known = [c for c in where.conditions if shown is not None and c.factor in shown.factors]
    asked = (
        _examples(known, outcome, shown, settings),
        _sensed(inquiry, at, shown, settings),
        _judged(outcome, verdicts.get(outcome.attempt, [outcome])),
        _labelled(known, shown, settings),
    )
    return FailureExplained(outcome.id, where, asked)


def _examples(known: Sequence[Condition], outcome: Outcome, shown: Demonstrations | None, settings: Section) -> Asked:
    """The condition that was shown least decides, then its item."""
    if shown is None or not known:
        return Asked(EXAMPLES, Status.CANNOT_TELL, "Nobody said what was demonstrated; name the release.")
    counts = {c: shown.shown(Stratum((c,))) or 0 for c in known}
    rarest = min(counts, key=lambda c: counts[c])
    whole = shown.exactly(Stratum(tuple(known)))
    item = f" {shown.items.get(outcome.item, 0)} with this item." if outcome.item and shown.items else ""
    enough = counts[rarest] >= settings.number("covered_demonstrations")
    said = f"{whole} under exactly these conditions; fewest of {rarest}: {counts[rarest]}.{item}"
    return Asked(EXAMPLES, Status.PASSED if enough else Status.FAILED, said)


def _sensed(inquiry: Inquiry, at: int, shown: Demonstrations | None, settings: Section) -> Asked:
    """Numbers of telemetry outside all that demonstrations or the baseline saw, and a policy that was unsure."""
    outside = []
    looked = 0
    for name, values in inquiry.after.numbers.items():
        seen = shown.ranges.get(name) if shown is not None else None
        past = inquiry.before.numbers.get(name)
        if seen is None and past is not None:
            seen = float(np.nanmin(past)), float(np.nanmax(past))
        if seen is not None and np.isfinite(values[at]):
            looked += 1
            if not seen[0] <= values[at] <= seen[1]:
                outside.append(f"{name} {values[at]:.4g} outside {seen[0]:.4g} to {seen[1]:.4g}")
    sure = inquiry.after.outcomes[at].confidence
    if sure is not None and sure < settings.number("unsure_below"):
        outside.append(f"the policy itself was unsure ({sure:.2f})")
    if outside:
        return Asked(SENSED, Status.FAILED, f"Beyond what was seen before: {'; '.join(outside)}.")
    if not looked and sure is None:
        return Asked(SENSED, Status.CANNOT_TELL, "Neither telemetry nor confidence was logged; log lux and confidence.")
    return Asked(SENSED, Status.PASSED, f"{looked} numbers within what was seen before.")


def _judged(outcome: Outcome, verdicts: Sequence[Outcome]) -> Asked:
    """Judges who contradict each other, or steps that contradict the verdict."""
    if len({o.succeeded for o in verdicts}) > 1:
        said = ", ".join(f"{o.judged_by}: {'success' if o.succeeded else 'failure'}" for o in verdicts)
        return Asked(JUDGED, Status.FAILED, f"The judges contradict each other ({said}).")
    if outcome.steps and all(step.succeeded for step in outcome.steps):
        return Asked(JUDGED, Status.FAILED, f"All {len(outcome.steps)} steps succeeded, yet it was judged a failure.")
    if outcome.steps or len(verdicts) > 1:
        failed = next((step.name for step in outcome.steps if not step.succeeded), "")
        return Asked(JUDGED, Status.PASSED, f"Failed at {failed}." if failed else "All who judged it agree.")
    return Asked(JUDGED, Status.CANNOT_TELL, "One judge and no steps; log steps or let a second one judge.")


def _labelled(known: Sequence[Condition], shown: Demonstrations | None, settings: Section) -> Asked:
    """Did the release keep failures and recoveries under its conditions?"""
    if shown is None or not known:
        return Asked(LABELLED, Status.CANNOT_TELL, "Nobody said what was demonstrated; name the release.")
    if not sum(shown.failed.values()):
        return Asked(
            LABELLED, Status.FAILED, "The release holds no failure or recovery: all were filtered, or none labelled."
        )
    kept = {c: shown.failures(Stratum((c,))) or 0 for c in known}
    rarest = min(kept, key=lambda c: kept[c])
    enough = kept[rarest] >= settings.number("covered_failures")
    said = f"{kept[rarest]} failures or recoveries of {rarest} in the release."
    return Asked(LABELLED, Status.PASSED if enough else Status.FAILED, said)
