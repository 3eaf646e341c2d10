"""What is true of all episodes written so far: a dataset's word is worth no more than its worst episode."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import TRUST, Framed
from fieldloop.release.writers.grid import Rule
from fieldloop.release.writers.written import Written


class Account:
    """How many episodes and rows, by which rule and clock each stream came onto the grid, and what was noted."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self.episodes = self.frames = 0
        self.notes: dict[str, None] = {}
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

    def worse_clocks(self) -> list[str]:
        """Name the clocks that a dataset does not keep which calls a stream's stamps by one name in all episodes."""
        return [
            f"{name}: its {kind.value} clock; its stamps of all episodes are called {self.clocks[name].value}, the "
            "least trusted of them"
            for name, kinds in self._clocks.items()
            for kind in TRUST
            if kind in kinds and kind is not self.clocks[name]
        ]

    @property
    def rules(self) -> dict[str, str]:
        """How each stream was brought onto the grid; as recorded only where it was so in every episode."""
        found = {}
        for name, rules in self._rules.items():
            made = [rule for rule in rules if rule != Rule.AS_RECORDED.value]
            found[name] = " or ".join(made) or Rule.AS_RECORDED.value
        return found

    def flattened(self) -> Iterator[str]:
        """Name rows that were more than a list of numbers, for a format that keeps them as one."""
        for feature in self._features.signals:
            if feature.shape:
                yield f"{feature.name}: each row is written as {feature.width} numbers, not as {feature.shape}"

    def is_whole(self) -> None:
        """Refuse to call it done where the recordings were not the same when they were walked through again."""
        if self.episodes != self._features.episodes:
            raise BadInput(
                f"{self._features.episodes} recordings were there at first, and {self.episodes} when they were "
                "written. Give recordings that can be walked through more than once."
            )

    def written(self, target: Path, more: Iterable[str] = ()) -> Written:
        """Say what came of it; each loss is named once."""
        left_out = dict.fromkeys((*self._features.left_out, *self.notes, *more))
        return Written(target, self.episodes, self.frames, tuple(left_out), self._features.clock, self.rules)
