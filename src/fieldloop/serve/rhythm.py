"""When each robot will probably ask again, so that one pass waits only for robots that are about to."""

from collections.abc import Collection


class Rhythm:
    """The last request of each robot and the time since the one before.

    >>> rhythm = Rhythm()
    >>> for at in (0.0, 0.1):
    ...     rhythm.note_request("a", at), rhythm.note_request("b", at + 0.05)
    (None, None)
    (None, None)
    >>> rhythm.expects_another({"a"}, 0.2, 0.002), rhythm.expects_another({"a"}, 0.249, 0.002)
    (False, True)
    """

    def __init__(self) -> None:
        """No robot asked yet."""
        self._last: dict[str, float] = {}
        self._period: dict[str, float] = {}

    def note_request(self, robot: str, at: float) -> None:
        """Note that a robot asked."""
        if robot in self._last:
            self._period[robot] = at - self._last[robot]
        self._last[robot] = at

    def forget_robot(self, robot: str) -> None:
        """Forget a robot that left."""
        self._last.pop(robot, None)
        self._period.pop(robot, None)

    def expects_another(self, waiting: Collection[object], now: float, window_s: float) -> bool:
        """Is a robot that does not wait yet about to ask, or late by less than the window?"""
        return any(
            abs(self._last[robot] + period - now) <= window_s
            for robot, period in self._period.items()
            if robot not in waiting
        )
