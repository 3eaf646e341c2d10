"""Lint rules about declared clocks."""

from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.unverified import get_allowed_offset_ms


def find_clock_offsets_in_wrong_unit(draft: Draft) -> Iterator[Remark]:
    """Seconds or microseconds in the place of milliseconds."""
    low, high = draft.numbers["clock_offset_ms"]
    for name, device in draft.protocol.synchronisation.items():
        given = device.max_offset_ms
        if given is not None and not low <= given <= high:
            yield Remark(
                "P312",
                Severity.WARNING,
                f"synchronisation.{name}",
                note("protocol.p312", given=given, low=low, high=high),
                note("protocol.p312_advice"),
            )


def find_clocks_verified_too_far_off(draft: Draft) -> Iterator[Remark]:
    """A measured offset beyond the limit does not verify the clock."""
    for name, device in draft.protocol.synchronisation.items():
        most = get_allowed_offset_ms(draft.protocol, device)
        if device.verified and most is not None and device.verified.offset_ms > most:
            yield Remark(
                "P313",
                Severity.ERROR,
                f"synchronisation.{name}",
                note("protocol.p313", offset_ms=device.verified.offset_ms, limit_ms=most),
                note("protocol.p313_advice"),
            )


def find_clocks_verified_in_the_future(draft: Draft) -> Iterator[Remark]:
    """A verification in the future is an error, and would never expire."""
    if draft.at_ns is None:
        return
    for name, device in draft.protocol.synchronisation.items():
        # one day of tolerance for time zones east of UTC
        if device.verified and device.verified.at_ns > draft.at_ns + NS_PER_DAY:
            yield Remark(
                "P314",
                Severity.ERROR,
                f"synchronisation.{name}",
                note("protocol.p314", day=str(device.verified.day)),
                note("protocol.p314_advice"),
            )


RULES: tuple[Rule, ...] = (
    find_clock_offsets_in_wrong_unit,
    find_clocks_verified_too_far_off,
    find_clocks_verified_in_the_future,
)
