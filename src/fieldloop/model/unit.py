"""Units of measured values: which are shares, and what they are a share of."""

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
