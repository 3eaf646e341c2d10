"""Parse faults of the simulated picking floor, as they are written on a command line."""

import math
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.say.numbers import format_number
from fieldloop.simulate.picking.faults import Change, Faults, Starved

NUMBERS = tuple(f.name for f in fields(Faults) if f.type is float or f.type == "float")
LARGEST = {
    "camera_lag_s": 0.5,
    "run_lag_s": 0.5,
    "latency_s": 1.0,
    "label_noise": 1.0,
    "simulated_share": 1.0,
    "extra_cycles": 1e6,
}
"""Larger values are typing errors: an approach lasts about a second, gripper pads last some 50,000 cycles."""
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
            numbers[name] = refuse_beyond_range(name, _parse_number(name, value), LARGEST[name])
        elif name == "never_shown":
            factor, _, level = value.partition("=")
            starved.append(Starved({factor: level}))
        elif name == "worn":
            worn.append(value)
        else:
            site, _, week = value.partition("@")
            changes.append(Change(name, site, refuse_beyond_range(f"{name}=…@WEEK", _parse_number(name, week or "0"))))
    return replace(Faults(starved=tuple(starved), changes=tuple(changes), worn_robots=tuple(worn)), **numbers)


def refuse_beyond_range(name: str, value: float, largest: float = math.inf) -> float:
    """Return a fault's size; refuse one outside its range and name the range."""
    if not 0.0 <= value <= largest or math.isinf(value):
        most = f"to {format_number(largest, 6)}" if math.isfinite(largest) else "up"
        seconds = ", in seconds" if name.endswith("_s") else ""
        given = format_number(value, 6) if math.isfinite(value) else value
        raise BadInput(f"{name} = {given} is out of range: from 0 {most}{seconds}.")
    return value


def _parse_number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as wrong:
        raise BadInput(f"{name}={text}: {text!r} is not a number.") from wrong
