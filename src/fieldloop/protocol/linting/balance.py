"""Lint rules about the composition of a batch."""

import math
from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity

WHOLE = 1e-6


def find_shares_not_summing_to_one(draft: Draft) -> Iterator[Remark]:
    """Shares are of all episodes."""
    for name, asked in draft.protocol.balance.items():
        total = sum(asked.shares.values())
        if abs(total - 1.0) > WHOLE:
            yield Remark(
                "P501",
                Severity.ERROR,
                f"balance.{name}",
                note("protocol.p501", total=total),
                note("protocol.p501_advice"),
            )


def find_no_failures_asked(draft: Draft) -> Iterator[Remark]:
    """Asking for no failure at all contradicts keeping them."""
    outcome = draft.protocol.balance.get("outcome")
    if outcome and draft.protocol.setting("episode.failures_kept") and outcome.shares.get("succeeded", 0.0) >= 1.0:
        yield Remark(
            "P502",
            Severity.WARNING,
            "balance.outcome",
            note("protocol.p502"),
            note("protocol.p502_advice"),
        )


def find_rotation_that_operators_cannot_fill(draft: Draft) -> Iterator[Remark]:
    """The allowed operators must be able to fill a batch within the share allowed to each."""
    share, people = draft.protocol.limits["batch.operator_share"], draft.protocol.limits["batch.operators"]
    if share.maximum is None:
        return
    needed = math.ceil(1 / share.maximum - WHOLE) if share.maximum > 0 else math.inf
    if not math.isfinite(needed):
        yield Remark(
            "P503",
            Severity.ERROR,
            "check.batch.operator_share",
            note("protocol.p503_none"),
            note("protocol.p503_none_advice"),
        )
    elif people.maximum is not None and needed > people.maximum:
        yield Remark(
            "P503",
            Severity.ERROR,
            "check.batch.operators",
            note("protocol.p503", operators=people.maximum, share=share.maximum, needed=int(needed)),
            note("protocol.p503_advice"),
        )
    elif "batch" in draft.own.get("check", {}) and people.minimum is not None and needed > people.minimum:
        yield Remark(
            "P504",
            Severity.HINT,
            "check.batch.operators",
            note("protocol.p504", operators=people.minimum, share=share.maximum, needed=int(needed)),
            note("protocol.p504_advice", needed=int(needed)),
        )


RULES: tuple[Rule, ...] = (
    find_shares_not_summing_to_one,
    find_no_failures_asked,
    find_rotation_that_operators_cannot_fill,
)
