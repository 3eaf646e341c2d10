"""Conditions that attempts do not say: how many lack them, and whether those go otherwise than the rest."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.numerals import listed, percent
from fieldloop.stats import difference

SHARED = ("judged_by",)
"""Where several judged an attempt, its verdict has no one author: that is no gap in the log."""

Rows = NDArray[np.bool_]


def unsaid(inquiry: Inquiry) -> Iterator[str]:
    """Say of each factor how many rows lack it, first where these succeed more or less often than the others.

    Factors that are silent about the same rows are told together: they were lost together.
    """
    total, few = len(inquiry.after), []
    for factors, silent in _silent(inquiry):
        count = int(silent.sum())
        said = f"{count:,} of {total:,} production outcomes do not say their {listed(factors)}"
        if _differs(inquiry, silent):
            here, elsewhere = (percent(float(inquiry.after.success[rows].mean())) for rows in (silent, ~silent))
            yield f"{said}: {here} of them succeed, {elsewhere} of those that do; find out what they share, and log it."
        elif count > inquiry.settings.number("max_unsaid_share") * total:
            yield f"{said}; log it."
        elif count >= inquiry.settings.number("min_slice_episodes"):
            few.append(f"{count:,} their {listed(factors)}")
    if few:
        yield f"Of {total:,} production outcomes some do not say all: {listed(few)}; log it always."


def _silent(inquiry: Inquiry) -> Iterator[tuple[list[str], Rows]]:
    alike: dict[bytes, tuple[list[str], Rows]] = {}
    for factor in sorted({*inquiry.before.factors, *inquiry.after.factors} - set(SHARED)):
        silent = np.array([factor not in row for row in inquiry.after.rows], dtype=bool)
        alike.setdefault(silent.tobytes(), ([], silent))[0].append(factor)
    yield from alike.values()


def _differs(inquiry: Inquiry, silent: Rows) -> bool:
    """Is success there another than where it is said, by more than chance?"""
    if min(silent.sum(), (~silent).sum()) < inquiry.settings.number("min_slice_episodes"):
        return False
    counts = [(round(float(inquiry.after.success[rows].sum())), int(rows.sum())) for rows in (silent, ~silent)]
    low, high = difference.interval(counts[0], counts[1], inquiry.settings.number("confidence"))
    return low > 0.0 or high < 0.0
