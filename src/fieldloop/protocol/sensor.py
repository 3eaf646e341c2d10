"""What is asked of a stream: its kind, whether it must be there, how fast, how fine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.model.stream import StreamKind
from fieldloop.protocol.cells import (
    read_line,
    read_positive_number,
    read_positive_whole_number,
    read_table,
    read_true_or_false,
)
from fieldloop.protocol.number import refuse_unknown_keys
from fieldloop.protocol.synchronisation import Synchronisation, read_synchronisation, read_synchronisation_means

KEYS = {"kind", "required", "hz", "width", "height", "synchronised_by", "precision", "delicate"}


@dataclass(frozen=True, slots=True)
class SensorRequirement:
    """A stream that must be there, and what is asked of it.

    `precision` is in the unit of the kind (depth and pose m, force N, joints rad); `delicate` asks for finer limits.
    """

    stream: str
    kind: str
    required: bool
    hz: float | None = None
    width: int | None = None
    height: int | None = None
    synchronised_by: str = ""
    precision: float | None = None
    delicate: bool = False


def read_sensor(where: str, stream: str, raw: Any) -> SensorRequirement:
    """Read one `[sensors."stream"]` table."""
    where = f"{where}.{stream}"
    row = read_table(where, raw)
    refuse_unknown_keys(where, row, KEYS)
    kind = read_line(where, row, "kind", required=True)
    if kind not in list(StreamKind):
        raise ProtocolError(f"{where}: {UnknownName('kind of stream', kind, [k.value for k in StreamKind])}")
    by = read_line(where, row, "synchronised_by")
    return SensorRequirement(
        stream,
        kind,
        read_true_or_false(where, row, "required"),
        read_positive_number(where, row, "hz"),
        read_positive_whole_number(where, row, "width"),
        read_positive_whole_number(where, row, "height"),
        read_synchronisation_means(where, by).value if by else "",
        read_positive_number(where, row, "precision"),
        read_true_or_false(where, row, "delicate"),
    )


def read_declarations(
    where: str, rows: Mapping[str, Any], sensors: Mapping[str, SensorRequirement]
) -> dict[str, Synchronisation]:
    """Read what is declared of each device's clock: in a table of its own, or in one word beside the sensor."""
    declared = {name: read_synchronisation(where, name, row) for name, row in rows.items()}
    for name, sensor in sensors.items():
        means = read_synchronisation_means(f"sensors.{name}", sensor.synchronised_by)
        if sensor.synchronised_by and name in declared and "synchronised_by" not in rows[name]:
            raw = {**rows[name], "synchronised_by": sensor.synchronised_by}
            declared[name] = read_synchronisation(where, name, raw)
        elif sensor.synchronised_by and name in declared and declared[name].by is not means:
            raise ProtocolError(
                f"synchronised_by is {declared[name].by.value} in {where}.{name}, but {means.value} in sensors.{name}. "
                "Keep one of them."
            )
        elif sensor.synchronised_by and name not in declared:
            declared[name] = Synchronisation(name, means)
    return declared
