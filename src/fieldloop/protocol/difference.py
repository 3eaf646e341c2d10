"""The differences between two protocols, and what they require for known episodes."""

from dataclasses import dataclass

from fieldloop.protocol.collection import CollectionProtocol
from fieldloop.protocol.statements import Effect, Statement, list_statements


@dataclass(frozen=True, slots=True)
class Change:
    """One statement that differs: where, what follows from it, before and after ('' where absent)."""

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
        """The required action in one line."""
        if not self.changes:
            return f"{self.older} and {self.newer} are the same."
        counts = [(effect, sum(c.effect is effect for c in self.changes)) for effect in Effect]
        counted = ", ".join(f"{count} × {effect.value}" for effect, count in counts if count)
        return f"{counted}. {NEXT[self.changes[0].effect]}"

    @property
    def needs_measuring(self) -> bool:
        """Whether logs must be measured again."""
        return any(change.effect is Effect.MEASURE for change in self.changes)

    @property
    def needs_judging(self) -> bool:
        """Whether verdicts may differ."""
        return any(change.effect in (Effect.MEASURE, Effect.JUDGE) for change in self.changes)

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks with a changed number."""
        named = {c.check for c in self.changes if c.check and c.effect in (Effect.MEASURE, Effect.JUDGE)}
        return tuple(sorted(named))


NEXT = {
    Effect.MEASURE: "Stored measurements are no longer valid: measure the logs again.",
    Effect.JUDGE: "Stored measurements are still valid: judge them again; no log needs to be opened.",
    Effect.COLLECT: "Verdicts stay the same; only future collection changes.",
    Effect.WORDS: "Only wording and records changed; everything else stays the same.",
}
YARDSTICKS = {"task.target_cycle_s": "throughput.cycle_time is kept as a multiple of it"}
"""Numbers that scale a measurement, with the reason why they require measuring again."""


def compare_protocols(older: CollectionProtocol, newer: CollectionProtocol) -> ProtocolDiff:
    """List what differs between two protocols."""
    before, after = list_statements(older), list_statements(newer)
    changes = [
        _describe_change(before.get(place), after.get(place), older, newer)
        for place in {**before, **after}
        if _write_statement(before.get(place)) != _write_statement(after.get(place))
    ]
    ordered = sorted(changes, key=lambda c: (list(Effect).index(c.effect), c.place))
    return ProtocolDiff(older.label, newer.label, tuple(ordered))


def _describe_change(
    before: Statement | None, after: Statement | None, older: CollectionProtocol, newer: CollectionProtocol
) -> Change:
    stated = [statement for statement in (after, before) if statement]
    there = min(stated, key=lambda statement: list(Effect).index(statement.effect))
    limited = there.place == f"check.{there.check}"
    note = _find_direction(there.check, older, newer) if limited else YARDSTICKS.get(there.place, "")
    return Change(
        there.place, there.effect, _write_statement(before) or "", _write_statement(after) or "", note, there.check
    )


def _find_direction(check: str, older: CollectionProtocol, newer: CollectionProtocol) -> str:
    """Return whether a limit admits more or less than before.

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


def _write_statement(statement: Statement | None) -> str | None:
    return statement.text if statement else None
