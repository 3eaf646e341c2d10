"""Numbers that production has nowhere as the baseline had them: nothing tells them from all else that is new."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.numerals import plain
from fieldloop.diagnose.table import Floats
from fieldloop.model.diagnosis import Gap


@dataclass(frozen=True)
class Apart:
    """A number whose values in production all lie beyond those of the baseline: its medians then and now."""

    name: str
    before: float
    after: float

    @property
    def words(self) -> str:
        """It in a sentence."""
        moved = "rose" if self.after > self.before else "fell"
        return (
            f"{self.name} {moved} from {plain(self.before, 3)} to {plain(self.after, 3)} in the median, everywhere: it "
            "may be this, which cannot be told from all else that is new in production. Compare with attempts where it "
            "is as before."
        )


def apart(inquiry: Inquiry) -> Iterator[Apart]:
    """Find them, odd single values aside; of what hurts only by being more, less is no suspicion."""
    usual = inquiry.settings.number("usual_quantile")
    for name, values in inquiry.after.numbers.items():
        past = inquiry.before.numbers.get(name)
        if past is None or gaps.of_factor(name) is Gap.UNKNOWN:
            continue
        if min(np.isfinite(side).sum() for side in (past, values)) < inquiry.settings.number("min_slice_episodes"):
            continue  # a few that say it do not speak for everywhere
        then, now = float(np.nanmedian(past)), float(np.nanmedian(values))
        if _above(values, past, usual) or (not gaps.only_more_hurts(name) and _above(past, values, usual)):
            yield Apart(name, then, now)


def _above(high: Floats, low: Floats, usual: float) -> bool:
    return bool(np.nanquantile(high, 1.0 - usual) > np.nanquantile(low, usual))
