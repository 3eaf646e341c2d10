"""From a note to its sentence: templates by code, filled with the note's numbers.

A template is plain text with fields. `{site}` is written as it is. A name after a colon says how; `say.numbers` defines
each form, so that a template holds no format of Python's:

| field | gives |
|---|---|
| `{attempts:#attempt}` | `1 attempt`, `1,200 attempts`; `{n:#stratum/strata}` where the plural is irregular |
| `{n:is/are}` | a word that agrees with the number |
| `{n:whole}` | `1,200`: a count, or a number rounded to a whole |
| `{off_mm:rounded}` | three digits, for what was estimated: `28.6` |
| `{value:figure}`, `{limit:exact}` | four digits; every digit, for what a person stated |
| `{loss_points:tenths}` | `4.1`: one digit behind the point |
| `{lag_ms:signed}` | `+3.4`, `−12`: three digits with the sign; a list too |
| `{at_s:seconds}`, `{at_s:milliseconds}` | a time within an episode: `12.30`, `12.304` |
| `{share:percent}`, `{share:share}`, `{level:fine_percent}` | `43 %`; `4.7 %` or `under 0.1 %`; `98.75 %` |
| `{ratio:change}` | `+8 %` |
| `{gain:points}`, `{gain:fine_points}` | `+4.1`, `+4.12` |
| `{p_value:p}` | `p = 0.04` |
| `{at_ns:moment}` | a time (UTC) |
| `{names:list}`, `{names:comma}` | `bin, light and site`, `bin, light, site`; a list may hold notes |
| `{where:place}` | `bin back · lighting dim`, from `bin=back,lighting=dim` |
| `{digest:short}` | the beginning of a content id |
| `{status:words}` | `cannot tell`, from `cannot_tell` |

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
FORMS: dict[str, Callable[[Any], str]] = {
    "whole": write.format_count,
    "rounded": write.format_estimate,
    "figure": write.format_number,
    "exact": write.format_exact,
    "tenths": write.format_tenths,
    "signed": lambda value: ", ".join(map(write.format_signed, value if isinstance(value, tuple) else (value,))),
    "seconds": write.format_seconds,
    "milliseconds": write.format_milliseconds,
    "percent": write.format_whole_percent,
    "share": write.format_small_share,
    "fine_percent": write.format_fine_percent,
    "change": write.format_signed_percent,
    "points": write.format_points,
    "fine_points": write.format_fine_points,
    "p": write.format_p_value,
    "moment": write.format_time,
    "list": write.join_names,
    "comma": lambda parts: ", ".join(map(str, parts)),
    "short": write.shorten_ids,
    "place": write.stratum_text_in_words,
    "words": lambda name: str(name).replace("_", " "),
}
"""Every form by name; tests hold that sentences use no other."""


def write_sentence(fact: Note) -> str:
    """Write a fact as plain English, its details behind it.

    >>> from fieldloop.model.note import note
    >>> write_sentence(note("as_written", text="The wrist camera stopped."))
    'The wrist camera stopped.'
    """
    if fact.code == FINDING:
        from fieldloop.say.findings import write_finding_of_note

        return write_finding_of_note(fact)
    return " ".join((_write_fact_sentence(fact), *map(write_sentence, fact.details)))


def _write_fact_sentence(fact: Note) -> str:
    """Write the fact itself; one of another version, whose sentence or numbers are not known here, by code and numbers.

    >>> from fieldloop.model.note import note
    >>> _write_fact_sentence(note("plan.of_a_later_version", lag_ms=3.0, site="lab"))
    'plan.of_a_later_version (lag_ms 3, site lab)'
    >>> _write_fact_sentence(note("check.findings_cost", episodes=3, share="half"))
    'check.findings_cost (episodes 3, share half)'
    """
    if fact.code == AS_WRITTEN:
        return str(fact["text"])
    try:
        return fill_template(get_template(fact.code), dict(fact.numbers), fact)
    except (UnknownName, KeyError, TypeError, ValueError):
        shown = ", ".join(f"{name} {_format_value(value, '')}" for name, value in fact.numbers)
        return f"{fact.code} ({shown})" if shown else fact.code


def write_details(fact: Note) -> str:
    """Write only what explains a fact, where a table shows the fact itself; the whole where nothing explains it.

    >>> from fieldloop.model.note import note
    >>> write_details(note("as_written", note("as_written", text="The light failed."), text="3 attempts failed."))
    'The light failed.'
    """
    return " ".join(map(write_sentence, fact.details)) or write_sentence(fact)


def get_template(code: str) -> str:
    """Return the sentence of a code, with its fields unfilled."""
    known = _read_templates(code.partition(".")[0]) | _read_templates(RETIRED)
    if code not in known:
        raise UnknownName("code", code, known)
    return known[code]


def list_codes() -> dict[str, str]:
    """Return every code in use with its template, sorted."""
    rooms = sorted(entry.name.removesuffix(".toml") for entry in files("fieldloop.say").joinpath("en").iterdir())
    return {code: text for room in rooms if room != RETIRED for code, text in sorted(_read_templates(room).items())}


def list_room_codes(room: str) -> dict[str, str]:
    """Return the codes of one file with their templates."""
    return _read_templates(room)


def fill_template(text: str, values: dict[str, Any], fact: Note | None = None) -> str:
    """Fill a template.

    >>> fill_template("{n:#site} {n:has/have} no set[: {names:list}].", {"n": 1, "names": ()})
    '1 site has no set.'
    >>> fill_template("{n:#site} {n:has/have} no set[: {names:list}].", {"n": 2, "names": ("gdansk", "lab")})
    '2 sites have no set: gdansk and lab.'
    """
    if fact is not None and fact.subject:
        values = {"subject": str(fact.subject)} | fact.subject.to_plain() | values

    def fill_optional_part(part: re.Match[str]) -> str:
        return part[1] if all(_is_given(values.get(name)) for name, _ in FIELD.findall(part[1])) else ""

    def fill_field(part: re.Match[str]) -> str:
        if part[1] not in values:
            raise KeyError(f"{part[1]} is missing: {text!r}")
        value = values[part[1]]
        unknown = value is None or (isinstance(value, float) and not math.isfinite(value))
        return write.NONE if unknown else _format_value(value, part[2] or "")

    return FIELD.sub(fill_field, OPTIONAL.sub(fill_optional_part, text))


def _is_given(value: Any) -> bool:
    return value is not None and value not in ("", ())


def _format_value(value: Any, form: str) -> str:
    if isinstance(value, Note):
        return write_sentence(value)
    if form.startswith("#"):
        word, _, many = form[1:].partition("/")
        return write.format_plural(value, word, many)
    if isinstance(value, tuple):
        value = tuple(write_sentence(part) if isinstance(part, Note) else part for part in value)
    if form in FORMS:
        return FORMS[form](value)
    if "/" in form:
        one, _, many = form.partition("/")
        return one if value == 1 else many
    if form:
        raise UnknownName("form", form, FORMS)
    if isinstance(value, tuple):
        return write.join_names(value)
    return write.format_number(value) if isinstance(value, float) else str(value)


@cache
def _read_templates(room: str) -> dict[str, str]:
    entry = files("fieldloop.say").joinpath("en", f"{room}.toml")
    if not entry.is_file():
        raise UnknownName("code", room, [e.name.removesuffix(".toml") for e in entry.parent.iterdir()])  # type: ignore[attr-defined]  # a Traversable on disk is a Path
    found: dict[str, str] = tomllib.loads(entry.read_text(encoding="utf-8"))
    return found
