"""One number with its unit, its reason and its source."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName

Value = float | int | str | bool | tuple[float, ...] | tuple[str, ...]


class SourceKind(StrEnum):
    """How well a number is founded; `assumed` is honest, and that list should shrink."""

    SPEC = "spec"
    STANDARD = "standard"
    PAPER = "paper"
    VENDOR = "vendor"
    MEASURED = "measured"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number comes from."""

    kind: SourceKind
    ref: str


@dataclass(frozen=True, slots=True)
class Limit:
    """The closed interval a check's measurement must fall in.

    `parameters` change what is measured (a window, a tolerance); `pending` marks a limit whose check is not built yet.
    """

    unit: str
    why: str
    source: Source
    minimum: float | None = None
    maximum: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    required: bool = False
    pending: bool = False

    def admits(self, value: float) -> bool:
        """Is this value inside? A number that is not finite never is."""
        if not math.isfinite(value):
            return False
        return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)

    def __str__(self) -> str:
        """Say the interval in words.

        >>> source = Source(SourceKind.ASSUMED, "")
        >>> str(Limit("ms", "", source, maximum=5.0)), str(Limit("s", "", source, minimum=5.0, maximum=60.0))
        ('at most 5 ms', '5 to 60 s')
        """
        match self.minimum, self.maximum:
            case None, None:
                return "no limit"
            case None, high:
                return f"at most {high:g} {self.unit}"
            case low, None:
                return f"at least {low:g} {self.unit}"
            case low, high:
                return f"{low:g} to {high:g} {self.unit}"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that something is run by."""

    value: Value
    unit: str
    why: str
    source: Source


LIMIT_KEYS = {"unit", "min", "max", "why", "source", "parameters", "required", "pending"}
SETTING_KEYS = {"value", "unit", "why", "source"}


def read_limit(name: str, row: Mapping[str, Any]) -> Limit:
    """Read one `[check.…]` table."""
    refuse_unknown_keys(name, row, LIMIT_KEYS)
    for bound in ("min", "max"):
        if bound in row and not isinstance(row[bound], int | float):
            raise ProtocolError(f"{name}: {bound} = {row[bound]!r} is not a number.")
    low, high = row.get("min"), row.get("max")
    if low is None and high is None:
        raise ProtocolError(f"{name}: neither min nor max is given, so nothing could ever fail.")
    if low is not None and high is not None and low > high:
        raise ProtocolError(f"{name}: min {low} is above max {high}.")
    return Limit(
        unit=_text(name, row, "unit"),
        why=_text(name, row, "why"),
        source=read_source(name, row),
        minimum=None if low is None else float(low),
        maximum=None if high is None else float(high),
        parameters={k: float(v) for k, v in row.get("parameters", {}).items()},
        required=bool(row.get("required", False)),
        pending=bool(row.get("pending", False)),
    )


def read_setting(name: str, row: Mapping[str, Any]) -> Setting:
    """Read one `[section.name]` table with a value."""
    refuse_unknown_keys(name, row, SETTING_KEYS)
    if "value" not in row:
        raise ProtocolError(f"{name}: no value is given.")
    value = tuple(row["value"]) if isinstance(row["value"], list) else row["value"]
    return Setting(value, _text(name, row, "unit"), _text(name, row, "why"), read_source(name, row))


def read_source(name: str, row: Mapping[str, Any]) -> Source:
    """Read `source = { kind, ref }`."""
    raw = row.get("source")
    if not isinstance(raw, Mapping) or set(raw) != {"kind", "ref"}:
        raise ProtocolError(f"{name}: source must be {{ kind = …, ref = … }}, so that people know where it comes from.")
    try:
        return Source(SourceKind(raw["kind"]), str(raw["ref"]))
    except ValueError:
        raise ProtocolError(f"{name}: {UnknownName('kind of source', str(raw['kind']), list(SourceKind))}") from None


def refuse_unknown_keys(name: str, row: Mapping[str, Any], known: Iterable[str]) -> None:
    """A misspelt key would otherwise be a limit that silently is not there."""
    known = set(known)
    for key in row:
        if key not in known:
            raise ProtocolError(f"{name}: {UnknownName('key', key, known)} Known: {', '.join(sorted(known))}.")


def _text(name: str, row: Mapping[str, Any], key: str) -> str:
    if not isinstance(row.get(key), str) or not row[key].strip():
        raise ProtocolError(f"{name}: {key} is missing.")
    return str(row[key])
