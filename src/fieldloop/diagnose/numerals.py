"""Numbers as people read them."""


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
