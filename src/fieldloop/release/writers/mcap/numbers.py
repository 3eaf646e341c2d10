"""Rows of numbers become ROS 2 messages: the type whose fields mean what the columns say, else named values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.release.writers.mcap.about import make_text_fit_for_message
from fieldloop.release.writers.seen import make_no_values_note
from fieldloop_robot.messages import Imu, JointState, Message, PoseStamped, WrenchStamped

EXACT_WHOLE = 2**53  # a 64-bit float holds every whole number up to this
Rows = list[list[float]]


class Typed(NamedTuple):
    """A message type with fixed fields: only a stream of exactly these columns and this unit may be written as one."""

    columns: tuple[str, ...]
    unit: str
    make: Callable[[Sequence[float], str], Message]


WRENCH = Typed(("fx", "fy", "fz", "tx", "ty", "tz"), "N, N·m", WrenchStamped)
INERTIAL = Typed(("ax", "ay", "az", "gx", "gy", "gz"), "m/s², rad/s", Imu)
POSE = Typed(("x", "y", "z", "qx", "qy", "qz", "qw"), "m", PoseStamped)
TYPES = {
    StreamKind.FORCE_TORQUE: WRENCH, StreamKind.IMU: INERTIAL, StreamKind.POSE: POSE, StreamKind.HAND_POSE: POSE,
}  # fmt: skip
TURNING, SLIDING = ("rad", "rad/s", "N·m"), ("m", "m/s", "N")
PART_KINDS = {"velocity": StreamKind.JOINT_VELOCITY, "effort": StreamKind.JOINT_EFFORT}
WHOLE = (StreamKind.JOINT_POSITION, StreamKind.GRIPPER, StreamKind.ACTION)


def explain_unwritable(stream: Stream) -> Note | None:
    """Return why a stream's values cannot be written; None where they can."""
    if stream.values is None:
        return make_no_values_note(stream)
    if stream.values.dtype.kind not in "fiub":
        return note("release.no_numbers", about=Subject(stream.name), dtype=str(stream.values.dtype))
    return None if stream.values.size else note("release.no_numbers", about=Subject(stream.name))


def report_losses(stream: Stream) -> Iterator[Note]:
    """Yield what a message's float64s and flat lists cannot hold of a stream's values."""
    values = stream.values
    assert values is not None
    about = Subject(stream.name)
    if values.ndim > 2:  # noqa: PLR2004 - rows and columns
        sides = values.shape[1:]
        yield note("release.rows_flattened", about=about, width=int(np.prod(sides)), shape=" × ".join(map(str, sides)))
    if values.dtype.kind == "f" and values.dtype.itemsize > np.dtype(np.float64).itemsize:
        yield note("release.values_rounded", about=about, stored="float64")
    if values.dtype.kind in "iu" and (int(values.max()) > EXACT_WHOLE or int(values.min()) < -EXACT_WHOLE):
        yield note("release.values_rounded", about=about, stored="float64")


def find_carried_parts(stream: Stream, streams: Mapping[str, Stream]) -> dict[str, Stream]:
    """Return the velocities and efforts that travel inside the message of their positions, by field.

    Only where the message says all there is to know of them: equal stamps, columns, notes, frame and device, and units
    of REP 103.
    """
    if stream.kind not in WHOLE:
        return {}
    units = SLIDING if stream.kind is StreamKind.GRIPPER else TURNING
    parts = {}
    for index, part in enumerate(PART_KINDS, start=1):
        other = streams.get(f"{stream.name}/{part}")
        kind = PART_KINDS[part] if stream.kind is StreamKind.JOINT_POSITION else stream.kind
        if (
            other is not None
            and other.kind is kind
            and other.unit == units[index]
            and _is_written_in_messages_of(stream, other)
        ):
            parts[part] = other
    return parts


def make_messages(stream: Stream, carried_parts: Mapping[str, Stream], rows: slice) -> Iterator[Message]:
    """Yield the messages of some rows."""
    typed = TYPES.get(stream.kind)
    values, frame_id = _get_rows(stream, rows), make_text_fit_for_message(stream.frame_id)
    if typed and (stream.columns, stream.unit) == (typed.columns, typed.unit):
        for row in values:
            yield typed.make(row, frame_id)
        return
    nothing: Rows = [[]] * len(values)
    field = {kind: part for part, kind in PART_KINDS.items()}.get(stream.kind, "position")
    fields = {field: values} | {part: _get_rows(other, rows) for part, other in carried_parts.items()}
    names = (
        tuple(make_text_fit_for_message(name) for name in stream.columns)
        if len(stream.columns) == len(values[0])
        else ()
    )
    for position, velocity, effort in zip(
        *(fields.get(name, nothing) for name in ("position", "velocity", "effort")), strict=True
    ):
        yield JointState(names, position, velocity, effort, frame_id)


def _is_written_in_messages_of(stream: Stream, other: Stream) -> bool:
    traits = [
        (
            s.columns,
            s.frame_id,
            s.serial,
            s.nominal_hz,
            dict(s.notes),
            None if s.values is None else _get_dtype_and_shape(s.values),
        )
        for s in (stream, other)
    ]
    return (
        traits[0] == traits[1]
        and stream.values is not None
        and stream.clocks.keys() == other.clocks.keys()
        and all(np.array_equal(times, other.clocks[kind]) for kind, times in stream.clocks.items())
    )


def _get_dtype_and_shape(values: NDArray[Any]) -> tuple[Any, ...]:
    return values.dtype, values.shape


def _get_rows(stream: Stream, rows: slice) -> Rows:
    values: Any = stream.values
    floats = values[rows].reshape(-1, int(np.prod(values.shape[1:]))).astype(np.float64)
    if values.dtype.kind in "iu":  # the largest must not round up to what its own type cannot hold
        floats = np.minimum(floats, np.nextafter(float(np.iinfo(values.dtype).max) + 1.0, 0.0))
    return floats.tolist()  # type: ignore[no-any-return]
