"""The machines: robots and the sensors on them."""

from dataclasses import dataclass

from fieldloop.model.stream import StreamKind


@dataclass(frozen=True, slots=True)
class Sensor:
    """One device that fills one or more streams."""

    serial: str
    kind: StreamKind
    stream: str
    frame_id: str = ""
    synchronised_by: str = ""


@dataclass(frozen=True, slots=True)
class Robot:
    """One arm with its sensors, at one site."""

    id: str
    model: str
    site: str
    sensors: tuple[Sensor, ...] = ()
    cycles: int = 0
