"""Decode JSON messages: every number under its dotted name."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from fieldloop.ingest.messages.decoded import Decoded
from fieldloop.ingest.messages.ros_types import LONGEST_ARRAY

LAST_SECOND = 2**33  # beyond it nanoseconds leave 63 bits


def decode_json(payloads: Sequence[bytes]) -> Decoded:
    """Decode a batch of JSON payloads; a payload that is no JSON is a failure of that message alone."""
    decoded = Decoded([])
    for index, payload in enumerate(payloads):
        try:
            message = json.loads(payload)
            flat = list(_flatten(message, decoded.left_out))
        except (ValueError, RecursionError, OverflowError) as wrong:
            decoded.stamps_ns.append(None)
            decoded.failures.append((index, f"no JSON: {wrong}"))
            continue
        decoded.stamps_ns.append(_stamp(message))
        if flat:
            decoded.add("", tuple(name for name, _ in flat), index, [value for _, value in flat])
    return decoded


def _flatten(value: Any, left_out: set[str], path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("header", "stamp", "timestamp"):
                yield from _flatten(inner, left_out, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        if len(value) > LONGEST_ARRAY:
            left_out.add(path)
            return
        for index, inner in enumerate(value):
            yield from _flatten(inner, left_out, f"{path}[{index}]")
    elif isinstance(value, bool | int | float):
        yield path, float(value)


def _stamp(message: Any) -> int | None:
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
    return seconds * 1_000_000_000 + rest
