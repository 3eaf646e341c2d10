"""At which numbers of trials a requirement is judged, and how much confidence each needs.

A team may ask at any time, also only when it expects to pass. So the answer must not depend on when it asks: only the
planned number of trials, twice that number, three times, and so on, are judged, always the first ones in order of time.
Look k spends α/(k(k+1)): α/2, α/6, α/12, … All looks together spend α, so they err with a probability of at most α.
A team that wants one look at many trials states a larger planned number before the trials.
"""

from dataclasses import dataclass

from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Looks:
    """The error allowed over all looks, and the most trials worth running."""

    alpha: float
    max_trials: int

    @classmethod
    def from_settings(cls, settings: Section) -> "Looks":
        """Read them from the section `gate`."""
        return cls(1 - settings.number("confidence"), int(settings["max_trials"]))

    def get_level(self, look: int) -> float:
        """Return the confidence that a look requires; before the first look, that of the first."""
        number = max(1, look)
        return 1 - self.alpha / (number * (number + 1))

    def count_complete_looks(self, *counts: tuple[int, int]) -> int:
        """Return how many looks are complete, from (trials, planned trials) of everything that a test compares."""
        return min(trials // planned for trials, planned in counts)

    def list_next_looks(self, look: int, planned: int) -> range:
        """Return the looks after this one, as far as trials are worth running; always at least the next one."""
        return range(look + 1, max(look + 1, self.max_trials // planned) + 1)
