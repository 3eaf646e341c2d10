"""Numbers whose values in production all lie beyond the baseline: confounded with everything else that is new there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.explanations.columns import MACHINERY
from fieldloop.diagnose.inference.table import Floats
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.diagnosis import Gap
from fieldloop.model.note import Note, note


@dataclass(frozen=True)
class ConfoundedNumber:
    """A number whose values in production all lie beyond those of the baseline, with both medians."""

    name: str
    before: float
    after: float

    @property
    def note(self) -> Note:
        """State by how much it moved, and how to separate it from other changes."""
        code = "diagnose.rose_everywhere" if self.after > self.before else "diagnose.fell_everywhere"
        return note(code, name=self.name, before=self.before, after=self.after)


def confounded_numbers(inquiry: Inquiry) -> Iterator[ConfoundedNumber]:
    """Find them, ignoring single odd values; a decrease is not suspicious where only high values hurt."""
    usual = inquiry.settings.number("usual_quantile")
    for name, values in inquiry.after.numbers.items():
        past = inquiry.before.numbers.get(name)
        if past is None or inquiry.columns.gap(name) is Gap.UNKNOWN:
            continue
        if min(np.isfinite(side).sum() for side in (past, values)) < inquiry.settings.number("min_slice_episodes"):
            continue  # a few logged values do not represent all attempts
        then, now = float(np.nanmedian(past)), float(np.nanmedian(values))
        if _lies_above(values, past, usual) or (
            inquiry.columns.role(name) not in MACHINERY and _lies_above(past, values, usual)
        ):
            yield ConfoundedNumber(name, then, now)


def _lies_above(high: Floats, low: Floats, usual: float) -> bool:
    return bool(np.nanquantile(high, 1.0 - usual) > np.nanquantile(low, usual))
