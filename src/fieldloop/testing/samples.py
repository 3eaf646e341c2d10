"""A plausible noun of any kind, made from its fields alone: the same number gives the same noun."""

import dataclasses
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note

T = TypeVar("T")


def make_sample_noun(kind: type[T], number: int = 0) -> T:
    """Fill every field of a noun; what is optional is left out for every third number.

    >>> from fieldloop.model.plan import Demand
    >>> make_sample_noun(Demand, 7).stratum
    Stratum(conditions=(Condition(factor='lighting', level='level-7'), Condition(factor='site', level='site-7')))
    """
    made: T = _make_sample_value(kind, kind.__name__.lower(), number)
    return made


def _make_sample_value(kind: Any, name: str, number: int) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Note:
        return note("as_written", text=f"{name} {number}")
    if kind is Stratum:
        return Stratum.of(lighting=f"level-{number}", site=f"site-{number}")
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{f.name: _make_sample_value(hints[f.name], f.name, number) for f in dataclasses.fields(kind)})  # type: ignore[operator]  # a class, never an instance
    if origin in (types.UnionType, Union):
        return None if number % 3 == 2 else _make_sample_value(args[0], name, number)  # noqa: PLR2004 - every third
    if origin is tuple:
        each = args[:1] * 2 if args[-1] is Ellipsis else args
        return tuple(_make_sample_value(k, name, number + i) for i, k in enumerate(each))
    if origin in (dict, Mapping):
        return {_make_sample_value(args[0], name, number): _make_sample_value(args[1], name, number)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        members = list(kind)
        return members[number % len(members)]
    text = "" if name == "set_aside" else f"{name}-{number}"  # an episode in use
    plain = {str: text, int: 1_000 + number, float: number + 0.25, bool: number % 2 == 0}
    return plain[kind]
