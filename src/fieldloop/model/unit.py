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


def format_unit_after_number(unit: str) -> str:
    """Return what stands behind the number: 'of frames' behind a percent sign, any other unit as it is.

    >>> format_unit_after_number("share of frames"), format_unit_after_number("ms")
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
    "objects": "object", "sessions": "session", "features": "feature", "defects": "defect", "readings": "reading",
    "differences": "difference",
}  # fmt: skip
"""Units that are counted, in the singular."""


def get_singular_unit(unit: str) -> str:
    """Return the singular of a unit that is counted; other units have none.

    >>> get_singular_unit("streams"), get_singular_unit("ms")
    ('stream', 'ms')
    """
    return COUNTED.get(unit, unit)


def write_limit_in_words(
    low: float | None, high: float | None, unit: str, format_number: Callable[[float], str]
) -> str:
    """Put what a limit demands into words; `format_number` writes its numbers.

    >>> write_limit_in_words(None, 0.02, "share of frames", "{:g}".format), write_limit_in_words(5, 60, "s", str)
    ('at most 2 % of frames', '5 to 60 s')
    >>> write_limit_in_words(1, None, "operators", str), write_limit_in_words(None, None, "s", str)
    ('at least 1 operator', 'no limit')
    """
    ends = [end for end in (low, high) if end is not None]
    if not ends:
        return "no limit"
    word = "at least " if high is None else "at most " if low is None else ""
    numbers = " to ".join(format_number(POINTS * end if is_share(unit) else end) for end in ends)
    behind = (
        f"% {format_unit_after_number(unit)}" if is_share(unit) else get_singular_unit(unit) if ends[-1] == 1 else unit
    )
    return f"{word}{numbers} {behind}"
