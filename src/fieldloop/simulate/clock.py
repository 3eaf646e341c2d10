"""A clock that a simulation moves, so that weeks pass in seconds."""

from fieldloop.model.stream import NS_PER_DAY, NS_PER_S


class SimulatedClock:
    """A clock that a simulation moves. It advances with every reading, so that ids and events keep their order."""

    def __init__(self, start_ns: int) -> None:
        """Start at a time in the past, so that the simulation ends about now."""
        self._now_ns = start_ns

    def __call__(self) -> int:
        """Return the time, a millisecond later at each reading."""
        self._now_ns += NS_PER_S // 1000
        return self._now_ns

    def pass_days(self, days: float) -> None:
        """Let time pass."""
        self._now_ns += int(days * NS_PER_DAY)
