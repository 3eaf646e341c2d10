"""Collect what holds for all episodes written so far: counts, rules, clocks and losses."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import TRUST, Framed
from fieldloop.release.writers.grid import Rule
from fieldloop.release.writers.written import Written


class Account:
    """Episodes and rows so far, the rule and clock of each stream, and the losses."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self.episodes = self.frames = 0
        self.notes: dict[Note, None] = {}
        self._clocks: dict[str, set[ClockKind]] = {}
        self._rules: dict[str, dict[str, None]] = {}

    def note(self, framed: Framed) -> None:
        """Take in one episode, when all of it is written: drawing pictures may add a note."""
        self.episodes, self.frames = self.episodes + 1, self.frames + len(framed)
        self.notes |= dict.fromkeys(framed.notes)
        for name, rule in framed.rules.items():
            self._rules.setdefault(name, {})[rule.value] = None
            self._clocks.setdefault(name, set()).add(next(iter(framed.clocks(name))))

    @property
    def clocks(self) -> dict[str, ClockKind]:
        """The clock by which each stream's rows are stamped, the least trusted of all episodes'."""
        return {name: max(kinds, key=TRUST.index) for name, kinds in self._clocks.items()}

    def worse_clocks(self) -> list[Note]:
        """Return the clocks that are lost because a dataset labels a stream's timestamps alike in all episodes."""
        return [
            note("release.clock_relabelled", about=Subject(name), clock=kind.value, kept=self.clocks[name].value)
            for name, kinds in self._clocks.items()
            for kind in TRUST
            if kind in kinds and kind is not self.clocks[name]
        ]

    @property
    def rules(self) -> dict[str, str]:
        """How each stream was brought onto the grid; as recorded only where it was so in every episode."""
        rule_texts = {}
        for name, rules in self._rules.items():
            made = [rule for rule in rules if rule != Rule.AS_RECORDED.value]
            rule_texts[name] = " or ".join(made) or Rule.AS_RECORDED.value
        return rule_texts

    def flattened_notes(self) -> Iterator[Note]:
        """Yield the streams whose rows were more than a list of numbers, for a format that keeps them as one."""
        for feature in self._features.signals:
            if feature.shape:
                about = Subject(feature.name)
                yield note("release.rows_flattened", about=about, width=feature.width, shape=feature.shape)

    def refuse_changed_recordings(self) -> None:
        """Refuse to finish where the recordings changed between the first and the second reading."""
        if self.episodes != self._features.episodes:
            raise BadInput(
                f"{self._features.episodes} recordings were read at first, but {self.episodes} while "
                "writing. Give recordings that can be read more than once."
            )

    def written(self, target: Path, more: Iterable[Note] = ()) -> Written:
        """Return the result; each loss is listed once."""
        left_out = dict.fromkeys((*self._features.left_out, *self.notes, *more))
        return Written(target, self.episodes, self.frames, tuple(left_out), self._features.clock, self.rules)
