"""Faults of the picking floor as they are written on a command line."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.simulate.picking.faults import Change, Faults, Starved

NUMBERS = tuple(f.name for f in fields(Faults) if f.type is float or f.type == "float")
KNOWN = (*NUMBERS, "never_shown", "lamp", "mount", "worn")


def parse_faults(words: Iterable[str]) -> Faults:
    """Read `camera_lag_s=0.06`, `never_shown=lighting=dim`, `lamp=harbour@1` (from week 1 on), `worn=harbour-1`.

    >>> parse_faults(["camera_lag_s=0.06", "never_shown=bin=buried"]).starved[0].where
    {'bin': 'buried'}
    """
    numbers: dict[str, Any] = {}
    starved: list[Starved] = []
    changes: list[Change] = []
    worn: list[str] = []
    for word in words:
        name, _, value = word.partition("=")
        if name not in KNOWN or not value:
            known = f"{', '.join(f'{number}=0.05' for number in NUMBERS)}, never_shown=bin=buried, lamp=SITE@WEEK"
            raise BadInput(f"{UnknownName('fault', name, KNOWN)} Write one as: {known}, mount=SITE@WEEK, worn=ROBOT.")
        if name in NUMBERS:
            numbers[name] = _number(name, value)
        elif name == "never_shown":
            factor, _, level = value.partition("=")
            starved.append(Starved({factor: level}))
        elif name == "worn":
            worn.append(value)
        else:
            site, _, week = value.partition("@")
            changes.append(Change(name, site, _number(name, week or "0")))
    return replace(Faults(starved=tuple(starved), changes=tuple(changes), worn_robots=tuple(worn)), **numbers)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as wrong:
        raise BadInput(f"{name}={text}: {text!r} is no number.") from wrong
