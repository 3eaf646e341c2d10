"""How numbers, times, names and counts are written: once, for terminal, reports, pages and JSON."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from fieldloop.model.codec import format_iso_time
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import FIRST_REAL_NS
from fieldloop.model.unit import format_unit_after_number, get_singular_unit, is_share, write_limit_in_words
from fieldloop.say.names import ID, look_up_name

UNKNOWN = "not known"
NONE = "–"
MINUS = "\u2212"
SHORT = 12
"""Letters of a content id that are shown; every unique beginning is accepted back."""
HASH = re.compile(r"[0-9a-f]{64}")
ESTIMATE_DIGITS = 3
STATED_DIGITS = 12
"""Digits of a number that a person stated; more would show how a computer stores it."""
LEAST_P, COMMON_P = 0.0001, 0.01
MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share in percent.

    >>> percent(0.8333), percent(0.5, 0), percent(None)
    ('83.3 %', '50 %', 'not known')
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return f"{_strip_zero_sign(f'{100 * share:.{digits}f}')} %".replace("-", MINUS)


LEAST_SHARE = 0.0005
"""Below it one digit would read 0.0 %, as if it never happened."""


def format_small_share(share: float | None) -> str:
    """Write a share in percent with one digit; one that is above zero never reads as zero.

    >>> format_small_share(0.047), format_small_share(0.0002), format_small_share(0.0)
    ('4.7 %', 'under 0.1 %', '0.0 %')
    """
    return "under 0.1 %" if share is not None and 0.0 < share < LEAST_SHARE else percent(share)


def format_whole_percent(share: float | None) -> str:
    """Write a share in whole percent.

    >>> format_whole_percent(0.432)
    '43 %'
    """
    return percent(share, 0)


def format_fine_percent(share: float | None) -> str:
    """Write a share in percent with up to two digits behind the point.

    >>> format_fine_percent(0.9875), format_fine_percent(0.95), format_fine_percent(0.00304)
    ('98.75 %', '95 %', '0.3 %')
    """
    written = percent(share, 2)
    return f"{written.removesuffix(' %').rstrip('0').rstrip('.')} %" if written != UNKNOWN else UNKNOWN


def format_signed_percent(change: float) -> str:
    """Write a relative change in percent, with its sign.

    >>> format_signed_percent(0.076), format_signed_percent(-0.5)
    ('+8 %', '−50 %')
    """
    return f"{_strip_zero_sign(f'{100 * change:+.0f}')} %".replace("-", MINUS)


def format_points(difference: float | None, digits: int = 1) -> str:
    """Write a difference of rates in percentage points, with its sign; zero has none.

    >>> format_points(0.041), format_points(-0.05), format_points(-0.0001)
    ('+4.1', '−5.0', '0.0')
    """
    if difference is None or not math.isfinite(difference):
        return UNKNOWN
    return _strip_zero_sign(f"{100 * difference:+.{digits}f}").replace("-", MINUS)


def format_fine_points(difference: float | None) -> str:
    """Write a small difference of rates in percentage points, with two digits behind the point.

    >>> format_fine_points(0.00041)
    '+0.04'
    """
    return format_points(difference, 2)


def _strip_zero_sign(number_text: str) -> str:
    """Return a written number, without its sign where it is rounded to nothing."""
    return number_text.lstrip("+-") if float(number_text) == 0 else number_text


def format_p_value(probability: float) -> str:
    """Write a p-value.

    >>> format_p_value(1.0), format_p_value(0.042), format_p_value(0.00123), format_p_value(1e-9)
    ('p = 1.00', 'p = 0.04', 'p = 0.0012', 'p < 0.0001')
    """
    if probability < LEAST_P:
        return f"p < {format_number(LEAST_P)}"
    return f"p = {probability:.2f}" if probability >= COMMON_P else f"p = {format_number(probability, 2)}"


def format_interval(low: float, high: float, digits: int = 1) -> str:
    """Write an interval of rates or points without a unit.

    >>> format_interval(0.018, 0.069), format_interval(-0.01, 0.02), format_interval(float("nan"), 1)
    ('1.8 to 6.9', '−1.0 to 2.0', 'not known')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}".replace("-", MINUS)


def percent_range(low: float, high: float, digits: int = 1) -> str:
    """Write an interval of rates in percent.

    >>> percent_range(0.5, 0.75), percent_range(float("nan"), 1)
    ('50.0 to 75.0 %', 'not known')
    """
    written = format_interval(low, high, digits)
    return written if written == UNKNOWN else f"{written} %"


