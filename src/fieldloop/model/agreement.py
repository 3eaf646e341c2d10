"""How far authors agree: two at a glance, and any number as a vector with what its parts ask for."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import EVERYWHERE, Stratum
from fieldloop.model.finding import Status
from fieldloop.model.note import Note

EDGE_CASES = "edge cases"
"""The name of the slice of edge cases."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two authors agree on the phases of the same episodes; under one condition where `stratum` names one.

    `worst_frames` is how far apart, on average, they draw the kind of boundary that they agree on least
    (`worst_boundary`); obvious boundaries, such as the end of the episode, do not hide it.
    """

    authors: tuple[str, str]
    episodes: int
    kappa: float
    boundary_frames: float
    unmatched: int
    stratum: Stratum = EVERYWHERE
    worst_boundary: str = ""
    worst_frames: float | None = None


@dataclass(frozen=True, slots=True)
class AgreementEstimate:
    """A number with its interval over episodes; None where it is undefined, and where too few episodes bound it."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def judge(self, limit: float, *, above: bool) -> Status:
        """Judge the number by its interval, which must lie wholly on one side of the limit.

        >>> [AgreementEstimate(0.9, low, 0.95).judge(0.8, above=True).value for low in (0.85, 0.7, None)]
        ['passed', 'cannot_tell', 'cannot_tell']
        """
        if self.low is None or self.high is None:
            return Status.CANNOT_TELL
        if (self.low > limit) if above else (self.high < limit):
            return Status.PASSED
        return Status.FAILED if ((self.high <= limit) if above else (self.low >= limit)) else Status.CANNOT_TELL


@dataclass(frozen=True, slots=True)
class AgreementVector:
    """How far authors agree on one kind of label; no single number separates late from wrong from split.

    `boundary_f1` is the share of boundaries that both drew between these labels, `boundary_hits` the share that has any
    boundary of the other within half a second. With more than two authors each number is the mean over their pairs,
    except gamma, which takes all at once. Bias is the second author's boundary minus the first's, so it exists for two
    only. `slice` is empty for all episodes.
    """

    kind: str
    authors: tuple[str, ...]
    episodes: int
    segments: int
    kappa: AgreementEstimate
    boundary_mae_frames: AgreementEstimate
    boundary_bias_frames: AgreementEstimate
    boundary_f1: AgreementEstimate
    boundary_hits: AgreementEstimate
    f1_10: AgreementEstimate
    f1_50: AgreementEstimate
    f1_90: AgreementEstimate
    edit: AgreementEstimate
    gamma: AgreementEstimate = AgreementEstimate()
    slice: str = ""
    status: Status = Status.CANNOT_TELL
    reason: Note | None = None


@dataclass(frozen=True, slots=True)
class BoundaryAgreement:
    """How far authors agree on boundaries between the same two labels; `spread` leaves each pair's bias out."""

    kind: str
    before: str
    after: str
    matched: int
    mae_frames: AgreementEstimate
    bias_frames: AgreementEstimate
    spread_frames: float | None

    @property
    def name(self) -> str:
        """Both labels."""
        return f"{self.before or 'nothing'} → {self.after or 'nothing'}"


@dataclass(frozen=True, slots=True)
class ConfusedLabels:
    """Two labels that authors give to the same segments: how many segments, of how many with either label."""

    kind: str
    labels: tuple[str, str]
    confused: int
    segments: int

    @property
    def share(self) -> float:
        """Share of the segments with either label."""
        return self.confused / self.segments


@dataclass(frozen=True, slots=True)
class AuthorAgreement:
    """One author against all others, and the others among themselves: a gain without the author points at them.

    `bias_frames` is how much later this author is than every other, 0 where others lie on both sides. `others_kappa`
    needs two others.
    """

    kind: str
    author: str
    episodes: int
    kappa: float | None
    others_kappa: float | None
    bias_frames: float | None
    mae_frames: float | None
    confused: int


class Remedy(StrEnum):
    """What a disagreement asks for."""

    RETRAIN = "retrain"
    TAXONOMY = "clarify the taxonomy"
    OPEN = "ask a third annotator"


@dataclass(frozen=True, slots=True)
class AgreementFinding:
    """A disagreement with a pattern: one author differs (retrain), or all do (the taxonomy is unclear)."""

    remedy: Remedy
    kinds: tuple[str, ...]
    authors: tuple[str, ...]
    labels: tuple[str, ...]
    says: Note


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement as a vector for each kind of label, for each pair and slice, and what the disagreements ask for."""

    authors: tuple[str, ...]
    episodes: int
    frame_hz: float | None
    vectors: tuple[AgreementVector, ...]
    pairs: tuple[AgreementVector, ...]
    slices: tuple[AgreementVector, ...]
    boundaries: tuple[BoundaryAgreement, ...]
    confused: tuple[ConfusedLabels, ...]
    people: tuple[AuthorAgreement, ...]
    findings: tuple[AgreementFinding, ...]
    remarks: tuple[Note, ...]
    min_kappa: float | None
    max_boundary_frames: float | None

    @property
    def status(self) -> Status:
        """The worst status of any kind, on all episodes and on edge cases."""
        every = [vector.status for vector in (*self.vectors, *self.slices) if vector.slice in ("", EDGE_CASES)]
        order = list(Status)
        return min(every, key=order.index, default=Status.CANNOT_TELL)

    @property
    def exit_ok(self) -> bool:
        """Whether every kind of label passed."""
        return self.status is Status.PASSED
