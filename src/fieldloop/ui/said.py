"""Numbers, times and limits as pages say them."""

import math
from typing import Any

from fieldloop.model.codec import iso
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Finding
from fieldloop.model.stream import FIRST_REAL_NS
from fieldloop.protocol.number import SHARE, interval_in_words

SECOND_NS = 1_000_000_000
MINUTE, HOUR, DAY = 60, 3_600, 86_400
SHORT = 12
NBSP = "\u00a0"  # a number and its unit stay on one line


def percent(share: float | None, digits: int = 1) -> str:
    r"""Write a share in per cent.

    >>> percent(0.8333), percent(None)
    ('83.3\xa0%', 'not known')
    """
    return "not known" if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f}{NBSP}%"


def interval(low: float, high: float, digits: int = 1) -> str:
    r"""Write an interval of rates.

    >>> interval(0.5, 0.75)
    '50.0 to 75.0\xa0%'
    """
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}{NBSP}%"


def points(difference: float) -> str:
    """Write a difference of rates in points."""
    return f"{100 * difference:+.1f}"


def figure(value: Any, digits: int = 4) -> str:
    """Write a measured value.

    >>> figure(28.61234), figure(1200.0), figure(None)
    ('28.61', '1200', '–')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def measured(value: float | None, unit: str, digits: int = 4) -> str:
    """Write what was measured, a share as percent like its limit.

    >>> measured(0.07, "share of frames"), measured(28.61234, "ms"), measured(None, "ms")
    ('7 %', '28.61', '–')
    """
    if value is None or not math.isfinite(value) or not unit.startswith(SHARE):
        return figure(value, digits)
    return f"{figure(100.0 * value, digits)} %"


def span(seconds: float) -> str:
    """Write a duration in the unit a person would choose.

    >>> span(42), span(900), span(15_000), span(700_000)
    ('42 s', '15 min', '4.2 h', '8.1 days')
    """
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.1f} h" if seconds < 2 * DAY else f"{seconds / DAY:.1f} days"


def ago(at_ns: int, now_ns: int) -> str:
    """Write when something was, short enough for a margin: the time today, else the day."""
    then, now = iso(at_ns), iso(now_ns)
    return then[11:16] if then[:10] == now[:10] else f"{int(then[8:10])} {MONTHS[int(then[5:7]) - 1]}"


def moment(at_ns: int) -> str:
    """Write a time to the second, in UTC; stamps that count from an episode's beginning are no time.

    >>> moment(1_700_000_000_000_000_000), moment(50_000_000)
    ('2023-11-14 22:13:20 UTC', 'not said')
    """
    if at_ns < FIRST_REAL_NS:
        return "not said"
    return iso(at_ns)[:19].replace("T", " ") + " UTC"


def short(identity: str) -> str:
    """Shorten an id to a beginning that is still accepted everywhere."""
    noun, _, rest = identity.partition("_")
    return f"{noun}_…{rest[-6:]}" if rest else identity[:SHORT]


def limit(finding: Finding) -> str:
    """Write the interval a finding was held against.

    >>> from fieldloop.model.finding import Status
    >>> limit(Finding("c", "s", Status.FAILED, 7.0, 5.0, 25.0, "N", ""))
    '5 to 25 N'
    """
    return interval_in_words(finding.minimum, finding.maximum, finding.unit) or "–"


def where(stratum: Stratum, *, without: tuple[str, ...] = ()) -> str:
    """Write a stratum by its levels alone.

    >>> where(Stratum.of(tier="long_tail", site="a"), without=("site",))
    'long tail'
    """
    levels = [c.level.replace("_", " ") for c in stratum.conditions if c.factor not in without]
    return ", ".join(levels) or "everywhere"


def plural(count: int, word: str, many: str = "") -> str:
    """Write a count with its noun.

    >>> plural(1, "episode"), plural(3, "episode"), plural(1200, "outcome")
    ('1 episode', '3 episodes', '1,200 outcomes')
    """
    return f"{count:,} {word if count == 1 else many or word + 's'}"


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
