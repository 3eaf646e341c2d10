"""How far the stored stamps can be trusted: those of a dataset no more than of its worst episode."""

from fieldloop.model.stream import ClockKind
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.grid import Rule

ORDER = list(ClockKind)
REMADE = (ClockKind.CONTAINER, ClockKind.SYNTHETIC)
"""Clocks that a LeRobot dataset has of its own."""


class Trust:
    """The clock and the rule of each stream, over all episodes."""

    def __init__(self, features: Features) -> None:
        self._grid = features.clock
        self.clocks: dict[str, ClockKind] = {}
        self.rules: dict[str, str] = {}
        self._further: set[ClockKind] = set()

    def note(self, framed: Framed) -> None:
        """Take in one episode.

        A signal's rows carry the stamps of the grid, so its clock is the less trusted of the two. A camera's stamps
        are its own.
        """
        grid = framed.streams[self._grid].clock
        for name, stream in framed.streams.items():
            self._further |= set(stream.clocks) - {stream.clock, *REMADE}
            here = [stream.clock] if stream.values is None else [stream.clock, grid]
            self.clocks[name] = max([*here, self.clocks.get(name, ORDER[0])], key=ORDER.index)
            if self.rules.get(name, Rule.AS_RECORDED.value) == Rule.AS_RECORDED.value:
                self.rules[name] = framed.rules[name].value

    def losses(self) -> list[str]:
        """Name clocks beside the most trusted one; there is room for one stamp a row."""
        named = ", ".join(kind.value for kind in ORDER if kind in self._further)
        return [f"of each stream the most trusted clock is kept, not also: {named}"] if named else []
