"""Four questions about a failure: enough close examples, cue sensed, judged right, labelled or filtered right?"""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.numerals import listed, plain
from fieldloop.model.attempts import Key, attempt_of
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Asked, FailureExplained, Gap
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

EXAMPLES = "Were there enough close examples?"
SENSED = "Was the cue sensed?"
JUDGED = "Was the success signal right?"
Range = tuple[float, float]
WHO = ("robot", "judged_by")
"""Who tried and who judged are no conditions of the place."""
NEITHER = "Neither light nor confidence was logged; log lux and confidence."
NOT_BEFORE = "was logged here, but neither in demonstrations nor in the baseline; log it there too."
LABELLED = "Were such failures labelled or filtered correctly?"


def explain_failures(inquiry: Inquiry) -> tuple[FailureExplained, ...]:
    """Ask the four questions of the failures that were least expected, so many as the setting says."""
    surprise = np.where(inquiry.after.success < 1.0, inquiry.expected - inquiry.after.success, -np.inf)
    most = int(inquiry.settings.number("explained_failures"))
    first = [int(at) for at in np.argsort(-surprise, kind="stable")[:most] if np.isfinite(surprise[at])]
    verdicts: dict[Key, list[Outcome]] = {}
    for outcome in inquiry.evidence.after:
        if (key := attempt_of(outcome)) is not None:
            verdicts.setdefault(key, []).append(outcome)
    return tuple(_explain(inquiry, at, verdicts) for at in first)


def _explain(inquiry: Inquiry, at: int, verdicts: dict[Key, list[Outcome]]) -> FailureExplained:
    outcome = inquiry.after.outcomes[at]
    where = Stratum.of({f: level for f, level in inquiry.after.rows[at].items() if f not in WHO})
    key = attempt_of(outcome)
    shown, settings = inquiry.evidence.demonstrations, inquiry.settings
    known = [c for c in where.conditions if shown is not None and c.factor in shown.factors]
    asked = (
        _examples(known, outcome, shown, settings),
        _sensed(inquiry, at, shown, settings),
        _judged(outcome, verdicts[key] if key is not None else [outcome]),
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
    """Numbers of the surroundings outside all that demonstrations or the baseline saw, and a policy that was unsure.

    Only light and the like say what a sensor could see; cycles, latency or warmth do not.
    """
    said = {name: v for name, v in inquiry.after.numbers.items() if gaps.of_factor(name) is Gap.ENVIRONMENT}
    seen = {name: _seen(inquiry, name, shown) for name in said}
    known = {name: float(v[at]) for name, v in said.items() if seen[name] and np.isfinite(v[at])}
    outside = [
        f"{name} {plain(v, 6)} outside {_range(seen[name])}" for name, v in known.items() if _beyond(v, seen[name])
    ]
    sure = inquiry.after.outcomes[at].confidence
    if sure is not None and sure < settings.number("unsure_below"):
        outside.append(f"the policy itself was unsure ({sure:.2f})")
    if outside:
        return Asked(SENSED, Status.FAILED, f"Beyond what was seen before: {'; '.join(outside)}.")
    inside = [f"{name} {plain(v, 6)} within {_range(seen[name])}" for name, v in known.items()]
    if sure is not None:
        inside.append(f"the policy was sure ({sure:.2f})")
    if not inside:
        here = [name for name, v in said.items() if np.isfinite(v[at])]
        return Asked(SENSED, Status.CANNOT_TELL, NEITHER if not here else f"{listed(here)} {NOT_BEFORE}")
    return Asked(SENSED, Status.PASSED, f"As seen before: {'; '.join(inside)}.")


def _seen(inquiry: Inquiry, name: str, shown: Demonstrations | None) -> Range | None:
    """The range of a number in the demonstrations, or in the baseline where they do not say it."""
    if shown is not None and name in shown.ranges:
        return shown.ranges[name]
    past = inquiry.before.numbers.get(name)
    return None if past is None else (float(np.nanmin(past)), float(np.nanmax(past)))


def _beyond(value: float, seen: Range | None) -> bool:
    return seen is not None and not seen[0] <= value <= seen[1]


def _range(seen: Range | None) -> str:
    return f"{plain(seen[0], 6)} to {plain(seen[1], 6)}" if seen else "nothing"


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
