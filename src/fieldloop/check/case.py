"""The input of a check of one episode: its streams, calibrations, annotations and the protocol in force."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.note import Note, note
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
"""What a check can declare to need, as kinds of stream; `calibrations` is a need of its own."""

NO_CALIBRATIONS, NEVER_CALIBRATED = note("check.no_calibrations"), note("check.never_calibrated")


@dataclass(frozen=True, slots=True)
class Case:
    """One episode as assembled for checking.

    `calibrations` is None where the robot was never calibrated in the workspace, and without a workspace; an empty
    tuple means that there are none for it.
    """

    recording: Recording
    protocol: CollectionProtocol = field(default_factory=default_protocol)
    calibrations: tuple[Calibration, ...] | None = None
    annotations: tuple[Annotation, ...] = ()
    in_workspace: bool = False
    _kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def episode(self) -> Episode:
        """The episode's metadata."""
        return self.recording.episode

    @property
    def collected_by_protocol(self) -> bool:
        """Does the log name the protocol it was collected under? Only then do the protocol's requirements apply."""
        return bool(self.episode.protocol)

    def find_streams(self, *kinds: StreamKind) -> Iterator[Stream]:
        """Yield streams of these kinds that are not empty (default: all kinds)."""
        return iter(self.compute_once(("streams", kinds), lambda: tuple(self._select_streams(kinds))))

    def find_sensing_streams(self) -> Iterator[Stream]:
        """Yield the streams of sensors and commands, without events, logs and settings in the same file."""
        return iter(self.compute_once("sensing", lambda: tuple(self._select_sensing_streams())))

    def read_parameter(self, check: str, name: str) -> float:
        """Return a parameter of a check from the protocol."""
        return self.protocol.limits[check].get_parameter(name)

    def compute_once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Compute something costly once for all checks of this case."""
        if key not in self._kept:
            self._kept[key] = compute()
        kept: T = self._kept[key]
        return kept

    def find_missing_input(self, needs: Iterable[str]) -> Note | None:
        """Return why a check has no input; None where it has."""
        asked = tuple(needs)
        return self.compute_once(("lacks", asked), lambda: self._explain_missing_input(asked))

    def _select_streams(self, kinds: tuple[StreamKind, ...]) -> Iterator[Stream]:
        if kinds:
            return (stream for stream in self.find_streams() if stream.kind in kinds)
        return (stream for stream in self.recording.streams.values() if len(stream))

    def _select_sensing_streams(self) -> Iterator[Stream]:
        for stream in self.find_streams():
            if stream.kind is not StreamKind.OTHER or stream.name in self.protocol.sensors:
                yield stream

    def _explain_missing_input(self, needs: tuple[str, ...]) -> Note | None:
        for need in needs:
            if need == "calibrations":
                if self.calibrations is None:
                    return NEVER_CALIBRATED if self.in_workspace else NO_CALIBRATIONS
            elif not any(True for _ in self.find_streams(*NEEDS[need])):
                return note(MISSING[need])
        return None


MISSING = {
    "streams": "check.no_streams",
    "pictures": "check.no_camera",
    "cameras": "check.no_colour_camera",
    "depth": "check.no_depth_camera",
    "calibrated": "check.no_camera_or_force",
    "joints": "check.no_joints",
    "actions": "check.no_actions",
    "gripper": "check.no_gripper",
}
"""Reasons why a check of one episode has no input, by what it needs."""
