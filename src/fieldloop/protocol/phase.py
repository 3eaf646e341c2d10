"""The phases of a task, in the order in which they happen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import ProtocolError
from fieldloop.protocol.cells import read_line, read_table
from fieldloop.protocol.number import refuse_unknown_keys


@dataclass(frozen=True, slots=True)
class Phase:
    """One part of the task; where `begins` or `ends` is empty, the annotation taxonomy's words hold."""

    name: str
    begins: str = ""
    ends: str = ""


def read_phases(where: str, rows: Any) -> tuple[Phase, ...]:
    """Read the `[[phase]]` tables; two of one name are refused."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise ProtocolError(f"{where}: phase should be a list of tables: write [[phase]] above each.")
    phases = tuple(
        _read_phase(f"{where}: phase {place}", read_table(where, row)) for place, row in enumerate(rows, start=1)
    )
    names = [phase.name for phase in phases]
    for name in names:
        if names.count(name) > 1:
            raise ProtocolError(f"{where}: two phases are called {name!r}.")
    return phases


def _read_phase(where: str, row: Mapping[str, Any]) -> Phase:
    refuse_unknown_keys(where, row, {"name", "begins", "ends"})
    return Phase(
        read_line(where, row, "name", required=True), read_line(where, row, "begins"), read_line(where, row, "ends")
    )
