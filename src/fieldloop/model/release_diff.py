"""What differs between two selections of episodes: changes of episodes, shifts of conditions and of features."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note


class ChangeKind(StrEnum):
    """What happened to an episode from the older selection to the newer one."""

    ADDED = "added"
    REMOVED = "removed"
    CONTENT = "other content"
    FIXES = "other fixes"
    LABELS = "other labels"
    FACTS = "other facts"
    TO_VALIDATION = "to validation"
    TO_TRAIN = "to training"


@dataclass(frozen=True, slots=True)
class EpisodeChange:
    """One change of one episode, and why."""

    episode: str
    name: str
    kind: ChangeKind
    why: Note


@dataclass(frozen=True, slots=True)
class LevelShare:
    """A level of a factor with its share on both sides."""

    level: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Shift:
    """How far one factor is apart, and whether chance explains it.

    `apart` is the share of one side that would have to change to match the other; of a duration, the difference of the
    means in standard deviations, and `before` and `after` are these means in seconds. `p` is that of the permutations,
    `adjusted_p` by Holm. `shifted` is None where so few sessions differ that no division of them could be significant.
    """

    factor: str
    apart: float
    p: float
    adjusted_p: float
    shifted: bool | None
    levels: tuple[LevelShare, ...] = ()
    before: float | None = None
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, standard deviation and quantiles (1, 50 and 99 %) of one column."""

    mean: float
    sd: float
    q01: float
    q50: float
    q99: float


@dataclass(frozen=True, slots=True)
class FeatureShift:
    """How one column of a feature moved, in standard deviations of the older side; `sd_ratio` is new over old.

    None where the older side was constant: a normaliser then divides by nothing. `felt`: some change is above the
    limit.
    """

    feature: str
    column: str
    before: Moments
    after: Moments
    mean_shift: float | None
    q01_shift: float | None
    q99_shift: float | None
    sd_ratio: float | None
    felt: bool


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """Episodes that came, went or changed, strata whose share changed, shifts of conditions and of features.

    `only_before` and `only_after` are features that one side alone has. `measured` counts episodes whose values were
    compared, None where they were not asked for. `protocol` and `taxonomy` are pairs where they differ.
    """

    before: str
    after: str
    names: tuple[str, str]
    counts: tuple[int, int]
    changes: tuple[EpisodeChange, ...]
    shares: tuple[tuple[Stratum, float, float], ...]
    shifts: tuple[Shift, ...]
    features: tuple[FeatureShift, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    measured: tuple[int, int] | None
    protocol: tuple[str, str] | None
    taxonomy: tuple[str, str] | None
    html: str | None = None

    @property
    def same(self) -> bool:
        """Are the two the same selection, with the same labels?"""
        return self.before == self.after

    def list_episodes(self, kind: ChangeKind) -> tuple[str, ...]:
        """Return the ids of the episodes that changed in this way."""
        return tuple(change.episode for change in self.changes if change.kind is kind)
