"""Decode JSON messages: every number under its dotted name."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from fieldloop.ingest.messages.decoded import Collector, Decoded
from fieldloop.ingest.messages.picture_messages import PictureFields
from fieldloop.ingest.messages.ros_types import LONGEST_ARRAY, TRANSFORMS, USED_TEXTS
from fieldloop.ingest.messages.shapes import collect_message_numbers
from fieldloop.ingest.messages.spans import Spans
from fieldloop.model.stream import NS_PER_S

LAST_SECOND = 2**33  # beyond it nanoseconds leave 63 bits


class JsonDecoder:
    """Decodes messages of one type; without a schema the type is ''."""

    def __init__(self, type_: str) -> None:
        self._type = "" if type_ in TRANSFORMS else type_  # their stamps and frames are found in ROS alone

    def __call__(self, payloads: Spans) -> Decoded:
        """Decode a batch of payloads; invalid JSON is a failure of that message alone."""
        collector = Collector(len(payloads))
        for index, payload in enumerate(payloads):
            try:
                message = parse_json(payload)
                flat = list(_flatten_numbers(message, collector.decoded))
                collect_message_numbers(self._type, flat, _find_joint_names(message), index, collector)
            except (ValueError, RecursionError, OverflowError) as wrong:
                collector.note_unreadable_message(index, f"not valid JSON: {wrong}")
                continue
            collector.note_stamp(index, find_sensing_stamp_ns(message), find_frame_id(message))
        return collector.make_batch()


def parse_json(payload: bytes | memoryview) -> Any:
    """Read one message; ValueError where it is not valid JSON."""
    try:
        return json.loads(bytes(payload))
    except RecursionError as wrong:
        raise ValueError("the message is nested too deeply") from wrong


def read_json_picture(payload: bytes | memoryview) -> PictureFields:
    """Read a picture message of Foxglove, its bytes in base64; ValueError where it is invalid."""
    message = parse_json(payload)
    data = message.get("data") if isinstance(message, dict) else None
    if not isinstance(data, str):
        raise ValueError("the message holds no data")  # noqa: TRY004 - what is wrong is a value in the log
    try:
        height, width, step = (int(message.get(name) or 0) for name in ("height", "width", "step"))
    except (TypeError, OverflowError) as wrong:
        raise ValueError(f"its size is not a number: {wrong}") from wrong
    form = str(message.get("format", message.get("encoding", "")))
    return PictureFields(
        find_sensing_stamp_ns(message), find_frame_id(message), form, base64.b64decode(data), height, width, step
    )


def _flatten_numbers(value: Any, decoded: Decoded, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("header", "stamp", "timestamp"):
                yield from _flatten_numbers(inner, decoded, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        if len(value) > LONGEST_ARRAY:
            decoded.left_out.add(path)
            return
        for index, inner in enumerate(value):
            yield from _flatten_numbers(inner, decoded, f"{path}[{index}]")
    elif isinstance(value, bool | int | float):
        yield path, value
    elif isinstance(value, str) and path.rpartition(".")[2] not in USED_TEXTS:
        decoded.note_text(path, value)


def _find_joint_names(message: Any) -> dict[str, list[str]]:
    """Return the names of joints, where a message lists them."""
    names = message.get("name") if isinstance(message, dict) else None
    fit = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return {"name": names} if isinstance(names, list) and fit else {}


def find_frame_id(message: Any) -> str:
    """Find the frame of a message in its header or among its fields."""
    header = message.get("header", message) if isinstance(message, dict) else None
    frame = header.get("frame_id") if isinstance(header, dict) else None
    return frame if isinstance(frame, str) else ""


def find_sensing_stamp_ns(message: Any) -> int | None:
    """Find a sensing stamp in the forms ROS and Foxglove write: seconds beside nanoseconds."""
    if not isinstance(message, dict):
        return None
    header = message.get("header")
    stamp = (
        (header.get("stamp") if isinstance(header, dict) else None) or message.get("timestamp") or message.get("stamp")
    )
    if not isinstance(stamp, dict):
        return None
    seconds = stamp.get("sec", stamp.get("secs"))
    rest = stamp.get("nanosec", stamp.get("nsec", stamp.get("nsecs", 0)))
    if not (isinstance(seconds, int) and isinstance(rest, int) and 0 <= seconds <= LAST_SECOND):
        return None
    return seconds * NS_PER_S + rest
