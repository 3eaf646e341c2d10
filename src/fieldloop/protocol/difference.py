"""What changed from one protocol to another, and what has to be done about episodes that are there already."""

from dataclasses import dataclass

from fieldloop.protocol.collection import CollectionProtocol
from fieldloop.protocol.statements import Effect, Statement, statements


@dataclass(frozen=True, slots=True)
class Change:
    """One statement that differs: where, what follows from it, before and after ('' where it is not there)."""

    place: str
    effect: Effect
    before: str
    after: str
    note: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True)
class ProtocolDiff:
    """All changes, those that make the most work first."""

    older: str
    newer: str
    changes: tuple[Change, ...]

    @property
    def sentence(self) -> str:
        """Say in a line what has to be done."""
        if not self.changes:
            return f"{self.older} and {self.newer} say the same."
        counts = [(effect, sum(c.effect is effect for c in self.changes)) for effect in Effect]
        told = ", ".join(f"{count} × {effect.value}" for effect, count in counts if count)
        return f"{told}. {NEXT[self.changes[0].effect]}"

    @property
    def needs_measuring(self) -> bool:
        """Must logs be opened again?"""
        return any(change.effect is Effect.MEASURE for change in self.changes)

    @property
    def needs_judging(self) -> bool:
        """May verdicts differ?"""
        return any(change.effect in (Effect.MEASURE, Effect.JUDGE) for change in self.changes)

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks that are named by a change in a number."""
        named = {c.check for c in self.changes if c.check and c.effect in (Effect.MEASURE, Effect.JUDGE)}
        return tuple(sorted(named))


NEXT = {
    Effect.MEASURE: "What was measured no longer fits: logs have to be measured again.",
    Effect.JUDGE: "What was measured still holds: judge it again, no log has to be opened.",
    Effect.COLLECT: "Verdicts stay as they are; what is collected from now on is made otherwise.",
    Effect.WORDS: "Nothing but words and records: everything stays as it is.",
}
YARDSTICKS = {"task.target_cycle_s": "throughput.cycle_time is kept as a multiple of it"}
"""Numbers that look like limits but are what a measurement is made in: why they ask to measure again."""


def compare(older: CollectionProtocol, newer: CollectionProtocol) -> ProtocolDiff:
    """List what differs between two protocols."""
    before, after = statements(older), statements(newer)
    found = [
        _change(before.get(place), after.get(place), older, newer)
        for place in {**before, **after}
        if _said(before.get(place)) != _said(after.get(place))
    ]
    ordered = sorted(found, key=lambda c: (list(Effect).index(c.effect), c.place))
    return ProtocolDiff(older.label, newer.label, tuple(ordered))


def _change(
    before: Statement | None, after: Statement | None, older: CollectionProtocol, newer: CollectionProtocol
) -> Change:
    stated = [statement for statement in (after, before) if statement]
    there = min(stated, key=lambda statement: list(Effect).index(statement.effect))
    limited = there.place == f"check.{there.check}"
    note = _direction(there.check, older, newer) if limited else YARDSTICKS.get(there.place, "")
    return Change(there.place, there.effect, _said(before) or "", _said(after) or "", note, there.check)


def _direction(check: str, older: CollectionProtocol, newer: CollectionProtocol) -> str:
    """Say whether a limit admits more or less than before.

    A limit that moved as a whole does neither: it admits other values.
    """
    if check not in older.limits or check not in newer.limits:
        return ""
    old, new = older.limits[check], newer.limits[check]
    low_old, low_new = (-float("inf") if x.minimum is None else x.minimum for x in (old, new))
    high_old, high_new = (float("inf") if x.maximum is None else x.maximum for x in (old, new))
    if (low_old, high_old) == (low_new, high_new):
        return ""
    if low_new <= low_old and high_new >= high_old:
        return "looser"
    return "stricter" if low_new >= low_old and high_new <= high_old else "moved"


def _said(statement: Statement | None) -> str | None:
    return statement.said if statement else None
