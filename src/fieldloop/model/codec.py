"""Serialisation of nouns: dataclass ⇄ plain JSON values."""

import dataclasses
import functools
import math
import types
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, Subject, convert_note_to_plain, read_note
from fieldloop.model.stream import NS_PER_S

T = TypeVar("T")


OWN_FORM: dict[Any, Callable[[Any], Any]] = {Stratum: Stratum.parse, Note: read_note}
"""Readers of nouns with a special serialised form."""
WRITTEN: dict[Any, Callable[[Any], Any]] = {
    Stratum: str,
    Subject: Subject.to_plain,
    Note: lambda fact: convert_note_to_plain(fact, to_plain),
}
"""Writers of nouns with a special serialised form."""


def to_plain(value: Any) -> Any:
    """Convert nouns, enums and tuples to values that `json` can write; numbers that are not finite become null.

    >>> to_plain(Stratum.of(lighting="dim"))
    'lighting=dim'
    """
    if type(value) in WRITTEN:
        return WRITTEN[type(value)](value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(to_plain(k)): to_plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no NaN; null stands for a missing number
    if hasattr(value, "tolist"):
        return to_plain(value.tolist())
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def from_plain(kind: type[T], raw: Any) -> T:
    """Build a noun from its plain form; unknown fields are ignored, missing ones take their default."""
    build: Callable[[Any], T] = _get_type_reader(cast("Any", kind))
    return build(raw)


def format_iso_time(at_ns: int) -> str:
    """Write a time as ISO-8601 UTC, to the microsecond.

    >>> format_iso_time(1_700_000_000_123_456_789)
    '2023-11-14T22:13:20.123456Z'
    """
    seconds, rest = divmod(at_ns, NS_PER_S)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{rest // 1000:06d}Z"


@functools.cache
def _get_type_reader(kind: Any) -> Callable[[Any], Any]:
    """Return the reader of one type, cached: a catalogue has a hundred thousand nouns."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in OWN_FORM:
        return OWN_FORM[kind]
    if dataclasses.is_dataclass(kind):
        return functools.partial(_build_noun, kind)
    if origin in (types.UnionType, Union):
        held = _get_type_reader(next(a for a in args if a is not type(None)))
        return lambda raw: None if raw is None else held(raw)
    if origin is tuple and args[-1] is Ellipsis:
        each = _get_type_reader(args[0])
        return lambda raw: tuple([each(one) for one in raw])
    if origin is tuple:
        several = [_get_type_reader(arg) for arg in args]
        return lambda raw: tuple([build(one) for build, one in zip(several, raw, strict=True)])
    if origin in (dict, Mapping):
        name, value = map(_get_type_reader, args)
        return lambda raw: {name(key): value(one) for key, one in raw.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return _read_number if kind is float else _return_unchanged


def _read_number(raw: Any) -> float:
    return math.nan if raw is None else float(raw)


def _return_unchanged(raw: Any) -> Any:
    return raw


@functools.cache
def _list_field_readers(kind: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    hints = get_type_hints(kind)
    return tuple((f.name, _get_type_reader(hints[f.name])) for f in dataclasses.fields(kind))


def _build_noun(kind: Any, raw: Any) -> Any:
    if hasattr(kind, "from_older"):
        raw = kind.from_older(raw)  # a noun whose written form has changed reads the older one itself
    given = {name: build(raw[name]) for name, build in _list_field_readers(kind) if name in raw}
    try:
        return kind(**given)
    except TypeError as wrong:
        raise BadInput(f"{kind.__name__} cannot be read from {sorted(raw)}: {wrong}.") from wrong
