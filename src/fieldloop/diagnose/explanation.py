"""One possible explanation of a loss: a gap, a place, the rows it would act on, and how likely it is beforehand."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.table import Floats
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap

TIME = "since"


class Kind(StrEnum):
    """What sort of thing an explanation rests on."""

    CONDITION = "condition"
    PAIR = "pair"
    STEP = "number beyond a cut"
    RISE = "number, the farther the worse"
    LATER = "condition since a day"
    DAY = "everything since a day"
    GROWTH = "everything, more with time"
    FAULT = "fault of the data"
    EVERYWHERE = "everywhere, for no reason known"


@dataclass(frozen=True)
class Loss:
    """What an explanation would take off the log-odds where it holds fully: the middle and the spread of beliefs."""

    middle: float
    spread: float


@dataclass(frozen=True)
class Since:
    """The first attempt that a change reaches: its moment, and its day as its site counts days."""

    at_ns: int
    day: date


@dataclass(frozen=True)
class Explanation:
    """How strongly it holds (0 to 1) for every row of production and of the baseline, and what is believed of it.

    `log_odds` is the belief before any outcome was seen, from what is known of data, machinery and map; `measured` says
    that it rests on a measurement made apart from the outcomes.
    """

    gap: Gap
    stratum: Stratum
    kind: Kind
    after: Floats
    before: Floats
    log_odds: float
    loss: Loss
    never_covered: bool | None = None
    since: Since | None = None
    reasons: tuple[str, ...] = ()
    words: str = ""
    measured: bool = False

    @property
    def where(self) -> Stratum:
        """Its conditions; a time that tells explanations apart is none of them."""
        return self.stratum.only(c.factor for c in self.stratum.conditions if c.factor != TIME)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Production rows for which it holds at all; what grows with time is about everything from the first on."""
        return np.ones(len(self.after), dtype=bool) if self.kind is Kind.GROWTH else np.asarray(self.after > 0.0)

    @property
    def rows(self) -> Floats:
        """All rows, the baseline's first."""
        return np.append(self.before, self.after)
