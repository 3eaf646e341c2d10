"""How far two authors agree."""

from dataclasses import dataclass

from fieldloop.model.condition import EVERYWHERE, Stratum


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
