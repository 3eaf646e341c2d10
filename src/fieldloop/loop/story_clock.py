"""A clock that a story moves, so that ten weeks pass in minutes."""

from fieldloop.model.stream import NS_PER_S

NS_PER_DAY = 86_400 * NS_PER_S


class StoryClock:
    """A clock that the story moves; it never stands still, so that ids and events keep their order."""

    def __init__(self, start_ns: int) -> None:
        """Begin somewhere in the past, so that the story ends about now."""
        self._now_ns = start_ns

    def __call__(self) -> int:
        """Return now, a millisecond later each time."""
        self._now_ns += NS_PER_S // 1000
        return self._now_ns

    def pass_days(self, days: float) -> None:
        """Let time pass."""
        self._now_ns += int(days * NS_PER_DAY)
