"""Which gap a factor or a number points to, and what closes it: tables, to be argued with."""

import re
from collections.abc import Iterable

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
    "item": Gap.EDGE_CASES,
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
    "variant": Gap.LABELS,
}
"""Factor → gap, in the order in which one is believed where two cannot be told apart."""

WORDS = {
    Gap.INFRASTRUCTURE: ("latency", "network", "queue", "answer", "packet", "bandwidth", "gpu", "cpu"),
    Gap.HARDWARE: ("cycle", "wear", "worn", "backlash", "gripper", "pad", "motor", "current", "hours", "voltage"),
    Gap.ENVIRONMENT: ("lux", "light", "glare", "illumin", "bright", "shelf", "background", "camera", "mount", "aisle"),
    Gap.CONDITIONS: (
        "temp", "humid", "dust", "friction", "surface", "floor", "moist", "vibration", "wet", "operator", "person",
    ),
    Gap.EDGE_CASES: ("bin", "fill", "occlu", "clutter", "density", "pack", "weight", "mass", "orient", "jam", "item"),
    Gap.LABELS: ("variant", "annot", "label", "judge"),
    Gap.TIMING: ("pace", "chain", "speed", "travel", "velocity"),
}  # fmt: skip
"""Beginnings of words in a name by which a factor or a number that is not in the table is understood."""

MORE_IS_WORSE = ("latency", "queue", "packet", "cycle", "wear", "worn", "backlash", "hours")
"""Beginnings of words in the names of numbers of which little never hurt."""

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
    Gap.TIMING: ("Verify time from content on every rig, correct the lag, release and train again ({where}).",) * 2,
    Gap.LABELS: ("Let a second person judge a sample of {where}, settle the standard, and label again.",) * 2,
    Gap.SIM_TO_REAL: ("Collect real demonstrations of {where}.",) * 2,
    Gap.HARDWARE: ("Inspect {where}: pads, backlash, calibration. Demonstrations will not repair it.",) * 2,
    Gap.INFRASTRUCTURE: ("Profile the serving path of {where}. Demonstrations will not make it faster.",) * 2,
    Gap.UNKNOWN: ("Log more before collecting.",) * 2,
}


def of_factor(factor: str) -> Gap:
    """The gap that one factor or number points to, by its name or by what its name is made of.

    >>> of_factor("bin").value, of_factor("ambient_lux").value, of_factor("moon_phase").value
    ('edge-case distribution', 'environment mismatch', 'unknown')
    """
    known = GAP_OF.get(factor)
    if known is not None:
        return known
    words = _words(factor)
    if words[-1] == "by":  # who did it, as in filled_by
        return Gap.CONDITIONS
    for gap, beginnings in WORDS.items():
        if any(word.startswith(beginnings) for word in words):
            return gap
    return Gap.UNKNOWN


def only_more_hurts(number: str) -> bool:
    """Is it a number of which little is no suspicion?

    >>> only_more_hurts("gripper_cycles"), only_more_hurts("lux")
    (True, False)
    """
    return any(word.startswith(MORE_IS_WORSE) for word in _words(number))


def _words(name: str) -> list[str]:
    return re.split("[^a-z]+", name.lower())


def of_stratum(stratum: Stratum) -> Gap:
    """The gap of a slice; a combination of unlike factors is an edge case: each alone goes well."""
    gaps = {of_factor(c.factor) for c in stratum.conditions}
    machinery = [gap for gap in MACHINERY if gap in gaps]
    known = gaps - {Gap.UNKNOWN} or gaps
    return known.pop() if len(known) == 1 else machinery[0] if machinery else Gap.EDGE_CASES if gaps else Gap.UNKNOWN


def fix(gap: Gap, stratum: Stratum, *, never_covered: bool | None) -> str:
    """What closes it; not shown yet and changed since are closed differently."""
    everywhere = "the robots" if gap is Gap.HARDWARE else "everything"
    where = " and ".join(map(str, stratum.conditions)) or everywhere
    return FIX[gap][0 if never_covered is not False else 1].format(where=where)


def silent(factors: Iterable[str]) -> tuple[str, ...]:
    """Factors of the table that no outcome says anything about."""
    said = {word for name in factors for word in (name, *_words(name))}
    return tuple(sorted(factor for factor in GAP_OF if factor not in said and GAP_OF[factor] is not Gap.TIMING))
