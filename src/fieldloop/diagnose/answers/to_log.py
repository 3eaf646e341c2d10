"""What to log so that the next diagnosis can answer more: a few names, never what is logged already."""

import re
from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.chain import rows_with_usual_latency
from fieldloop.diagnose.explanations import gaps
from fieldloop.diagnose.inference.table import Table
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.note import Note, note
from fieldloop.model.outcome_columns import list_texts

WORTH = {
    "lighting": ("light", "lux", "illumin", "bright", "glare"),
    "bin": ("bin", "edge", "shelf", "fill"),
    "temperature": ("temp",),
    "latency": ("latency", "answer", "network"),
    "gripper": ("gripper", "cycle", "wear", "pad"),
    "item": ("item", "sku", "article", "product", "packaging"),
    "operator": ("operator", "person", "by"),
    "shift": ("shift",),
    "zone": ("zone", "aisle"),
    "surface": ("surface",),
    "camera": ("camera", "mount"),
    "humidity": ("humid", "moist"),
}
"""Factors that most often separate causes, the most useful first, each with word beginnings that mean the same."""

MOST_NAMED = 4
"""A team would not add more at once; what it logs first may be all that is needed."""


def worth_logging(inquiry: Inquiry) -> tuple[str, ...]:
    """Name factors that are not logged: those of the deployment map first, then those that matter most often."""
    logged = {*inquiry.after.factors, *inquiry.after.numbers}
    logged |= {"item"} if list_texts(inquiry.after.outcomes, "item") - {""} else set()
    mapped = {c.factor for e in inquiry.evidence.exposures for c in e.stratum.conditions} - logged
    missing = set(gaps.unlogged_factors(logged))
    words = {word for name in logged for word in re.split("[^a-z]+", name.lower())}
    others = [
        name
        for name, known_as in WORTH.items()
        if name in missing - mapped and not any(word.startswith(known_as) for word in words)
    ]
    return (*sorted(mapped), *others)[:MOST_NAMED]


def why_no_chain(inquiry: Inquiry) -> Iterator[Note]:
    """State why chains could not be followed: steps that were not logged, or answers that were all late."""
    if inquiry.chain is not None:
        return
    sides = {"baseline": inquiry.before, "production": inquiry.after}
    fewest = inquiry.settings.number("min_chain_attempts")
    lacking = tuple(name for name, side in sides.items() if _count_with_deviations(side) < fewest)
    usual, slower = (inquiry.settings.number(name) for name in ("usual_quantile", "slow_answers"))
    if lacking:
        yield note("diagnose.steps_not_logged", sides=lacking)
    elif int(np.sum(rows_with_usual_latency(inquiry.before, inquiry.after, inquiry.columns, usual, slower))) < fewest:
        yield note("diagnose.answers_all_late")
    else:
        yield note("diagnose.steps_renamed")


def _count_with_deviations(side: Table) -> int:
    if not side.logs_steps:
        return 0
    return sum(sum(step.deviation_m is not None for step in o.steps) > 1 for o in side.outcomes)
