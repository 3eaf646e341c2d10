"""One number with its unit, its reason and its source."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.model.unit import write_limit_in_words
from fieldloop.protocol.cells import read_table, read_true_or_false

Value = float | int | str | bool | tuple[float, ...] | tuple[str, ...]


FORMERLY = "formerly"
"""The key of the value that a number had in code; only shipped files have it."""

STATED = "{:.12g}".format
"""Writes a number with all the digits that a person stated."""

USUAL_COST = 0.3
"""Default cost of a failure in ranking episodes; it does not affect verdicts."""


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
class Parameter:
    """A number that changes what a check measures: a window, a tolerance. For `formerly` see `Setting`."""

    value: float
    unit: str
    why: str
    source: Source
    formerly: float | None = None

    @property
    def is_as_before(self) -> bool:
        """Does it have the value that it had in code?"""
        return self.value == self.formerly


@dataclass(frozen=True, slots=True)
class Limit:
    """The closed interval a check's measurement must fall in.

    `parameters` change what is measured; `pending` marks a limit whose check is not built yet.
    `required`: an answer is asked for (true), never asked for (false), or asked for where the stream it is about is.
    `cost` is the share of an episode's worth for learning that a failure takes: it ranks, it does not judge.
    `without_protocol` is the limit for data that name no protocol: beyond it no reading explains the number. None: such
    data cannot fail the check.
    """

    unit: str
    why: str
    source: Source
    minimum: float | None = None
    maximum: float | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    required: bool | None = None
    pending: bool = False
    cost: float = USUAL_COST
    without_protocol: "Limit | None" = None

    def get_parameter(self, name: str) -> float:
        """Return the bare value of a parameter."""
        if name not in self.parameters:
            raise UnknownName("parameter", name, self.parameters)
        return self.parameters[name].value

    def replace_parameters(self, **values: float) -> "Limit":
        """Return the same limit with other values of some parameters, for what-if questions and tests."""
        changed = dict(self.parameters)
        for name, value in values.items():
            if name not in changed:
                raise UnknownName("parameter", name, changed)
            changed[name] = replace(changed[name], value=float(value))
        return replace(self, parameters=changed)

    def admits(self, value: float) -> bool:
        """Is this value inside? A number that is not finite never is."""
        if not math.isfinite(value):
            return False
        return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)

    def __str__(self) -> str:
        """Write the interval with its unit and all its digits, as `say.numbers.limit` does; shares in percent.

        >>> source = Source(SourceKind.ASSUMED, "")
        >>> str(Limit("ms", "", source, maximum=5.0)), str(Limit("s", "", source, minimum=5.0, maximum=60.0))
        ('at most 5 ms', '5 to 60 s')
        >>> str(Limit("share of frames", "", source, maximum=0.02))
        'at most 2 % of frames'
        """
        return write_limit_in_words(self.minimum, self.maximum, self.unit, STATED)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that something is run by; `pending` marks one that is declared, but that nothing uses yet.

    `formerly` is the value that a number had in code before it had a place here. At that value it does not count in
    fingerprints: decisions, locks and measurements made before stay valid.
    """

    value: Value
    unit: str
    why: str
    source: Source
    pending: bool = False
    formerly: Value | None = None

    @property
    def is_as_before(self) -> bool:
        """Does it have the value that it had in code?"""
        return self.value == self.formerly


WITHOUT_PROTOCOL = "without_protocol"
"""The key of the limit for data that name no protocol; only shipped files have it."""

LIMIT_KEYS = {"unit", "min", "max", "why", "source", "parameters", "required", "pending", "cost", WITHOUT_PROTOCOL}
SETTING_KEYS = {"value", "unit", "why", "source", "pending", FORMERLY}
PARAMETER_KEYS = {"value", "unit", "why", "source", FORMERLY}
OWN_SETTING_KEYS, OWN_PARAMETER_KEYS = SETTING_KEYS - {FORMERLY}, PARAMETER_KEYS - {FORMERLY}
"""What a team's own file may state."""


NO_REASON = {"unit": "1", "why": "Not recorded.", "source": {"kind": "assumed", "ref": "not recorded"}}


