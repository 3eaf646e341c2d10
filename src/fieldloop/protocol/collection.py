"""How one task is collected, and the limits its episodes are judged by."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.protocol import layers
from fieldloop.protocol.number import Limit, Setting, read_limit, read_setting, refuse_unknown_keys

PARTS = {"protocol", "check", "sensors", "task", "episode", "operators", "calibration", "annotation", "edge_cases"}
SETTINGS = ("task", "episode", "operators", "calibration", "annotation")


@dataclass(frozen=True, slots=True)
class SensorRequirement:
    """A stream that must be there, and what is asked of it."""

    stream: str
    kind: str
    required: bool
    hz: float | None = None
    width: int | None = None
    height: int | None = None
    synchronised_by: str = ""


@dataclass(frozen=True, slots=True)
class CollectionProtocol:
    """A protocol in force: version, limits by check name, sensors, settings by part, edge-case scripts."""

    name: str
    version: int
    fingerprint: str
    limits: Mapping[str, Limit]
    sensors: Mapping[str, SensorRequirement]
    settings: Mapping[str, Setting]
    edge_cases: Mapping[str, str]

    def setting(self, name: str) -> Any:
        """Return the bare value of a setting such as `episode.pre_roll`."""
        if name not in self.settings:
            raise UnknownName("setting of the protocol", name, self.settings)
        return self.settings[name].value

    @property
    def label(self) -> str:
        """Name, version and fingerprint, as findings and reports show it."""
        return f"{self.name} v{self.version} ({self.fingerprint})"


def parse_protocol(text: str, where: str = "protocol") -> CollectionProtocol:
    """Lay a task's protocol over the shipped one; unknown keys, names and other units are refused."""
    base, over = layers.shipped_protocol(), layers.load(text, where)
    refuse_unknown_keys(where, over, PARTS)
    _refuse_unknown_names(base, over, where)
    merged = layers.overlay(base, over, where)
    head = merged["protocol"]
    refuse_unknown_keys(f"{where}: [protocol]", head, {"name", "version"})
    if not isinstance(head["version"], int) or head["version"] < 1:
        raise ProtocolError(f"{where}: version = {head['version']!r} must be a whole number from 1.")
    limits = {name: read_limit(f"{where}: check.{name}", row) for name, row in _checks(merged).items()}
    settings = {
        f"{part}.{key}": read_setting(f"{where}: {part}.{key}", row)
        for part in SETTINGS
        for key, row in merged[part].items()
    }
    # the version is left out: a new version with the same numbers judges alike
    content = {key: value for key, value in merged.items() if key != "protocol"}
    return CollectionProtocol(
        name=str(head["name"]),
        version=head["version"],
        fingerprint=layers.fingerprint(_numbers_only(content)),
        limits=limits,
        sensors={name: _sensor(f"{where}: sensors", name, row) for name, row in merged["sensors"].items()},
        settings=settings,
        edge_cases={name: str(script) for name, script in merged["edge_cases"].items()},
    )


@cache
def default_protocol() -> CollectionProtocol:
    """Return the shipped protocol."""
    return parse_protocol("")


def _checks(merged: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{topic}.{name}": row for topic, rows in merged["check"].items() for name, row in rows.items()}


def _refuse_unknown_names(base: Mapping[str, Any], over: Mapping[str, Any], where: str) -> None:
    known = _checks(base)
    for name in _checks({"check": over.get("check", {})}):
        if name not in known:
            raise ProtocolError(f"{where}: {UnknownName('check', name, known)}")
    for part in SETTINGS:
        for key in over.get(part, {}):
            if key not in base[part]:
                raise ProtocolError(f"{where}: {UnknownName(f'setting of {part}', key, base[part])}")


def _sensor(where: str, name: str, row: Mapping[str, Any]) -> SensorRequirement:
    refuse_unknown_keys(f"{where}.{name}", row, {"kind", "required", "hz", "width", "height", "synchronised_by"})
    if "kind" not in row:
        raise ProtocolError(f"{where}.{name}: kind is missing.")
    return SensorRequirement(
        name, row["kind"], bool(row.get("required", False)), row.get("hz"), row.get("width"), row.get("height"),
        row.get("synchronised_by", ""),
    )  # fmt: skip


def _numbers_only(content: Any) -> Any:
    """Reasons and sources may be reworded without making another protocol."""
    if isinstance(content, Mapping):
        return {k: _numbers_only(v) for k, v in content.items() if k not in ("why", "source")}
    return content
