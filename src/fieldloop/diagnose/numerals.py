"""Numbers as people read them."""

from collections.abc import Sequence

import numpy as np


def percent(share: float, *, signed: bool = False) -> str:
    """A share with the space that the percent sign asks for.

    >>> percent(0.076), percent(0.076, signed=True)
    ('8 %', '+8 %')
    """
    return f"{100 * share:+.0f} %" if signed else f"{100 * share:.0f} %"


def several(count: int, word: str) -> str:
    """A count with its noun.

    >>> several(1, "demonstration"), several(0, "demonstration")
    ('1 demonstration', '0 demonstrations')
    """
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def plain(number: float, digits: int = 4) -> str:
    """So many digits, never as a power of ten; without separators, because levels of conditions are read back.

    >>> plain(55_690.4), plain(15.08, 3), plain(0.00001234)
    ('55690', '15.1', '0.00001234')
    """
    rounded = float(f"{number:.{digits}g}")
    return np.format_float_positional(rounded, trim="-")


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["bin", "lighting", "packaging"]), listed(["bin"])
    ('bin, lighting and packaging', 'bin')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
