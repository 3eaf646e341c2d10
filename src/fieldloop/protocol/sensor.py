"""What is asked of a stream: its kind, whether it must be there, how fast, how fine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.model.stream import StreamKind
from fieldloop.protocol.cells import amount, count, flag, table, text
from fieldloop.protocol.number import refuse_unknown_keys
from fieldloop.protocol.synchronisation import Synchronisation, read_means, read_synchronisation

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
    row = table(where, raw)
    refuse_unknown_keys(where, row, KEYS)
    kind = text(where, row, "kind", required=True)
    if kind not in list(StreamKind):
        raise ProtocolError(f"{where}: {UnknownName('kind of stream', kind, [k.value for k in StreamKind])}")
    by = text(where, row, "synchronised_by")
    return SensorRequirement(
        stream, kind, flag(where, row, "required"), amount(where, row, "hz"), count(where, row, "width"),
        count(where, row, "height"), read_means(where, by).value if by else "", amount(where, row, "precision"),
        flag(where, row, "delicate"),
    )  # fmt: skip


def read_declarations(
    where: str, rows: Mapping[str, Any], sensors: Mapping[str, SensorRequirement]
) -> dict[str, Synchronisation]:
    """Read what is declared of each device's clock: in a table of its own, or in one word beside the sensor."""
    declared = {name: read_synchronisation(where, name, row) for name, row in rows.items()}
    for name, sensor in sensors.items():
        means = read_means(f"sensors.{name}", sensor.synchronised_by)
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
