"""What a check of many episodes may look at: their facts, what was measured in each, and what was kept of each."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fieldloop.check.case import NO_CALIBRATIONS
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.imprint import Imprint
from fieldloop.protocol import CollectionProtocol, default_protocol

T = TypeVar("T")
MISSING = {
    "episodes": "There is no episode.",
    "split": "Nobody has split these episodes yet.",
    "calibrations": NO_CALIBRATIONS,
    "annotations": "None of these episodes is annotated.",
    "balance": "The protocol asks for no balance.",
    "imprints": "Nothing was kept of the episodes' content.",
}
"""Why a check of many has nothing to look at, by what it needs."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Many episodes looked at together, and what was wrong with their log as a whole. No log is opened for it.

    `measured` and `imprints` go by episode id and may lack some; `split` says which part (train, validation …) an
    episode belongs to, empty where nobody split. `calibrations` and `annotations` are None where nobody knows any.
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

    def parameter(self, check: str, name: str) -> float:
        """Return a number of the protocol that changes what is measured."""
        return self.protocol.limits[check].parameters[name]

    def lacks(self, needs: Iterable[str]) -> str:
        """Say why a check has nothing to look at; '' where it has."""
        there = {
            "episodes": self.episodes,
            "split": self.split,
            "calibrations": self.calibrations is not None,
            "annotations": self.annotations and any(self.annotations.values()),
            "balance": self.protocol.balance,
            "imprints": self.imprints,
        }
        return next((MISSING[need] for need in needs if not there[need]), "")

    def measurements(self, episode: str, check: str) -> tuple[Measurement, ...]:
        """Return what one check found in one episode; empty where it was not asked."""
        index = self.keep("measurements", self._index)
        return index.get(episode, {}).get(check, ())

    def imprint(self, episode: str) -> Imprint:
        """Return what was kept of an episode; empty where nothing was."""
        return self.imprints.get(episode, Imprint())

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """Compute something costly once for all checks of this batch."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    def _index(self) -> dict[str, dict[str, tuple[Measurement, ...]]]:
        return {episode: {one.check: one.measurements for one in found} for episode, found in self.measured.items()}
