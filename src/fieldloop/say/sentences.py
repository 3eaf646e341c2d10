"""From a note to its sentence: templates by code, filled with the note's numbers.

A template is plain text with fields. `{site}` is written as it is. A format after a colon says how:

| field | gives |
|---|---|
| `{attempts:#attempt}` | `1 attempt`, `1,200 attempts`; `{n:#stratum/strata}` where the plural is irregular |
| `{n:is/are}` | a word that agrees with the number |
| `{share:%}`, `{share:.1%}`, `{change:+%}` | `43 %`, `43.2 %`, `+8 %` |
| `{gain:points}`, `{gain:.2points}` | `+4.1`, `+4.12` |
| `{share:share}` | `4.7 %`; `under 0.1 %` where one digit would show 0.0 % |
| `{value:figure}`, `{value:.6figure}` | four digits, six |
| `{p_value:p}` | `p = 0.04` |
| `{wait_s:span}` | `15 min` |
| `{at_ns:moment}`, `{at_ns:day}` | a time, a day (UTC) |
| `{names:list}`, `{names:comma}` | `bin, light and site`, `bin, light, site`; a list may hold notes |
| `{lags_ms:signed}` | `+3, −12`: whole numbers with their sign |
| `{where:place}` | `bin back · lighting dim`, from `bin=back,lighting=dim` |
| `{digest:short}` | the beginning of a content id |

A part in square brackets is left out where one of its fields is empty: `{robot} stopped[ at {place}].`
A value that is itself a note, or a list of notes, is written as its sentences.
"""

import math
import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from fieldloop.errors import UnknownName
from fieldloop.model.finding import FINDING
from fieldloop.model.note import AS_WRITTEN, Note
from fieldloop.say import numbers as write

FIELD = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
RETIRED = "retired"
"""The file of sentences whose codes no room yields any more; ledgers may still hold them, so none is deleted."""
FORMATS: dict[str, Callable[[Any], str]] = {
    "+%": write.signed_percent,
    "p": write.p_value,
    "span": write.format_duration,
    "moment": write.format_time,
    "day": write.day,
    "list": write.join_names,
    "comma": lambda parts: ", ".join(map(str, parts)),
    "signed": lambda parts: ", ".join(map(write.signed, parts)),
    "short": write.shorten_ids,
    "where": write.levels_in_words,
    "share": write.small_share,
    "place": write.stratum_text_in_words,
}
DIGITS: dict[str, tuple[Callable[[Any, int], str], int]] = {
    "points": (write.points, 1),
    "figure": (write.format_number, 4),
    "%": (write.percent, 0),
}
"""Formats that take a number of digits, as in `.2points`, with the usual number."""


def sentence(fact: Note) -> str:
    """Write a fact as plain English, its details behind it.

    >>> from fieldloop.model.note import note
    >>> sentence(note("as_written", text="The wrist camera stopped."))
    'The wrist camera stopped.'
    """
    if fact.code == FINDING:
        from fieldloop.say.findings import message_of

        return message_of(fact)
    return " ".join((_fact_sentence(fact), *map(sentence, fact.details)))


def _fact_sentence(fact: Note) -> str:
    """Write the fact itself; one of another version, whose sentence or numbers are not known here, by code and numbers.

    >>> from fieldloop.model.note import note
    >>> _fact_sentence(note("plan.of_a_later_version", lag_ms=3.0, site="lab"))
    'plan.of_a_later_version (lag_ms 3, site lab)'
    >>> _fact_sentence(note("check.lag_too_wide", lag_ms="three", half_ms=1.0))
    'check.lag_too_wide (lag_ms three, half_ms 1)'
    """
    if fact.code == AS_WRITTEN:
        return str(fact["text"])
    try:
        return fill(template(fact.code), dict(fact.numbers), fact)
    except (UnknownName, KeyError, TypeError, ValueError):
        shown = ", ".join(f"{name} {_format_value(value, '')}" for name, value in fact.numbers)
        return f"{fact.code} ({shown})" if shown else fact.code


def details(fact: Note) -> str:
    """Write only what explains a fact, where a table shows the fact itself; the whole where nothing explains it.

    >>> from fieldloop.model.note import note
    >>> details(note("as_written", note("as_written", text="The light failed."), text="3 attempts failed."))
    'The light failed.'
    """
    return " ".join(map(sentence, fact.details)) or sentence(fact)


def template(code: str) -> str:
    """Return the sentence of a code, with its fields unfilled."""
    known = _read_templates(code.partition(".")[0]) | _read_templates(RETIRED)
    if code not in known:
        raise UnknownName("code", code, known)
    return known[code]


def codes() -> dict[str, str]:
    """Return every code in use with its template, sorted."""
    rooms = sorted(entry.name.removesuffix(".toml") for entry in files("fieldloop.say").joinpath("en").iterdir())
    return {code: text for room in rooms if room != RETIRED for code, text in sorted(_read_templates(room).items())}


def codes_of(room: str) -> dict[str, str]:
    """Return the codes of one file with their templates."""
    return _read_templates(room)


def fill(text: str, values: dict[str, Any], fact: Note | None = None) -> str:
    """Fill a template.

    >>> fill("{n:#site} {n:has/have} no set[: {names:list}].", {"n": 1, "names": ()})
    '1 site has no set.'
    >>> fill("{n:#site} {n:has/have} no set[: {names:list}].", {"n": 2, "names": ("gdansk", "lab")})
    '2 sites have no set: gdansk and lab.'
    """
    if fact is not None and fact.subject:
        values = {"subject": str(fact.subject)} | fact.subject.written() | values

    def optional(part: re.Match[str]) -> str:
        return part[1] if all(_is_given(values.get(name)) for name, _ in FIELD.findall(part[1])) else ""

    def field(part: re.Match[str]) -> str:
        if part[1] not in values:
            raise KeyError(f"{part[1]} is missing: {text!r}")
        value = values[part[1]]
        unknown = value is None or (isinstance(value, float) and not math.isfinite(value))
        return write.NONE if unknown else _format_value(value, part[2] or "")

    return FIELD.sub(field, OPTIONAL.sub(optional, text))


def _is_given(value: Any) -> bool:
    return value is not None and value not in ("", ())


def _format_value(value: Any, form: str) -> str:
    if isinstance(value, Note):
        return sentence(value)
    if form.startswith("#"):
        word, _, many = form[1:].partition("/")
        return write.plural(value, word, many)
    if isinstance(value, tuple):
        value = tuple(sentence(part) if isinstance(part, Note) else part for part in value)
    if form in FORMATS:
        return FORMATS[form](value)
    for ending, (write_share, usual) in DIGITS.items():
        if form.endswith(ending):
            digits = form.removesuffix(ending).removeprefix(".")
            return write_share(value, int(digits) if digits else usual)
    if "/" in form:
        one, _, many = form.partition("/")
        return one if value == 1 else many
    if isinstance(value, float):
        return format(value, form).replace("-", write.MINUS) if form else write.format_number(value)
    if isinstance(value, tuple):
        return write.join_names(value)
    return format(value, form)


@cache
def _read_templates(room: str) -> dict[str, str]:
    entry = files("fieldloop.say").joinpath("en", f"{room}.toml")
    if not entry.is_file():
        raise UnknownName("code", room, [e.name.removesuffix(".toml") for e in entry.parent.iterdir()])  # type: ignore[attr-defined]  # a Traversable on disk is a Path
    found: dict[str, str] = tomllib.loads(entry.read_text(encoding="utf-8"))
    return found
