"""What a check of one episode may look at: its streams, calibrations, annotations and the protocol in force."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.protocol import CollectionProtocol, default_protocol

T = TypeVar("T")
PICTURES = (StreamKind.RGB, StreamKind.DEPTH)
NEEDS: Mapping[str, tuple[StreamKind, ...]] = {
    "streams": tuple(StreamKind),
    "pictures": PICTURES,
    "cameras": (StreamKind.RGB,),
    "depth": (StreamKind.DEPTH,),
    "calibrated": (*PICTURES, StreamKind.FORCE_TORQUE),
    "joints": (StreamKind.JOINT_POSITION,),
    "actions": (StreamKind.ACTION,),
    "gripper": (StreamKind.GRIPPER,),
}
"""What a check can declare to need, as kinds of stream; `calibrations` and `protocol` are needs of their own."""

NO_CALIBRATIONS = "No calibrations are known here: they are kept in a workspace."


@dataclass(frozen=True, slots=True)
class Case:
    """One episode as assembled for checking.

    `calibrations` is None where nobody knows any (no workspace); an empty tuple says that there is none.
    """

    recording: Recording
    protocol: CollectionProtocol = field(default_factory=default_protocol)
    calibrations: tuple[Calibration, ...] | None = None
    annotations: tuple[Annotation, ...] = ()
    _kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def episode(self) -> Episode:
        """The episode's small facts."""
        return self.recording.episode

    @property
    def collected_by_protocol(self) -> bool:
        """Does the log say that it was collected under a protocol? Only then can it be held to one."""
        return bool(self.episode.protocol)

    def streams(self, *kinds: StreamKind) -> Iterator[Stream]:
        """Yield streams that hold something, of these kinds (default: all)."""
        return iter(self.keep(("streams", kinds), lambda: tuple(self._streams(kinds))))

    def sensing(self) -> Iterator[Stream]:
        """Yield the streams that sense or command: not events, logs and settings that merely share the file."""
        return iter(self.keep("sensing", lambda: tuple(self._sensing())))

    def parameter(self, check: str, name: str) -> float:
        """Return a number of the protocol that changes what is measured."""
        return self.protocol.limits[check].parameters[name]

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """Compute something costly once for all checks of this case."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    def lacks(self, needs: Iterable[str]) -> str:
        """Say why a check has nothing to look at; '' where it has."""
        asked = tuple(needs)
        return self.keep(("lacks", asked), lambda: self._lacks(asked))

    def _streams(self, kinds: tuple[StreamKind, ...]) -> Iterator[Stream]:
        if kinds:
            return (stream for stream in self.streams() if stream.kind in kinds)
        return (stream for stream in self.recording.streams.values() if len(stream))

    def _sensing(self) -> Iterator[Stream]:
        for stream in self.streams():
            if stream.kind is not StreamKind.OTHER or stream.name in self.protocol.sensors:
                yield stream

    def _lacks(self, needs: tuple[str, ...]) -> str:
        for need in needs:
            if need == "calibrations":
                if self.calibrations is None:
                    return NO_CALIBRATIONS
            elif not any(True for _ in self.streams(*NEEDS[need])):
                return f"The recording has no {WORDS[need]}."
        return ""


WORDS = {
    "streams": "stream with anything in it",
    "pictures": "camera",
    "cameras": "colour camera",
    "depth": "depth camera",
    "calibrated": "camera or force sensor",
    "joints": "joint positions",
    "actions": "actions",
    "gripper": "gripper",
}
