"""How one task is collected, and the limits its episodes are judged by."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.protocol import layers, parameter
from fieldloop.protocol.balance import Balance, read_balance
from fieldloop.protocol.cells import read_table
from fieldloop.protocol.interface import Interface, read_interface
from fieldloop.protocol.number import (
    FORMERLY,
    OWN_SETTING_KEYS,
    WITHOUT_PROTOCOL,
    Limit,
    Setting,
    read_limit,
    read_setting,
    refuse_other_value_type,
    refuse_unknown_keys,
)
from fieldloop.protocol.phase import Phase, read_phases
from fieldloop.protocol.script import Script, read_script
from fieldloop.protocol.sensor import SensorRequirement, read_declarations, read_sensor
from fieldloop.protocol.synchronisation import Synchronisation
from fieldloop.protocol.viewpoint import Viewpoint, read_viewpoint

SETTINGS = ("task", "episode", "calibration", "annotation")
NAMED = ("sensors", "interface", "edge_cases", "viewpoints", "synchronisation", "balance")
"""Parts whose tables a task names itself."""
PARTS = {"protocol", "check", "phase", *SETTINGS, *NAMED}
NO_NUMBERS = ("why", "source", "verified", FORMERLY, WITHOUT_PROTOCOL)
"""Keys that may change without making another protocol: reasons, records of what was verified, former values.

So may limits for data that name no protocol.
"""


@dataclass(frozen=True, slots=True)
class CollectionProtocol:
    """A protocol in force: the task, its phases, who does what by which interface, sensors, limits, settings."""

    name: str
    version: int
    fingerprint: str
    limits: Mapping[str, Limit]
    sensors: Mapping[str, SensorRequirement]
    settings: Mapping[str, Setting]
    edge_cases: Mapping[str, Script]
    phases: tuple[Phase, ...] = ()
    interfaces: Mapping[str, Interface] = field(default_factory=dict)
    viewpoints: Mapping[str, Viewpoint] = field(default_factory=dict)
    synchronisation: Mapping[str, Synchronisation] = field(default_factory=dict)
    balance: Mapping[str, Balance] = field(default_factory=dict)
    is_own: bool = field(default=False, compare=False, repr=False)
    """Did a person write it for their data, even if it states no number of its own? The shipped one is not."""

    def setting(self, name: str) -> Any:
        """Return the bare value of a setting such as `episode.moving_rad_s`."""
        if name not in self.settings:
            raise UnknownName("setting of the protocol", name, self.settings)
        return self.settings[name].value

    def get_interface_limit(self, interface: str, name: str) -> Limit | None:
        """Return the requirements on an operator who uses this interface; None where there are none."""
        used = self.interfaces.get(interface)
        return used.limits.get(name) if used else None

    @property
    def version_name(self) -> str:
        """Name and version for display."""
        return f"{self.name} v{self.version}"

    @property
    def label(self) -> str:
        """Name, version and fingerprint, as findings and reports show it."""
        return f"{self.version_name} ({self.fingerprint})"


def parse_protocol(text: str, where: str = "protocol") -> CollectionProtocol:
    """Lay a task's protocol over the shipped one; unknown keys, names and other units are refused."""
    return replace(read_protocol_tables(merge_tables_in_force(text, where), where), is_own=bool(text.strip()))


def merge_tables_in_force(text: str, where: str = "protocol") -> dict[str, Any]:
    """Return every table in force: the shipped ones with a task's own laid over them."""
    base, over = layers.join_shipped_protocol(), parse_own_tables(text, where)
    _refuse_unknown_names(base, over, where)
    return layers.overlay_tables(base, over, where)


def parse_own_tables(text: str, where: str = "protocol") -> dict[str, Any]:
    """Return the tables a file states itself; a bare value in the place of a setting or parameter is its value."""
    over = layers.parse_toml(text, where)
    refuse_unknown_keys(where, over, PARTS)
    for part in PARTS - {"phase"}:
        rows = read_table(f"{where}: {part}", over.get(part, {}))
        if part in SETTINGS:
            over |= {part: {key: _get_setting_table(row) for key, row in rows.items()}} if rows else {}
    if get_check_tables(over, where):
        over["check"] = {
            topic: {
                name: parameter.convert_parameters_to_tables(f"{where}: check.{topic}.{name}", row)
                for name, row in rows.items()
            }
            for topic, rows in over["check"].items()
        }
    return over


