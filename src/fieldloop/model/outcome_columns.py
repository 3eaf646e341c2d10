"""Outcomes column by column: a million rows of a table without a million objects."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.policy import FailureClass, Outcome, Stage

Floats = NDArray[np.float64]
Counted = NDArray[np.int64]
Chosen = NDArray[np.bool_] | NDArray[np.int64]
UNKNOWN = -1
"""How `succeeded` states that a result is not known."""


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of texts: the place of each row's text among the different texts."""

    codes: NDArray[Any]
    names: tuple[str, ...]

    def __getitem__(self, row: int) -> str:
        return self.names[int(self.codes[row])]

    def take(self, rows: Chosen) -> "Texts":
        """Return some of the rows."""
        return Texts(self.codes[rows], self.names)

    @cached_property
    def used(self) -> set[str]:
        """Return the texts that occur."""
        return {self.names[code] for code in np.unique(self.codes).tolist()}

    def mark(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Mark the rows that have one of these texts."""
        wanted = set(names)
        return np.asarray(np.array([name in wanted for name in self.names], dtype=bool)[self.codes])


@dataclass(frozen=True, eq=False)
class OutcomeColumns(Sequence[Outcome]):
    """Outcomes as columns. `ids` are texts, or numbers of lines that follow the name of the file.

    `texts` has the fields of that kind, `numbers` those that are numbers (NaN where not measured), `conditions` a
    column a factor ('' where a row does not state it), `facts` a column a number of telemetry (NaN where not logged).
    """

    file: str
    lines: Counted
    ids: Texts | None
    texts: Mapping[str, Texts]
    at_ns: Counted
    succeeded: NDArray[np.int8]
    conditions: Mapping[str, Texts]
    numbers: Mapping[str, Floats]
    facts: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> "OutcomeColumns": ...
    def __getitem__(self, index: int | slice) -> "Outcome | OutcomeColumns":
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        return self._make(range(len(self))[index])

    def __iter__(self) -> Iterator[Outcome]:
        return map(self._make, range(len(self)))

    def take(self, rows: Chosen) -> "OutcomeColumns":
        """Return some of the rows."""
        return replace(
            self,
            lines=self.lines[rows],
            ids=self.ids.take(rows) if self.ids else None,
            texts={name: column.take(rows) for name, column in self.texts.items()},
            at_ns=self.at_ns[rows],
            succeeded=self.succeeded[rows],
            conditions={name: column.take(rows) for name, column in self.conditions.items()},
            numbers={name: column[rows] for name, column in self.numbers.items()},
            facts={name: column[rows] for name, column in self.facts.items()},
        )

    @property
    def known(self) -> NDArray[np.bool_]:
        """Mark the rows that state a result."""
        return np.asarray(self.succeeded != UNKNOWN)

    @property
    def names_attempts(self) -> bool:
        """Does any row name its attempt, so that several may be verdicts on one?"""
        return bool(self.texts["attempt"].used - {""})

    def _make(self, row: int) -> Outcome:
        text = {name: column[row] for name, column in self.texts.items()}
        number = {name: float(column[row]) for name, column in self.numbers.items()}
        pairs = ((factor, column[row]) for factor, column in self.conditions.items())
        levels = tuple((factor, level) for factor, level in pairs if level)
        facts = ((name, float(column[row])) for name, column in self.facts.items())
        result, failure = int(self.succeeded[row]), text.pop("failure")
        return Outcome(
            id=self.ids[row] if self.ids else f"{self.file}-{self.lines[row]}",
            stratum=Stratum(tuple(sorted(Condition(*pair) for pair in levels))),
            stage=Stage(text.pop("stage")),
            at_ns=int(self.at_ns[row]),
            succeeded=None if result == UNKNOWN else bool(result),
            failure=FailureClass(failure) if failure else None,
            facts=tuple((name, value) for name, value in facts if value == value),  # noqa: PLR0124 - NaN: not logged
            interventions=int(tries) if (tries := number.pop("interventions")) == tries else 0,
            **{name: value for name, value in number.items() if value == value},  # type: ignore[arg-type]  # noqa: PLR0124
            **text,  # type: ignore[arg-type]
        )


def list_texts(outcomes: Sequence[Outcome], name: str) -> set[str]:
    """Return the different texts of a field."""
    if isinstance(outcomes, OutcomeColumns):
        return outcomes.texts[name].used
    return {str(getattr(outcome, name)) for outcome in outcomes}


def mark_texts(outcomes: Sequence[Outcome], name: str, asked: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Mark the outcomes of which a field's text is asked for."""
    if isinstance(outcomes, OutcomeColumns):
        column = outcomes.texts[name]
        return np.asarray(np.array([asked(text) for text in column.names], dtype=bool)[column.codes])
    return np.array([asked(str(getattr(outcome, name))) for outcome in outcomes], dtype=bool)
