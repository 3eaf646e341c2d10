"""The input of a check of many episodes: their facts, measurements and imprints."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fieldloop.check.case import NO_CALIBRATIONS
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol, default_protocol

T = TypeVar("T")
MISSING = {
    "episodes": note("check.no_episodes"),
    "split": note("check.no_split"),
    "calibrations": NO_CALIBRATIONS,
    "annotations": note("check.no_annotations"),
    "balance": note("check.no_balance"),
    "imprints": note("check.no_imprints"),
}
"""Reasons why a check of many episodes has no input, by what it needs."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Many episodes checked together, and the defects of their log as a whole. No log is opened.

    `measured` and `imprints` are keyed by episode id and may lack some; `split` names the part (train, validation …)
    of each episode, empty without a split. `calibrations` and `annotations` are None where they are not known.
    """

    episodes: tuple[Episode, ...]
    defects: tuple[Defect, ...] = ()
    protocol: CollectionProtocol = field(default_factory=default_protocol)
    measured: Mapping[str, tuple[Measured, ...]] = field(default_factory=dict)
    imprints: Mapping[str, Imprint] = field(default_factory=dict)
    split: Mapping[str, str] = field(default_factory=dict)
    calibrations: tuple[Calibration, ...] | None = None
    annotations: Mapping[str, tuple[Annotation, ...]] | None = None
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def read_parameter(self, check: str, name: str) -> float:
        """Return a parameter of a check from the protocol."""
        return self.protocol.limits[check].get_parameter(name)

    def find_missing_input(self, needs: Iterable[str]) -> Note | None:
        """Return why a check has no input; None where it has."""
        there = {
            "episodes": self.episodes,
            "split": self.split,
            "calibrations": self.calibrations is not None,
            "annotations": self.annotations and any(self.annotations.values()),
            "balance": self.protocol.balance,
            "imprints": self.imprints,
        }
        return next((MISSING[need] for need in needs if not there[need]), None)

    def find_measurements(self, episode: str, check: str) -> tuple[Measurement, ...]:
        """Return what one check measured in one episode; empty where it was not run."""
        index = self.compute_once("measurements", self._index_measurements)
        return index.get(episode, {}).get(check, ())

    def find_imprint(self, episode: str) -> Imprint:
        """Return an episode's imprint; empty where there is none."""
        return self.imprints.get(episode, Imprint())

    def compute_once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Compute something costly once for all checks of this batch."""
        if key not in self._kept:
            self._kept[key] = compute()
        kept: T = self._kept[key]
        return kept

    def _index_measurements(self) -> dict[str, dict[str, tuple[Measurement, ...]]]:
        return {episode: {one.check: one.measurements for one in checks} for episode, checks in self.measured.items()}
