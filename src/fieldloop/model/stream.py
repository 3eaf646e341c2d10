"""One channel of a recording: one unit, and every clock it came with."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.provenance import Provenance, StreamFact, find_provenance_by_notes
from fieldloop.model.stream_notes import RESAMPLED

NS_PER_S = 1_000_000_000
NS_PER_MS = NS_PER_S // 1000
NS_PER_MINUTE = 60 * NS_PER_S
NS_PER_HOUR = 60 * NS_PER_MINUTE
NS_PER_DAY = 24 * NS_PER_HOUR
MINUTES_PER_HOUR = 60
MS_PER_S = 1e3
MM_PER_M = 1000.0
DEG_PER_RAD = 180 / np.pi
BURST = 3.0  # two thirds of a steady stream may be lost before it is taken for bursts
BURST_PARTS, BURST_RATIO, OFF_BEAT, LONG, REPEATED = 10, 1.25, 0.15, 1.5, 0.25
"""As `timing.longest_gap` has them, which explains them: a noun reads no protocol. REPEATED is a share of intervals."""
FIRST_REAL_NS = 10**17
"""March 1973: no robot log is older, so smaller timestamps are relative to the start of the episode."""


class StreamKind(StrEnum):
    """What a stream carries."""

    RGB = "rgb"
    DEPTH = "depth"
    JOINT_POSITION = "joint_position"
    JOINT_VELOCITY = "joint_velocity"
    JOINT_EFFORT = "joint_effort"
    GRIPPER = "gripper"
    FORCE_TORQUE = "force_torque"
    IMU = "imu"
    HAND_POSE = "hand_pose"
    POSE = "pose"
    ACTION = "action"
    OTHER = "other"


class ClockKind(StrEnum):
    """The clock of a timestamp, most trusted first."""

    HEADER = "header"
    PUBLISH = "publish"
    LOG = "log"
    CONTAINER = "container"
    SYNTHETIC = "synthetic"


MOST_TRUSTED_FIRST = tuple(ClockKind)
"""A plain tuple, because `primary` runs thousands of times and an enumeration iterates slowly."""


@runtime_checkable
class FrameSource(Protocol):
    """Pixels on demand: readers implement it, so that a check never imports a decoder."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""

    def __len__(self) -> int:
        """How many frames there are."""

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order: uint8 H×W×3 for RGB, float32 H×W metres for depth (NaN: no return).

        A frame that cannot be decoded is yielded as an empty array, never skipped.
        """


@runtime_checkable
class EncodedSource(FrameSource, Protocol):
    """A FrameSource whose pictures are stored compressed, so that writers need not compress them again."""

    def encoded(self, indices: Iterable[int] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield form and bytes in ascending order; form as ROS names it (`jpeg`, `png`, `16UC1; png` for depth in mm).

        ('', b'') stands for a frame that is not compressed by itself, or has no bytes.
        """


def compute_usual_interval_ns(steps: NDArray[np.int64]) -> float:
    """Return the interval that samples have on average over the time they take, where the median is not it.

    That is where samples come in bursts, or many repeat a timestamp. One long gap does not change it, nor do samples
    that are lost from a steady stream: their intervals are whole multiples of the median.

    >>> [compute_usual_interval_ns(np.asarray(steps * 100)) for steps in ([0, 0, 0, 16], [6, 6, 15], [6, 6, 18])]
    [4.0, 9.0, 6.0]
    >>> [compute_usual_interval_ns(np.asarray([step] * 99 + [500])) for step in (10, 0)]
    [10.0, 5.0]
    """
    onward = steps[steps >= 0]
    forward = onward[onward > 0]
    median = float(np.median(forward))
    mean = float(np.median([part.mean() for part in np.array_split(onward, BURST_PARTS) if len(part)]))
    mean = mean or float(onward.mean())  # in most parts all samples share one timestamp
    if len(forward) < (1 - REPEATED) * len(onward):
        return mean
    waits = forward[forward >= LONG * median] / median
    bursts = len(waits) and mean > BURST_RATIO * median and np.abs(waits - np.round(waits)).mean() > OFF_BEAT
    return mean if bursts else median


@dataclass(frozen=True, slots=True, eq=False)
class VideoPart:
    """Where frames lie in a video file: when each is shown, in the units of the container, in ascending order."""

    path: str
    pts: NDArray[np.int64]


@runtime_checkable
class VideoSource(FrameSource, Protocol):
    """A FrameSource over a part of a video file, so that writers can copy its packets."""

    @property
    def part(self) -> VideoPart:
        """Where the frames lie."""


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """One channel on its clocks. Either `values` (n × columns) or `pictures` holds what was sensed."""

    name: str
    kind: StreamKind
    unit: str
    clocks: Mapping[ClockKind, NDArray[np.int64]]
    values: NDArray[Any] | None = None
    pictures: FrameSource | None = None
    nominal_hz: float | None = None
    columns: tuple[str, ...] = ()
    frame_id: str = ""
    serial: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for array in (*self.clocks.values(), *(() if self.values is None else (self.values,))):
            array.setflags(write=False)  # frozen=True freezes the name, not the array behind it
        object.__setattr__(self, "clocks", MappingProxyType(dict(self.clocks)))
        object.__setattr__(self, "notes", MappingProxyType(dict(self.notes)))

    @property
    def unit_stated(self) -> bool:
        """Does the source state the unit? A reader that assumes one leaves a note under `UNIT_NOTE`, in any words."""
        return self.get_provenance(StreamFact.UNIT) is not Provenance.ASSUMED

    def get_provenance(self, fact: StreamFact) -> Provenance:
        """Return where a fact about this stream comes from: stored, from metadata, or assumed by its reader.

        Generated timestamps, and the rate that follows from them, are assumed unless metadata state them.
        """
        noted = find_provenance_by_notes(fact, self.notes)
        if noted is not Provenance.STORED:
            return noted
        if fact is StreamFact.RATE and self.nominal_hz:
            return Provenance.METADATA
        generated = fact in (StreamFact.CLOCK, StreamFact.RATE) and self.clock is ClockKind.SYNTHETIC
        return Provenance.ASSUMED if generated or (fact is StreamFact.UNIT and not self.unit) else noted

    @property
    def clock(self) -> ClockKind:
        """The most trusted clock this stream came with."""
        for kind in MOST_TRUSTED_FIRST:
            if kind in self.clocks:
                return kind
        raise ValueError(f"The stream {self.name} came without a clock.")

    @property
    def times_ns(self) -> NDArray[np.int64]:
        """Stamps by the primary clock."""
        return self.clocks[self.clock]

    @property
    def hz(self) -> float | None:
        """The declared rate, else the one the usual interval implies; None where neither is known.

        Timestamps invented without a declared rate only count samples: their interval carries no information.
        Messages in bursts have no rate, whatever the interval within a burst.
        """
        if self.nominal_hz:
            return self.nominal_hz
        if self.clock is ClockKind.SYNTHETIC:
            return None
        ordered = np.sort(self.times_ns)
        steps = ordered[1:] - ordered[:-1]
        forward = steps[steps > 0]
        if not len(forward) or float(forward.mean()) > BURST * float(np.median(forward)):
            return None
        in_table = RESAMPLED in self.notes or ClockKind.SYNTHETIC in self.clocks or ClockKind.CONTAINER in self.clocks
        return NS_PER_S / compute_usual_interval_ns(forward if in_table else steps)

    def __len__(self) -> int:
        return len(self.times_ns)
