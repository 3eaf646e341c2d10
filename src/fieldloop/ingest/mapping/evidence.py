"""Guess a stream's unit from its name and values over several logs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.mapping.units import SI
from fieldloop.ingest.units import FARTHEST_M, LARGEST_ANGLE_RAD
from fieldloop.ingest.words import split_into_words
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.model.stream_notes import UNIT_NOTE

ENOUGH_ROWS = 20_000
WIDEST_GRIPPER_M = 1.5
FASTEST_TURN_RAD_S = 35.0  # the full scale of common gyroscopes, 2000°/s
GRAVITY_IN_G = (0.8, 1.2)
VECTOR_COLUMNS, POSE_COLUMNS, IMU_COLUMNS = 3, 7, 6
LENGTHS, ANGLES = {"mm": "mm", "cm": "cm"}, {"deg": "deg", "degrees": "deg"}
ANY = LENGTHS | ANGLES
NAMED = {
    StreamKind.JOINT_POSITION: ANGLES, StreamKind.ACTION: ANY, StreamKind.OTHER: ANY, StreamKind.GRIPPER: ANY,
    StreamKind.POSE: LENGTHS, StreamKind.HAND_POSE: LENGTHS, StreamKind.IMU: {"g": "g"},
}  # fmt: skip
"""Words of a stream's name that state its unit, by kind of stream: a rate in degrees is not an angle."""

SAID = "stated in its name"


@dataclass(slots=True)
class ColumnValues:
    """Values of one stream over the logs that were read."""

    stream: Stream
    logs: int = 0
    rows: list[NDArray[np.float64]] = field(default_factory=list)

    def add_stream(self, stream: Stream) -> None:
        """Take one more log's stream into account."""
        self.logs += 1
        if stream.values is not None and stream.values.size and sum(map(len, self.rows)) < ENOUGH_ROWS:
            self.rows.append(stream.values.reshape(len(stream), -1).astype(np.float64))

    def get_largest_magnitude(self, part: slice = slice(None)) -> float:
        """The largest magnitude in these columns."""
        pieces = [np.abs(rows[:, part]) for rows in self.rows if rows[:, part].size]
        finite = [piece[np.isfinite(piece)] for piece in pieces]
        return max((float(f.max()) for f in finite if f.size), default=0.0)


def propose_unit_lines(evidence: ColumnValues) -> Iterator[str]:
    """Yield the line that states the unit, with the reason; as a comment where the unit is uncertain."""
    stream = evidence.stream
    if stream.values is None or not evidence.rows:
        return
    width, reach, far = (
        stream.values.shape[1],
        evidence.get_largest_magnitude(),
        evidence.get_largest_magnitude(slice(0, 3)),
    )
    if line := _propose_unit_from_name(stream, evidence):
        yield line
        return
    match stream.kind:
        case StreamKind.JOINT_POSITION if reach > LARGEST_ANGLE_RAD:
            yield f'unit = "deg"  # values reach {reach:.4g}: hardly radians'
        case StreamKind.ACTION if reach > LARGEST_ANGLE_RAD:
            yield f'# unit = "deg"  # values reach {reach:.4g}: not radians; with a gripper, one unit per column'
        case StreamKind.GRIPPER if reach > WIDEST_GRIPPER_M:
            yield f'# unit = "mm"  # values reach {reach:.4g}: millimetres, per cent, or a count of the device?'
        case StreamKind.POSE | StreamKind.HAND_POSE if width in (VECTOR_COLUMNS, POSE_COLUMNS) and far > FARTHEST_M:
            yield f"unit = {_format_units('mm', '', width)}  # positions reach {far:.4g}: hardly metres"
        case StreamKind.IMU if width == IMU_COLUMNS:
            yield from _propose_imu_unit_lines(evidence)
        case _ if stream.unit and stream.unit in SI:
            why = f"  # {stream.notes[UNIT_NOTE]}" if UNIT_NOTE in stream.notes else ""
            yield f'unit = "{stream.unit}"{why}'
        case _ if not stream.unit and stream.kind is not StreamKind.OTHER:
            yield '# unit = ""  # the log does not state it'


def _propose_unit_from_name(stream: Stream, evidence: ColumnValues) -> str:
    """Return the line of a unit that the name states, '' where it does not or the log states one itself."""
    known = {} if stream.unit_stated else NAMED.get(stream.kind, {})
    named_units = sorted({known[word] for word in split_into_words(stream.name) if word in known})
    if len(named_units) != 1 or stream.values is None:
        return ""
    unit, width = named_units[0], stream.values.shape[1]
    if stream.kind is StreamKind.IMU and width == IMU_COLUMNS:
        turning = evidence.get_largest_magnitude(slice(3, 6))
        rest = "deg/s" if turning > FASTEST_TURN_RAD_S else "rad/s"
        return f"unit = {_format_units(unit, rest, width)}  # {SAID}; it turns at up to {turning:.4g}"
    if stream.kind in (StreamKind.POSE, StreamKind.HAND_POSE) and width > VECTOR_COLUMNS:
        return f"unit = {_format_units(unit, '', width)}  # {SAID}" if width == POSE_COLUMNS else ""
    return f'unit = "{unit}"  # {SAID}'


def _format_units(vector_unit: str, other_unit: str, column_count: int) -> str:
    """Write the unit of a vector, or of a vector and the columns after it.

    >>> _format_units("mm", "", 3), _format_units("g", "rad/s", 4)
    ('"mm"', '["g", "g", "g", "rad/s"]')
    """
    if column_count <= VECTOR_COLUMNS:
        return f'"{vector_unit}"'
    listed = [vector_unit] * VECTOR_COLUMNS + [other_unit] * (column_count - VECTOR_COLUMNS)
    return json.dumps(listed, ensure_ascii=False)


def _propose_imu_unit_lines(evidence: ColumnValues) -> Iterator[str]:
    norms = np.concatenate([np.linalg.norm(rows[:, :3], axis=1) for rows in evidence.rows])
    still = float(np.nanmedian(norms)) if np.isfinite(norms).any() else 0.0
    turning = evidence.get_largest_magnitude(slice(3, 6))
    units = (
        "g" if GRAVITY_IN_G[0] < still < GRAVITY_IN_G[1] else "m/s²",
        "deg/s" if turning > FASTEST_TURN_RAD_S else "rad/s",
    )
    if units != ("m/s²", "rad/s"):
        reason = f"at rest it feels {still:.3g}, it turns at up to {turning:.4g}"
        yield f"unit = {_format_units(*units, IMU_COLUMNS)}  # {reason}"