def read_protocol_tables(tables: Mapping[str, Any], where: str = "protocol") -> CollectionProtocol:
    """Read a whole protocol from its tables."""
    head = tables["protocol"]
    refuse_unknown_keys(f"{where}: [protocol]", head, {"name", "version"})
    if isinstance(head["version"], bool) or not isinstance(head["version"], int) or head["version"] < 1:
        raise ProtocolError(f"{where}: version = {head['version']!r} must be a whole number from 1.")
    sensors = {name: read_sensor(f"{where}: sensors", name, row) for name, row in tables["sensors"].items()}
    shipped = layers.join_shipped_protocol()
    usual = get_check_tables(shipped)
    return CollectionProtocol(
        name=str(head["name"]),
        version=head["version"],
        fingerprint=fingerprint_tables(tables),
        limits={
            name: read_limit(f"{where}: check.{name}", parameter.add_missing_reasons(row, usual.get(name, {})))
            for name, row in get_check_tables(tables, where).items()
        },
        sensors=sensors,
        settings={
            f"{part}.{key}": read_setting(f"{where}: {part}.{key}", row)
            for part in SETTINGS
            for key, row in parameter.add_former_numbers(tables[part], shipped[part]).items()
        },
        edge_cases={n: read_script(f"{where}: edge_cases", n, row) for n, row in tables["edge_cases"].items()},
        phases=read_phases(where, tables["phase"]),
        interfaces={n: read_interface(f"{where}: interface", n, row) for n, row in tables["interface"].items()},
        viewpoints={n: read_viewpoint(f"{where}: viewpoints", n, row) for n, row in tables["viewpoints"].items()},
        synchronisation=read_declarations(f"{where}: synchronisation", tables["synchronisation"], sensors),
        balance={n: read_balance(f"{where}: balance", n, row) for n, row in tables["balance"].items()},
    )


@cache
def default_protocol() -> CollectionProtocol:
    """Return the shipped protocol."""
    return parse_protocol("")


def fingerprint_tables(tables: Mapping[str, Any]) -> str:
    """Name a protocol by what it asks for; the version is left out: the same content judges alike."""
    counted = {key: value for key, value in tables.items() if key != "protocol"}
    return layers.compute_fingerprint(
        _keep_numbers_only({**counted, "check": parameter.reduce_parameters_to_values(tables["check"])})
    )


def get_check_tables(tables: Mapping[str, Any], where: str = "protocol") -> dict[str, Mapping[str, Any]]:
    """Return the tables of limits by the check's name."""
    return {
        f"{topic}.{name}": read_table(f"{where}: check.{topic}.{name}", row)
        for topic, rows in tables.get("check", {}).items()
        for name, row in read_table(f"{where}: check.{topic}", rows).items()
    }


def _get_setting_table(row: Any) -> Any:
    return row if isinstance(row, Mapping) else {"value": row}


def _refuse_unknown_names(base: Mapping[str, Any], over: Mapping[str, Any], where: str) -> None:
    known = get_check_tables(base)
    for name, row in get_check_tables(over, where).items():
        if name not in known:
            raise ProtocolError(f"{where}: {UnknownName('check', name, known)}")
        if WITHOUT_PROTOCOL in row:
            why = f"{WITHOUT_PROTOCOL} is for data that name no protocol, so a protocol cannot state it"
            raise ProtocolError(f"{where}: check.{name}: {why}. State min or max.")
        parameter.refuse_unknown_parameters(f"{where}: check.{name}", row, known[name])
    for part in SETTINGS:
        for key, row in over.get(part, {}).items():
            if key not in base[part]:
                raise ProtocolError(f"{where}: {UnknownName(f'setting of {part}', key, base[part])}")
            refuse_unknown_keys(f"{where}: {part}.{key}", row, OWN_SETTING_KEYS)
            if "value" in row:
                refuse_other_value_type(f"{where}: {part}.{key}", base[part][key]["value"], row["value"])


def _keep_numbers_only(content: Any) -> Any:
    if isinstance(content, Mapping):
        counted = ((k, v) for k, v in content.items() if k not in NO_NUMBERS and not parameter.has_former_value(v))
        return {k: _keep_numbers_only(v) for k, v in counted}
    return [_keep_numbers_only(v) for v in content] if isinstance(content, list) else content
