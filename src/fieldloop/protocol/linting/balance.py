"""Can a batch be what the protocol asks for?"""

import math
from collections.abc import Iterator

from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity

WHOLE = 1e-6


def not_whole(draft: Draft) -> Iterator[Remark]:
    """Shares are of all episodes."""
    for name, asked in draft.protocol.balance.items():
        total = sum(asked.shares.values())
        if abs(total - 1.0) > WHOLE:
            yield Remark(
                "P501", Severity.ERROR, f"balance.{name}", f"The shares add up to {total:g}, not 1.",
                "Every episode has one label: make them add up.",
            )  # fmt: skip


def no_failures_asked(draft: Draft) -> Iterator[Remark]:
    """Asking for no failure at all contradicts keeping them."""
    outcome = draft.protocol.balance.get("outcome")
    if outcome and draft.protocol.setting("episode.failures_kept") and outcome.shares.get("succeeded", 0.0) >= 1.0:
        yield Remark(
            "P502", Severity.WARNING, "balance.outcome", "Failures are kept, but the balance asks for none.",
            "Ask for a share of failures, or leave outcome out.",
        )  # fmt: skip


def rotation(draft: Draft) -> Iterator[Remark]:
    """So many operators must be able to make up a whole batch without one of them having too much of it."""
    share, people = draft.protocol.limits["batch.operator_share"], draft.protocol.limits["batch.operators"]
    if share.maximum is None:
        return
    needed = math.ceil(1 / share.maximum - WHOLE) if share.maximum > 0 else math.inf
    if not math.isfinite(needed):
        yield Remark(
            "P503", Severity.ERROR, "check.batch.operator_share", "Nobody may demonstrate anything.",
            "Allow a share above 0.",
        )  # fmt: skip
    elif people.maximum is not None and needed > people.maximum:
        yield Remark(
            "P503", Severity.ERROR, "check.batch.operators",
            f"At most {people.maximum:g} operators, but nobody above {share.maximum:.0%}: that needs {needed}.",
            "Allow more people, or a larger share.",
        )  # fmt: skip
    elif "batch" in draft.own.get("check", {}) and people.minimum is not None and needed > people.minimum:
        yield Remark(
            "P504", Severity.HINT, "check.batch.operators",
            f"{people.minimum:g} operators are asked for, but nobody above {share.maximum:.0%}: that needs {needed}.",
            f"Plan for {needed}.",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (not_whole, no_failures_asked, rotation)
