"""Conditions that outcomes lack: how many lack them, and whether those succeed more or less often than the rest."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.note import Note, note
from fieldloop.stats import difference

SHARED = ("judged_by",)
"""Where several people judged an attempt, its verdict has no single author: that is not a gap in the log."""

Rows = NDArray[np.bool_]


def missing_conditions(inquiry: Inquiry) -> Iterator[Note]:
    """State for each factor how many rows lack it, first where those succeed more or less often than the others.

    Factors that the same rows lack are stated together: they were lost together.
    """
    total, few = len(inquiry.after), list[Note]()
    for factors, lacking in _group_factors_by_rows(inquiry):
        count, names = int(lacking.sum()), tuple(factors)
        if _success_differs(inquiry, lacking):
            here, elsewhere = (float(inquiry.after.success[rows].mean()) for rows in (lacking, ~lacking))
            yield note(
                "diagnose.lacking_succeed_otherwise",
                outcomes=count, total=total, factors=names, here=here, elsewhere=elsewhere,
            )  # fmt: skip
        elif count > inquiry.settings.number("max_unsaid_share") * total:
            yield note("diagnose.lacking", outcomes=count, total=total, factors=names)
        elif count >= inquiry.settings.number("min_slice_episodes"):
            few.append(note("diagnose.some_lack", outcomes=count, factors=names))
    if few:
        yield note("diagnose.some_lacking", total=total, parts=tuple(few))


def _group_factors_by_rows(inquiry: Inquiry) -> Iterator[tuple[list[str], Rows]]:
    """Group factors by the rows that lack them."""
    alike: dict[bytes, tuple[list[str], Rows]] = {}
    for factor in sorted({*inquiry.before.factors, *inquiry.after.factors} - set(SHARED)):
        lacking = ~inquiry.after.logs(factor)
        alike.setdefault(lacking.tobytes(), ([], lacking))[0].append(factor)
    yield from alike.values()


def _success_differs(inquiry: Inquiry, lacking: Rows) -> bool:
    """Does success there differ from where the factor is logged, by more than chance?"""
    if min(lacking.sum(), (~lacking).sum()) < inquiry.settings.number("min_slice_episodes"):
        return False
    counts = [(round(float(inquiry.after.success[rows].sum())), int(rows.sum())) for rows in (lacking, ~lacking)]
    low, high = difference.compute_difference_interval(counts[0], counts[1], inquiry.settings.number("confidence"))
    return low > 0.0 or high < 0.0
