"""Devices whose clocks are not verified end to end; nothing is released from them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol.collection import CollectionProtocol
from fieldloop.protocol.synchronisation import Synchronisation, SyncMeans, SyncVerification

USUAL_LIMIT = "timing.stream_offset"


@dataclass(frozen=True, slots=True)
class Unverified:
    """A device with an unverified clock, and why."""

    stream: str
    reason: Note


def list_unverified_devices(
    protocol: CollectionProtocol, verifications: Iterable[SyncVerification] = (), *, at_ns: int | None = None
) -> list[Unverified]:
    """List every required or declared device that is undeclared, never verified, too far off, or verified too long ago.

    The newest of the file's own verification and those given counts. A device without a limit of its own uses
    the one between any two streams. `at_ns` is now; without it nothing is too long ago.
    """
    newest: dict[str, SyncVerification] = {}
    stated = [device.verified for device in protocol.synchronisation.values() if device.verified]
    for one in sorted([*stated, *verifications], key=lambda v: v.at_ns):
        newest[one.stream] = one
    required = {sensor.stream for sensor in protocol.sensors.values() if sensor.required}
    devices = []
    for stream in sorted(required | set(protocol.synchronisation)):
        device = protocol.synchronisation.get(stream, Synchronisation(stream))
        if reason := _explain_unverified(device, newest.get(stream), get_allowed_offset_ms(protocol, device), at_ns):
            devices.append(Unverified(stream, reason))
    return devices


def get_allowed_offset_ms(protocol: CollectionProtocol, device: Synchronisation) -> float | None:
    """Return the allowed offset of a device: its own limit, or the one between any two streams."""
    return protocol.limits[USUAL_LIMIT].maximum if device.max_offset_ms is None else device.max_offset_ms


def _explain_unverified(
    device: Synchronisation, last: SyncVerification | None, limit_ms: float | None, at_ns: int | None
) -> Note | None:
    if device.by is SyncMeans.UNKNOWN:
        return note("protocol.clock_not_declared")
    if last is None:
        return note("protocol.clock_never_verified", declared_as=device.by.value)
    if limit_ms is not None and not last.offset_ms <= limit_ms:  # a NaN offset does not pass
        if math.isfinite(last.offset_ms):
            return note("protocol.clock_too_far_off", offset_ms=last.offset_ms, limit_ms=limit_ms)
        return note("protocol.clock_offset_not_known", limit_ms=limit_ms)
    if device.verify_every_days is not None and at_ns is not None:
        age_days = (at_ns - last.at_ns) / NS_PER_DAY
        if age_days > device.verify_every_days:
            return note("protocol.clock_verified_too_long_ago", age_days=age_days, every_days=device.verify_every_days)
    return None
