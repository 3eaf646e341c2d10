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

FEWEST_ROWS = 2
"""One row shows no motion: a set of single rows teaches nothing."""


class Account:
    """Episodes and rows so far, the rule and clock of each stream, and the losses."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self.episodes = self.frames = self.rows_left_out = 0
        self._empty = self._longest = 0
        self.notes: dict[Note, None] = {}
        self._clocks: dict[str, set[ClockKind]] = {}
        self._rules: dict[str, dict[str, None]] = {}

    def add_episode(self, framed: Framed) -> None:
        """Take in one episode, when all of it is written: drawing pictures may add a note."""
        self.episodes, self.frames = self.episodes + 1, self.frames + len(framed)
        self._longest = max(self._longest, len(framed))
        self._note_losses(framed)
        for name, rule in framed.rules.items():
            self._rules.setdefault(name, {})[rule.value] = None
            self._clocks.setdefault(name, set()).add(next(iter(framed.compute_row_clocks(name))))

    def is_empty(self, framed: Framed) -> bool:
        """Has an episode lost all its rows? Then it is listed, and not written."""
        if len(framed) or not framed.rows_left_out:
            return False
        self._empty += 1
        self._note_losses(framed)
        about = Subject(episode=framed.episode.name)
        self.notes[note("release.episode_without_rows", about=about, rows=framed.rows_left_out)] = None
        return True

    def _note_losses(self, framed: Framed) -> None:
        self.rows_left_out += framed.rows_left_out
        self.notes |= dict.fromkeys(framed.notes)

    @property
    def clocks(self) -> dict[str, ClockKind]:
        """The clock by which each stream's rows are stamped, the least trusted of all episodes'."""
        return {name: max(kinds, key=TRUST.index) for name, kinds in self._clocks.items()}

    def report_lost_clocks(self) -> list[Note]:
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

    def report_flattened_streams(self) -> Iterator[Note]:
        """Yield the streams whose rows were more than a list of numbers, for a format that keeps them as one."""
        for feature in self._features.signals:
            if feature.shape:
                about = Subject(feature.name)
                yield note("release.rows_flattened", about=about, width=feature.width, shape=feature.shape)

    def refuse_unusable(self) -> None:
        """Refuse to finish where recordings changed between two readings, or where no episode has two rows."""
        if self.episodes + self._empty != self._features.episodes:
            raise BadInput(
                f"{self._features.episodes} recordings were read at first, but {self.episodes} while "
                "writing. Give recordings that can be read more than once."
            )
        if self._longest < FEWEST_ROWS:
            raise BadInput(self._explain_too_short())

    def _explain_too_short(self) -> str:
        """Say why no episode has two rows, and what to do."""
        clock = self._features.clock
        rows = f"No episode has more than {self._longest} of the rows that {clock} gives, and motion needs at least 2."
        gaps = [loss for loss in self.notes if loss.code == "release.rows_left_out"]
        if not gaps:
            return f"{rows} Name a stream with more samples by --clock, or write --to mcap, which keeps every sample."
        worst = max(gaps, key=lambda loss: int(str(loss["rows"])))
        return (
            f"{rows} {worst.subject.stream} has no sample within {worst['limit_s']:g} s of {worst['rows']} of "
            f"{worst['total']} rows. Name another stream by --clock, drop this one by a mapping, or write --to mcap."
        )

    def make_result(self, target: Path, more_losses: Iterable[Note] = ()) -> Written:
        """Return the result; each loss is listed once."""
        left_out = dict.fromkeys((*self._features.left_out, *self.notes, *more_losses))
        return Written(
            target, self.episodes, self.frames, tuple(left_out), self._features.clock, self.rules, self.rows_left_out
        )
