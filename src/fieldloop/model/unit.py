"""Units of measured values: which are shares and what of, which are counted, and how a limit is put into words."""

from collections.abc import Callable

SHARE = "share "
"""Units that begin with this are shares, shown in percent: 'share of frames'."""

POINTS = 100.0
"""Percentage points of a whole share."""


def is_share(unit: str) -> bool:
    """Is this unit a share of something?

    >>> is_share("share of frames"), is_share("ms")
    (True, False)
    """
    return unit.startswith(SHARE)


def unit_after_number(unit: str) -> str:
    """Return what stands behind the number: 'of frames' behind a percent sign, any other unit as it is.

    >>> unit_after_number("share of frames"), unit_after_number("ms")
    ('of frames', 'ms')
    """
    return unit.removeprefix(SHARE)


COUNTED = {
    "missing periods": "missing period", "streams": "stream", "columns": "column", "operators": "operator",
    "episodes": "episode", "frames": "frame", "samples": "sample", "changes": "change", "copies": "copy",
    "batches": "batch", "calibrations": "calibration", "directions": "direction", "facts": "fact", "fields": "field",
    "groups": "group", "labels": "label", "missing frames": "missing frame", "missing indices": "missing index",
    "missing phases": "missing phase", "missing streams": "missing stream", "points": "point", "spreads": "spread",
    "turns": "turn", "wraps": "wrap", "sites": "site",
    "objects": "object", "sessions": "session", "features": "feature", "defects": "defect",
    "differences": "difference",
}  # fmt: skip
"""Units that are counted, in the singular."""


def singular_unit(unit: str) -> str:
    """Return the singular of a unit that is counted; other units have none.

    >>> singular_unit("streams"), singular_unit("ms")
    ('stream', 'ms')
    """
    return COUNTED.get(unit, unit)


def limit_in_words(low: float | None, high: float | None, unit: str, write: Callable[[float], str]) -> str:
    """Put what a limit demands into words; `write` writes its numbers.

    >>> limit_in_words(None, 0.02, "share of frames", "{:g}".format), limit_in_words(5, 60, "s", str)
    ('at most 2 % of frames', '5 to 60 s')
    >>> limit_in_words(1, None, "operators", str), limit_in_words(None, None, "s", str)
    ('at least 1 operator', 'no limit')
    """
    ends = [end for end in (low, high) if end is not None]
    if not ends:
        return "no limit"
    word = "at least " if high is None else "at most " if low is None else ""
    numbers = " to ".join(write(POINTS * end if is_share(unit) else end) for end in ends)
    behind = f"% {unit_after_number(unit)}" if is_share(unit) else singular_unit(unit) if ends[-1] == 1 else unit
    return f"{word}{numbers} {behind}"