def read_limit(name: str, row: Mapping[str, Any]) -> Limit:
    """Read one `[check.…]` table."""
    refuse_unknown_keys(name, row, LIMIT_KEYS)
    for bound in ("min", "max"):
        if bound in row and not _is_number(row[bound]):
            raise ProtocolError(f"{name}: {bound} = {row[bound]!r} is not a number.")
    low, high = row.get("min"), row.get("max")
    if low is None and high is None:
        raise ProtocolError(f"{name}: neither min nor max is given, so the check could never fail.")
    if low is not None and high is not None and low > high:
        raise ProtocolError(f"{name}: min {low} is above max {high}.")
    return Limit(
        unit=_read_text(name, row, "unit"),
        why=_read_text(name, row, "why"),
        source=read_source(name, row),
        minimum=None if low is None else float(low),
        maximum=None if high is None else float(high),
        parameters=_read_parameters(name, row),
        required=read_true_or_false(name, row, "required") if "required" in row else None,
        pending=read_true_or_false(name, row, "pending"),
        cost=_read_cost(name, row),
        without_protocol=_read_limit_without_protocol(name, row),
    )


def _read_limit_without_protocol(name: str, row: Mapping[str, Any]) -> Limit | None:
    if WITHOUT_PROTOCOL not in row:
        return None
    place = f"{name}.{WITHOUT_PROTOCOL}"
    own = read_table(place, row[WITHOUT_PROTOCOL])
    refuse_unknown_keys(place, own, {"min", "max", "why", "source"})
    return read_limit(place, {"unit": row.get("unit"), **own})


def _read_parameters(name: str, row: Mapping[str, Any]) -> dict[str, Parameter]:
    given = read_table(f"{name}.parameters", row.get("parameters", {}))
    return {key: _read_parameter(name, key, value) for key, value in given.items()}


def _read_parameter(name: str, key: str, given: Any) -> Parameter:
    """Read one parameter; a bare number was locked before parameters had a unit and a reason."""
    row = given if isinstance(given, Mapping) else {"value": given, **NO_REASON}
    place, value = f"{name}.parameters.{key}", row.get("value")
    refuse_unknown_keys(place, row, PARAMETER_KEYS)
    if not _is_number(value):
        raise ProtocolError(f"{name}: the parameter {key} = {value!r} is not a number.")
    before = row.get(FORMERLY)
    return Parameter(
        value=float(row["value"]),
        unit=_read_text(place, row, "unit"),
        why=_read_text(place, row, "why"),
        source=read_source(place, row),
        formerly=None if before is None else float(before),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _read_cost(name: str, row: Mapping[str, Any]) -> float:
    cost = row.get("cost", USUAL_COST)
    if not _is_number(cost) or not 0 <= cost <= 1:
        raise ProtocolError(f"{name}: cost = {cost!r} must be a share from 0 to 1.")
    return float(cost)


def read_setting(name: str, row: Mapping[str, Any]) -> Setting:
    """Read one `[section.name]` table with a value."""
    refuse_unknown_keys(name, row, SETTING_KEYS)
    if "value" not in row:
        raise ProtocolError(f"{name}: no value is given.")
    value = tuple(row["value"]) if isinstance(row["value"], list) else row["value"]
    unit, why, source = _read_text(name, row, "unit"), _read_text(name, row, "why"), read_source(name, row)
    before = row.get(FORMERLY)
    before = tuple(before) if isinstance(before, list) else before
    return Setting(value, unit, why, source, read_true_or_false(name, row, "pending"), before)


def read_source(name: str, row: Mapping[str, Any]) -> Source:
    """Read `source = { kind, ref }`."""
    raw = row.get("source")
    if not isinstance(raw, Mapping) or set(raw) != {"kind", "ref"}:
        raise ProtocolError(
            f"{name}: source must be {{ kind = …, ref = … }}, so that people know where the number comes from."
        )
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


def refuse_other_value_type(name: str, default: Any, given: Any) -> None:
    """Text where a number is usual, or a number where a list is, would only be noticed when it is used."""
    numbers = (int, float)
    if (
        isinstance(default, numbers)
        and isinstance(given, numbers)
        and isinstance(default, bool) is isinstance(given, bool)
    ):
        return
    if type(default) is not type(given):
        raise ProtocolError(f"{name}: {given!r} should be of the same kind as the default, {default!r}.")


def _read_text(name: str, row: Mapping[str, Any], key: str) -> str:
    if not isinstance(row.get(key), str) or not row[key].strip():
        raise ProtocolError(f"{name}: {key} is missing.")
    return str(row[key])
