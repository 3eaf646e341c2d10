"""What to log, so that the next diagnosis can say more: a few names, and never what is logged already."""

import re
from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.chain import ordinary_answers
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.table import Table

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
"""What most often tells causes apart, the most useful first, with beginnings of words that say it by another name."""

MOST_NAMED = 4
"""More than a team would take up at once; what it logs first may be all that is needed."""


def worth_logging(inquiry: Inquiry) -> tuple[str, ...]:
    """Name what nobody logs: what the deployment map speaks of first, then what most often matters."""
    said = {*inquiry.after.factors, *inquiry.after.numbers}
    said |= {"item"} if any(o.item for o in inquiry.after.outcomes) else set()
    mapped = {c.factor for e in inquiry.evidence.exposures for c in e.stratum.conditions} - said
    silent = set(gaps.silent(said))
    words = {word for name in said for word in re.split("[^a-z]+", name.lower())}
    others = [
        name
        for name, known_as in WORTH.items()
        if name in silent - mapped and not any(word.startswith(known_as) for word in words)
    ]
    return (*sorted(mapped), *others)[:MOST_NAMED]


def chains(inquiry: Inquiry) -> Iterator[str]:
    """Say why chains could not be followed: steps that were not logged, or answers that were all late."""
    if inquiry.chain is not None:
        return
    sides = {"the baseline": inquiry.before, "production": inquiry.after}
    fewest = inquiry.settings.number("min_chain_attempts")
    lacking = [name for name, side in sides.items() if _with_deviations(side) < fewest]
    usual, slower = (inquiry.settings.number(name) for name in ("usual_quantile", "slow_answers"))
    if lacking:
        yield (
            f"Steps with deviations were not logged in {' and '.join(lacking)}; log them to see whether chains lose "
            "precision."
        )
    elif int(np.sum(ordinary_answers(inquiry.before, inquiry.after, usual, slower))) < fewest:
        yield "Nearly all answers came later than in the baseline, so that chains cannot show whether pictures do too."
    else:
        yield "Steps of production have other names than those of the baseline; name them alike to compare chains."


def _with_deviations(side: Table) -> int:
    return sum(sum(step.deviation_m is not None for step in o.steps) > 1 for o in side.outcomes)