def format_number(value: Any, digits: int = 4) -> str:
    """Write a measured value: so many digits, whole where it is whole, never as a power of ten.

    >>> [format_number(value) for value in (28.61234, 1200.0, 0.00001234, -55690.4, None, True)]
    ['28.61', '1200', '0.00001234', '−55690', '–', 'yes']
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if value == round(value) or abs(value) >= 10**digits:
        return f"{value:.0f}".replace("-", MINUS)
    written = f"{value:.{max(digits - 1 - _compute_exponent(value), 0)}f}"
    return (written.rstrip("0").rstrip(".") if "." in written else written).replace("-", MINUS)


def _compute_exponent(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value else 0


def format_fixed(value: float | None, digits: int) -> str:
    """Write a value with so many digits behind the point, for columns and moments; thousands are set apart.

    >>> (format_fixed(3.14159, 2), format_fixed(-0.5, 1), format_fixed(12345.678, 1),
    ...  format_fixed(None, 1), format_fixed(-0.001, 1))
    ('3.14', '−0.5', '12,345.7', '–', '0.0')
    """
    if value is None or not math.isfinite(value):
        return NONE
    written = f"{value:,.{digits}f}"
    return written.replace("-", "" if not float(written.replace(",", "")) else MINUS)


def format_estimate(value: float | None) -> str:
    """Write an estimate with three digits.

    >>> format_estimate(28.6123), format_estimate(0.04567), format_estimate(1234.5), format_estimate(12.0)
    ('28.6', '0.0457', '1234', '12')
    """
    return format_number(value, ESTIMATE_DIGITS)


def format_exact(value: float | None) -> str:
    """Write a number that a person stated with all its digits; thousands are set apart.

    >>> format_exact(12500.0), format_exact(0.0001234567), format_exact(103.25), format_exact(-0.1 - 0.2)
    ('12,500', '0.0001234567', '103.25', '−0.3')
    """
    if value is None or not math.isfinite(value):
        return NONE
    written = f"{value:,.{max(STATED_DIGITS - 1 - _compute_exponent(value), 0)}f}"
    return (written.rstrip("0").rstrip(".") if "." in written else written).replace("-", MINUS)


def format_tenths(value: float | None) -> str:
    """Write a value with one digit behind the point.

    >>> format_tenths(4.123), format_tenths(-0.04)
    ('4.1', '0.0')
    """
    return format_fixed(value, 1)


def format_seconds(time_s: float | None) -> str:
    """Write a time within an episode to a hundredth of a second.

    >>> format_seconds(12.3)
    '12.30'
    """
    return format_fixed(time_s, 2)


def format_milliseconds(time_s: float | None) -> str:
    """Write a time within an episode to the millisecond, to compare two times.

    >>> format_milliseconds(12.3041)
    '12.304'
    """
    return format_fixed(time_s, 3)


def format_signed(value: float | str) -> str:
    """Write an estimate with its sign; earlier versions stored it as text.

    >>> format_signed(3.44), format_signed(-12.0), format_signed("+3"), format_signed(0.0)
    ('+3.44', '−12', '+3', '0')
    """
    if isinstance(value, str):
        return value.replace("-", MINUS)
    return f"+{format_estimate(value)}" if value > 0 else format_estimate(value)


def format_count(count: float) -> str:
    """Write a count; thousands are set apart.

    >>> format_count(1200), format_count(3.0)
    ('1,200', '3')
    """
    return format_fixed(count, 0)


def format_with_unit(value: float | None, unit: str, digits: int = 4) -> str:
    """Write a value with its unit; a share in percent.

    >>> format_with_unit(0.25, "share of frames"), format_with_unit(7.0, "missing periods")
    ('25 % of frames', '7 missing periods')
    >>> format_with_unit(1.0, "streams"), format_with_unit(None, "ms")
    ('1 stream', '–')
    """
    if value is None or not math.isfinite(value):
        return NONE
    if is_share(unit):
        return f"{format_number(100 * value, digits)} % {format_unit_after_number(unit)}"
    return f"{format_number(value, digits)} {get_singular_unit(unit) if value == 1 else unit}"


def format_without_unit(value: float | None, unit: str, digits: int = 4) -> str:
    """Write a value without its unit; a share in percent.

    >>> format_without_unit(0.07, "share of frames"), format_without_unit(28.61234, "ms")
    ('7 %', '28.61')
    """
    if value is None or not math.isfinite(value) or not is_share(unit):
        return format_number(value, digits)
    return f"{format_number(100.0 * value, digits)} %"


def format_limit(low: float | None, high: float | None, unit: str) -> str:
    """Write what a limit demands, with its unit and all its digits.

    >>> format_limit(None, 0.02, "share of frames"), format_limit(5.0, 60.0, "s"), format_limit(3.0, None, "operators")
    ('at most 2 % of frames', '5 to 60 s', 'at least 3 operators')
    """
    return write_limit_in_words(low, high, unit, format_exact)


def format_duration(seconds: float) -> str:
    """Write a duration in the unit a person would choose.

    >>> [format_duration(format_seconds) for format_seconds in (42, 900, 15_000, 700_000, 0.25)]
    ['42 s', '15 min', '4.2 h', '8.1 days', '0.25 s']
    """
    if seconds < 2 * MINUTE_S:
        return f"{format_number(seconds, 2)} s" if seconds < 1 else f"{seconds:.0f} s"
    if seconds < 2 * HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    return f"{seconds / HOUR_S:.1f} h" if seconds < 2 * DAY_S else f"{seconds / DAY_S:.1f} days"


def format_time(at_ns: int) -> str:
    """Write a time to the second, in UTC; stamps that count from an episode's beginning are not a time.

    >>> format_time(1_700_000_000_000_000_000), format_time(50_000_000)
    ('2023-11-14 22:13:20 UTC', 'not known')
    """
    return UNKNOWN if at_ns < FIRST_REAL_NS else format_iso_time(at_ns)[:19].replace("T", " ") + " UTC"


def format_day(at_ns: int) -> str:
    """Write the day of a time, in UTC."""
    return format_iso_time(at_ns)[:10]


def format_recent_time(at_ns: int, now_ns: int) -> str:
    """Write when something was, short enough for a margin: the time today, else the day."""
    then, now = format_iso_time(at_ns), format_iso_time(now_ns)
    return then[11:16] if then[:10] == now[:10] else f"{int(then[8:10])} {MONTHS[int(then[5:7]) - 1]}"


def shorten_ids(text: str) -> str:
    """Write ids by their names where they are known; else shorten content ids to a beginning that commands accept.

    >>> shorten_ids("ab" * 32), shorten_ids("lighting=dim")
    ('abababababab', 'lighting=dim')
    """
    return ID.sub(lambda found: look_up_name(found[0]) or shorten_content_ids(found[0]), text)


def format_id_for_command(id_: str) -> str:
    """Write an id as a person types it in a command: incident-2, p1, or the id itself."""
    return shorten_ids(id_).replace(" ", "-")


def shorten_content_ids(text: str) -> str:
    """Shorten content ids, also where names are known: to tell apart what has the same name."""
    return HASH.sub(lambda found: found[0][:SHORT], text)


def format_plural(count: int, word: str, plural_word: str = "") -> str:
    """Write a count with its noun.

    >>> format_plural(1, "episode"), format_plural(1200, "outcome"), format_plural(2, "stratum", "strata")
    ('1 episode', '1,200 outcomes', '2 strata')
    """
    return f"{count:,} {word if count == 1 else plural_word or word + 's'}"


def join_names(names: Sequence[Any]) -> str:
    """Write names in a sentence.

    >>> join_names(["bin", "light", "site"]), join_names(["bin"])
    ('bin, light and site', 'bin')
    """
    words = [str(name) for name in names]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def stratum_in_words(stratum: Stratum, without: Iterable[str] = ()) -> str:
    """Write a stratum by factor and level; factors in `without` are left out.

    >>> stratum_in_words(Stratum.of(tier="long_tail", site="a"), ["site"]), stratum_in_words(Stratum())
    ('tier long tail', 'everywhere')
    """
    left_out = set(without)
    shown = [f"{c.factor} {c.level}".replace("_", " ") for c in stratum.conditions if c.factor not in left_out]
    return " · ".join(shown) or "everywhere"


def stratum_text_in_words(stratum_text: str) -> str:
    """Write a stratum that is given as text by factor and level; no text is refused, and factors keep their names.

    >>> stratum_text_in_words("bin=nearly_empty,latency_ms=above 103"), stratum_text_in_words("")
    ('bin nearly empty · latency_ms above 103', 'everywhere')
    """
    parts = (part.partition("=") for part in stratum_text.split(",") if part)
    shown = [f"{factor} {level.replace('_', ' ')}".strip() for factor, _, level in parts]
    return " · ".join(shown) or "everywhere"


def levels_in_words(stratum: Stratum | str, *, without: tuple[str, ...] = ()) -> str:
    """Write a stratum by its levels alone.

    >>> levels_in_words(Stratum.of(tier="long_tail", site="a"), without=("site",)), levels_in_words("tier=long_tail")
    ('long tail', 'long tail')
    """
    known = Stratum.parse(stratum) if isinstance(stratum, str) else stratum
    shown = [c.level.replace("_", " ") for c in known.conditions if c.factor not in without]
    return ", ".join(shown) or "everywhere"
