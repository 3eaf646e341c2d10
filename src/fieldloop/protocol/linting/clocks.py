"""Can what is said about a device's clock be true?"""

from collections.abc import Iterator

from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.unverified import NS_PER_DAY, allowed_offset_ms


def unit_smells(draft: Draft) -> Iterator[Remark]:
    """Seconds or microseconds in the place of milliseconds."""
    low, high = draft.numbers["clock_offset_ms"]
    for name, device in draft.protocol.synchronisation.items():
        given = device.max_offset_ms
        if given is not None and not low <= given <= high:
            yield Remark(
                "P312", Severity.WARNING, f"synchronisation.{name}",
                f"max_offset_ms = {given:g} is outside {low:g} to {high:g}.", "It is in ms: 2 ms is 2.0.",
            )  # fmt: skip


def verified_too_far_off(draft: Draft) -> Iterator[Remark]:
    """A measured offset beyond what is allowed verifies the contrary."""
    for name, device in draft.protocol.synchronisation.items():
        most = allowed_offset_ms(draft.protocol, device)
        if device.verified and most is not None and device.verified.offset_ms > most:
            yield Remark(
                "P313", Severity.ERROR, f"synchronisation.{name}",
                f"It was verified at {device.verified.offset_ms:g} ms, {most:g} ms is allowed.",
                "Put the device's clock right and measure again; nothing is released from it before.",
            )  # fmt: skip


def verified_in_the_future(draft: Draft) -> Iterator[Remark]:
    """Nobody has measured tomorrow; such a record would also never grow old."""
    if draft.at_ns is None:
        return
    for name, device in draft.protocol.synchronisation.items():
        # a day's grace: east of Greenwich a date begins before it does in UTC
        if device.verified and device.verified.at_ns > draft.at_ns + NS_PER_DAY:
            yield Remark(
                "P314", Severity.ERROR, f"synchronisation.{name}",
                f"It says that it was verified on {device.verified.day}, which is to come.",
                "Write the day on which it was measured.",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (unit_smells, verified_too_far_off, verified_in_the_future)
