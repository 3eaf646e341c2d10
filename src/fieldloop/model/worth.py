"""Worth of episodes: what each is estimated to be worth to a policy, and what trials say about leaving some out."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.note import Note

NO_CONCLUSION = Note("")


class WorthMethod(StrEnum):
    """How the worth of an episode is estimated."""

    SMOOTH = "smooth"
    INFLUENCE = "influence"


@dataclass(frozen=True, slots=True)
class EpisodeWorth:
    """One episode's worth by a method: the higher, the sooner it is kept. One measurement alone has no interval."""

    episode: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class WorthEvidence:
    """Gate trials of a policy learnt from a whole release, and of one learnt without its least valuable episodes.

    Trials are judged at `planned` of either policy, at twice that number, and so on; `look` counts these. At look 0
    nothing is judged yet. `waiting` trials of either policy came after the look. `low` and `high` are the interval of
    the gain in success rate, at the confidence that the look requires.
    """

    whole: str
    without: str
    method: str
    share: float
    successes: int
    trials: int
    successes_without: int
    trials_without: int
    low: float
    high: float
    look: int = 1
    planned: int = 0
    waiting: int = 0

    @property
    def gain(self) -> float:
        """Rate of success without those episodes, minus that with them; 0 without trials."""
        if not (self.trials and self.trials_without):
            return 0.0
        return self.successes_without / self.trials_without - self.successes / self.trials

    @property
    def helps(self) -> bool:
        """Is the whole interval above 0, at a look?"""
        return self.look > 0 and self.low > 0

    @property
    def harms(self) -> bool:
        """Is the whole interval below 0, at a look?"""
        return self.look > 0 and self.high < 0


@dataclass(frozen=True, slots=True)
class Worth:
    """Episodes with the least valuable first, those without an estimate and why, and the evidence so far."""

    method: WorthMethod
    episodes: tuple[EpisodeWorth, ...]
    unknown: tuple[tuple[str, Note], ...] = ()
    evidence: tuple[WorthEvidence, ...] = ()
    conclusion: Note = NO_CONCLUSION
