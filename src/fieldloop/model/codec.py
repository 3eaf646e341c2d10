"""The written form of nouns: dataclass ⇄ plain JSON values. The only place that knows it."""

import dataclasses
import functools
import math
import types
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import NS_PER_S

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Turn nouns, enums and tuples into what `json` can write; numbers that are not finite become null.

    >>> to_plain(Stratum.of(lighting="dim"))
    'lighting=dim'
    """
    if isinstance(value, Stratum):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(to_plain(k)): to_plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no NaN; a reader that meets null knows that there is no number
    if hasattr(value, "tolist"):
        return to_plain(value.tolist())
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def from_plain(kind: type[T], raw: Any) -> T:
    """Build a noun from its plain form; unknown fields are ignored, missing ones take their default."""
    return _build(kind, raw)  # type: ignore[no-any-return]


def iso(at_ns: int) -> str:
    """Write a time as ISO-8601 UTC, to the microsecond.

    >>> iso(1_700_000_000_123_456_789)
    '2023-11-14T22:13:20.123456Z'
    """
    seconds, rest = divmod(at_ns, NS_PER_S)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{rest // 1000:06d}Z"


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _build(kind: Any, raw: Any) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Stratum:
        return Stratum.parse(raw)
    if dataclasses.is_dataclass(kind):
        return _build_noun(kind, raw)
    if origin in (types.UnionType, Union):
        return None if raw is None else _build(next(a for a in args if a is not type(None)), raw)
    if origin is tuple:
        each = args[:1] * len(raw) if args[-1] is Ellipsis else args
        return tuple(_build(k, r) for k, r in zip(each, raw, strict=True))
    if origin in (dict, Mapping):
        return {_build(args[0], key): _build(args[1], held) for key, held in raw.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(raw)
    if kind is float and raw is None:
        return math.nan
    return float(raw) if kind is float else raw


def _build_noun(kind: Any, raw: Any) -> Any:
    hints = _hints(kind)
    given = {f.name: _build(hints[f.name], raw[f.name]) for f in dataclasses.fields(kind) if f.name in raw}
    try:
        return kind(**given)
    except TypeError as wrong:
        raise BadInput(f"{kind.__name__} cannot be read from {sorted(raw)}: {wrong}.") from wrong
