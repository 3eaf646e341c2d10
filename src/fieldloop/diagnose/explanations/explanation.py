"""One possible explanation of a loss: a gap, a place, the rows it would affect, and its prior probability."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.inference.strengths import Rows, Strength, pack, unpack
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.note import Note

TIME = "since"


class Kind(StrEnum):
    """What an explanation is based on."""

    CONDITION = "condition"
    PAIR = "pair"
    STEP = "number beyond a cut"
    RISE = "number, the farther the worse"
    LATER = "condition since a day"
    DAY = "everything since a day"
    GROWTH = "everything, more with time"
    FAULT = "fault of the data"
    EVERYWHERE = "everywhere, without a known reason"


@dataclass(frozen=True)
class Loss:
    """Prior of an explanation's effect: mean and standard deviation of what it takes off the log-odds."""

    mean: float
    spread: float


@dataclass(frozen=True)
class Since:
    """The first attempt that a change affects: its time, and its local day at the site."""

    at_ns: int
    day: date


@dataclass(frozen=True)
class Explanation:
    """How strongly it holds (0 to 1) for every row of production and of the baseline, and its priors.

    `log_odds` is its prior log-odds before any outcome, from what is known about data, machinery and map. `reasons`
    state what that prior is based on. `measurement` is what was measured apart from the outcomes; `measured` is False
    where that is only a suspicion. `multiplies`: it acts on success itself, not on the log-odds. `after` and `before`
    are packed where they are 0 or 1.
    """

    gap: Gap
    stratum: Stratum
    kind: Kind
    after: Rows
    before: Rows
    log_odds: float
    loss: Loss
    never_covered: bool | None = None
    since: Since | None = None
    reasons: tuple[Note, ...] = ()
    measurement: Note | None = None
    measured: bool = False
    multiplies: bool = False

    def __post_init__(self) -> None:
        """Pack the rows."""
        object.__setattr__(self, "after", pack(self.after))
        object.__setattr__(self, "before", pack(self.before))

    @property
    def where(self) -> Stratum:
        """Its conditions; the day that distinguishes explanations by time is not one of them."""
        return self.stratum.only(c.factor for c in self.stratum.conditions if c.factor != TIME)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Production rows for which it holds at all; growth with time affects all rows from the first on."""
        return np.ones(len(self.after), dtype=bool) if self.kind is Kind.GROWTH else np.asarray(unpack(self.after) > 0)

    @property
    def rows(self) -> Strength:
        """Return its strength in all rows, those of the baseline first."""
        return np.concatenate([unpack(self.before), unpack(self.after)])
