"""Names of gaps: what a cause in a column of this name is called, and which fix closes it.

A name never decides whether something is a cause, nor its share: roles (`columns`) do, by values and coverage.
"""

import re
from collections.abc import Iterable

from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.note import Note, note

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
"""Factor → gap, the preferred one first where two cannot be separated."""

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
"""Word beginnings by which a factor or a number outside the table is recognised."""

FIX = {
    Gap.ENVIRONMENT: ("diagnose.fix_collect", "diagnose.fix_restore"),
    Gap.EDGE_CASES: ("diagnose.fix_collect", "diagnose.fix_collect_again"),
    Gap.CONDITIONS: ("diagnose.fix_collect", "diagnose.fix_collect_again"),
    Gap.TIMING: ("diagnose.fix_timing",) * 2,
    Gap.LABELS: ("diagnose.fix_labels",) * 2,
    Gap.SIM_TO_REAL: ("diagnose.fix_collect_real",) * 2,
    Gap.HARDWARE: ("diagnose.fix_hardware",) * 2,
    Gap.INFRASTRUCTURE: ("diagnose.fix_serving",) * 2,
    Gap.UNKNOWN: ("diagnose.fix_log_more",) * 2,
}
"""Gap → code of the fix where it was never covered, and where it changed since."""


def name_gap(factor: str) -> Gap:
    """Return what a gap in a factor or number of this name is called: by its name or by the words in it.

    >>> name_gap("bin").value, name_gap("ambient_lux").value, name_gap("moon_phase").value
    ('edge-case distribution', 'environment mismatch', 'unknown')
    """
    known = GAP_OF.get(factor)
    if known is not None:
        return known
    words = _words(factor)
    if words[-1] == "by":  # a person, as in filled_by
        return Gap.CONDITIONS
    for gap, beginnings in WORDS.items():
        if any(word.startswith(beginnings) for word in words):
            return gap
    return Gap.UNKNOWN


def _words(name: str) -> list[str]:
    return re.split("[^a-z]+", name.lower())


def fix(gap: Gap, stratum: Stratum, *, never_covered: bool | None) -> Note:
    """Return the fix that closes a gap; a condition that was never covered needs another than one that changed."""
    return note(FIX[gap][0 if never_covered is not False else 1], where=str(stratum))


def unlogged_factors(factors: Iterable[str]) -> tuple[str, ...]:
    """Return the factors of the table that no outcome logs."""
    logged = {word for name in factors for word in (name, *_words(name))}
    return tuple(sorted(factor for factor in GAP_OF if factor not in logged and GAP_OF[factor] is not Gap.TIMING))
