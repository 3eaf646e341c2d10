"""Numbers, times and places as reports say them: one that is no number says so instead of 'nan'."""

import math
from collections.abc import Iterable

from fieldloop.model.codec import iso
from fieldloop.model.condition import Stratum

UNKNOWN = "not known"
MINUS = "\u2212"
SHORT = 12
THIN = " · "


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share in per cent.

    >>> percent(0.8333), percent(float("nan"))
    ('83.3 %', 'not known')
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return f"{100 * share:.{digits}f} %".replace("-", MINUS)


def points(difference: float | None, digits: int = 1) -> str:
    """Write a difference of rates in points, with its sign; nothing has none.

    >>> points(0.041), points(-0.05), points(-0.0001)
    ('+4.1', '−5.0', '0.0')
    """
    if difference is None or not math.isfinite(difference):
        return UNKNOWN
    written = f"{100 * difference:+.{digits}f}"
    return f"{0:.{digits}f}" if float(written) == 0 else written.replace("-", MINUS)


def interval(low: float, high: float, digits: int = 1) -> str:
    """Write an interval of rates or of points, without their unit.

    >>> interval(0.018, 0.069), interval(-0.01, 0.02), interval(float("nan"), 1)
    ('1.8 to 6.9', '−1.0 to 2.0', 'not known')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}".replace("-", MINUS)


def where(stratum: Stratum, without: Iterable[str] = ()) -> str:
    """Write a stratum as a person says it; factors in `without` were said already.

    >>> where(Stratum.of(tier="long_tail", site="a"), ["site"]), where(Stratum())
    ('tier long tail', 'everywhere')
    """
    left_out = set(without)
    told = [f"{c.factor} {c.level}".replace("_", " ") for c in stratum.conditions if c.factor not in left_out]
    return THIN.join(told) or "everywhere"


def plural(count: int, word: str, many: str = "") -> str:
    """Write a count with its noun.

    >>> plural(1, "stratum", "strata"), plural(1200, "failure")
    ('1 stratum', '1,200 failures')
    """
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def day(at_ns: int) -> str:
    """Write the day of a moment, in UTC."""
    return iso(at_ns)[:10]


def moment(at_ns: int) -> str:
    """Write a moment to the minute, in UTC."""
    return iso(at_ns)[:16].replace("T", " ") + " UTC"


def short(identity: str) -> str:
    """Shorten a content id to a beginning that is accepted everywhere; names made of words stay.

    >>> short("ab" * 32), short("plan_01")
    ('abababababab', 'plan_01')
    """
    return identity if "_" in identity else identity[:SHORT]
