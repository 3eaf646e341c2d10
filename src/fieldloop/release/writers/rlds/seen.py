"""What the streams of all recordings have in common, noted while they are looked through for the first time."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from fieldloop.model.episode import Recording
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers.features import NUMBERS, Features
from fieldloop.release.writers.grid import Rule, rule_for

NO_GRID = np.empty(0, np.int64)


class Seen:
    """The recordings, and by stream which type holds its numbers, which clocks it has, and who shares its stamps."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        self._recordings = recordings
        self._dtypes: dict[str, np.dtype[Any]] = {}
        self._alike: dict[str, set[str]] = {}
        self._nearest: set[str] = set()
        self.clocks: dict[str, tuple[ClockKind, ...]] = {}

    def __iter__(self) -> Iterator[Recording]:
        for recording in self._recordings:
            self._note(recording)
            yield recording

    def stored(self, name: str) -> np.dtype[Any]:
        """Return the type in which a stream's numbers are written: all fractions are float32."""
        dtype = self._dtypes[name]
        return np.dtype(np.float32) if dtype.kind == "f" else dtype

    def has_own_stamps(self, name: str, features: Features) -> bool:
        """Have a stream's rows stamps that the grid does not tell? Values between two samples have none."""
        if features.uniform or features.clock not in self._alike[name]:
            return name in self._nearest
        return self.clocks[name] != self.clocks[features.clock][:1]

    def _note(self, recording: Recording) -> None:
        streams = [stream for stream in recording.streams.values() if len(stream)]
        shared: dict[bytes, set[str]] = {}
        for stream in streams:
            known = {*self.clocks.get(stream.name, ()), *stream.clocks}
            self.clocks[stream.name] = tuple(kind for kind in ClockKind if kind in known)
            if stream.values is not None and stream.values.dtype.kind in NUMBERS:
                before = self._dtypes.get(stream.name, stream.values.dtype)
                self._dtypes[stream.name] = np.result_type(before, stream.values.dtype)
            if rule_for(stream, NO_GRID) is Rule.NEAREST:
                self._nearest.add(stream.name)
            shared.setdefault(stream.times_ns.tobytes(), set()).add(stream.name)
        for names in shared.values():
            for name in names:
                self._alike[name] = self._alike.get(name, names) & names
