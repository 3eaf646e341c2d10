"""What the person who demonstrates reads before the first episode, by control interface."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.protocol.cells import read_line, read_lines, read_table
from fieldloop.protocol.number import Limit, read_limit, refuse_unknown_keys

LIMIT_UNITS = {"tool_speed": "m/s", "turn_speed": "rad/s", "joint_speed": "rad/s", "grasp_pause": "s"}
"""What may be limited by interface, and the unit in which a check measures it."""


@dataclass(frozen=True, slots=True)
class Interface:
    """One way to move the robot: what to do in order, what never, how to recover, and what a check holds it to."""

    name: str
    steps: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    grip: str = ""
    recovery: str = ""
    limits: Mapping[str, Limit] = field(default_factory=dict)


def read_interface(where: str, name: str, raw: Any) -> Interface:
    """Read one `[interface.name]` table with its `limits`."""
    where = f"{where}.{name}"
    row = read_table(where, raw)
    refuse_unknown_keys(where, row, {"steps", "never", "grip", "recovery", "limits"})
    limits = {
        limited: _read_limit(f"{where}.limits.{limited}", limited, rule)
        for limited, rule in read_table(f"{where}.limits", row.get("limits", {})).items()
    }
    return Interface(
        name, read_lines(where, row, "steps"), read_lines(where, row, "never"), read_line(where, row, "grip"),
        read_line(where, row, "recovery"), limits,
    )  # fmt: skip


def _read_limit(where: str, name: str, rule: Any) -> Limit:
    if name not in LIMIT_UNITS:
        raise ProtocolError(f"{where}: {UnknownName('limit of an interface', name, LIMIT_UNITS)}")
    read = read_limit(where, read_table(where, rule))
    if read.unit != LIMIT_UNITS[name]:
        raise ProtocolError(f"{where} is measured in {LIMIT_UNITS[name]!r}, but the file has {read.unit!r}.")
    return read
