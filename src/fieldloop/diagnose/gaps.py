"""Which gap a factor points to, and what closes it: one table, to be argued with."""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap

GAP_OF = {
    # what the place is like
    "lighting": Gap.ENVIRONMENT,
    "site": Gap.ENVIRONMENT,
    "zone": Gap.ENVIRONMENT,
    "shift": Gap.ENVIRONMENT,
    "camera": Gap.ENVIRONMENT,
    "background": Gap.ENVIRONMENT,
    # what is rare and hard
    "bin": Gap.EDGE_CASES,
    "edge_case": Gap.EDGE_CASES,
    "tier": Gap.EDGE_CASES,
    "sku": Gap.EDGE_CASES,
    "packaging": Gap.EDGE_CASES,
    # what things and people are like
    "temperature": Gap.CONDITIONS,
    "humidity": Gap.CONDITIONS,
    "surface": Gap.CONDITIONS,
    "floor": Gap.CONDITIONS,
    "operator": Gap.CONDITIONS,
    # what is outside the data
    "chain_step": Gap.TIMING,
    "simulated": Gap.SIM_TO_REAL,
    "robot": Gap.HARDWARE,
    "gripper": Gap.HARDWARE,
    "latency": Gap.INFRASTRUCTURE,
    "judged_by": Gap.LABELS,
}
"""Factor → gap, in the order in which one is believed where two cannot be told apart."""

MACHINERY = (Gap.HARDWARE, Gap.INFRASTRUCTURE, Gap.LABELS, Gap.TIMING)
"""Gaps that no demonstration closes; one of them in a combination is what it is about."""

FIX = {
    Gap.ENVIRONMENT: (
        "Collect demonstrations under {where}.",
        "Restore {where} as it was, or collect it as it is now.",
    ),
    Gap.EDGE_CASES: ("Collect demonstrations of {where}.", "Collect {where} again as it is now: what changed there?"),
    Gap.CONDITIONS: (
        "Collect demonstrations under {where}.",
        "Measure what changed under {where} and collect it again.",
    ),
    Gap.TIMING: ("Verify synchronisation at {where}.",) * 2,
    Gap.LABELS: ("Let a second person judge a sample of {where}, and settle the standard.",) * 2,
    Gap.SIM_TO_REAL: ("Collect real demonstrations of {where}.",) * 2,
    Gap.HARDWARE: ("Inspect {where}: pads, backlash, calibration. Demonstrations will not repair it.",) * 2,
    Gap.INFRASTRUCTURE: ("Profile the serving path of {where}. Demonstrations will not make it faster.",) * 2,
    Gap.UNKNOWN: ("Log more before collecting.",) * 2,
}


@dataclass(frozen=True, slots=True)
class Named:
    """The gap that a stratum points to and the words for its fix."""

    gap: Gap
    fix: str


def name(stratum: Stratum, *, never_covered: bool | None) -> Named:
    """Name the gap of a slice; a combination of unlike factors is an edge case: each alone goes well."""
    gaps = {GAP_OF.get(c.factor, Gap.UNKNOWN) for c in stratum.conditions}
    machinery = [gap for gap in MACHINERY if gap in gaps]
    gap = gaps.pop() if len(gaps) == 1 else machinery[0] if machinery else Gap.EDGE_CASES if gaps else Gap.UNKNOWN
    where = " and ".join(map(str, stratum.conditions)) or "everything"
    return Named(gap, FIX[gap][0 if never_covered is not False else 1].format(where=where))


def rank(stratum: Stratum) -> tuple[int, int]:
    """Fewer conditions first, then the order of the table: which of several alike is named."""
    order = {factor: at for at, factor in enumerate(GAP_OF)}
    return len(stratum.conditions), sum(order.get(c.factor, len(order)) for c in stratum.conditions)


def silent(factors: Iterable[str]) -> tuple[str, ...]:
    """Factors of the table that no outcome says anything about."""
    return tuple(sorted(set(GAP_OF) - set(factors)))
