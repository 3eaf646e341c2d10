"""The input of a lint rule."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.protocol.collection import CollectionProtocol
from fieldloop.protocol.interface import Interface
from fieldloop.protocol.linting.remark import Remark
from fieldloop.protocol.operations import Section
from fieldloop.protocol.sensor import SensorRequirement

CAMERAS = ("rgb", "depth")


@dataclass(frozen=True, slots=True)
class Draft:
    """A protocol that could be read, the shipped one, the file's own tables, the thresholds, and the time."""

    protocol: CollectionProtocol
    shipped: CollectionProtocol
    own: Mapping[str, Any]
    numbers: Section
    phases: frozenset[str] = frozenset()
    task_name: str = ""
    at_ns: int | None = None

    @property
    def interfaces_used(self) -> dict[str, Interface]:
        """The described interfaces that this task uses."""
        known = self.protocol.interfaces
        return {name: known[name] for name in self.protocol.setting("task.interfaces") if name in known}

    @property
    def cameras(self) -> list[SensorRequirement]:
        """The cameras among the sensors."""
        return [sensor for sensor in self.protocol.sensors.values() if sensor.kind in CAMERAS]


Rule = Callable[[Draft], Iterator[Remark]]
