"""Changes of a server's versions: loading goes on beside them, and each is in force only with its record.

A rollback is the exception: it stays in force without its record, which is repeated until it is written.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from fieldloop.errors import Refused
from fieldloop.model.person import Actor
from fieldloop.model.serving import Moved
from fieldloop.serve.doors.parts import Change, House
from fieldloop.serve.refusals import PolicyFault, convert_failure
from fieldloop.serve.versions import Version

log = logging.getLogger("fieldloop.serve")


async def load_beside(house: House, policy: str, override: str, actor: Actor) -> Callable[[], Version]:
    """Load a version while others may be changed; what it returns adds it, unless it was suspended meanwhile."""
    before = house.roster.list_suspended()
    async with house.loading:
        add: Callable[[], Version] = await asyncio.to_thread(house.control.load, house.roster, policy, override, actor)

    def add_unless_suspended() -> Version:
        now = house.roster.list_suspended()
        version = add()
        reason = now.get(version.id, "")
        if reason and version.id not in before:
            raise Refused(f"{version.name} was suspended while it was loaded: {reason}. Load it again if it may act.")
        return version

    return add_unless_suspended


async def make_change(house: House, apply: Callable[[], Change]) -> Change:
    """Make one change and record it; without a record it is undone, except a rollback."""
    async with house.changing:
        undo = house.roster.keep_state()
        try:
            change = apply()
        except Exception:
            undo()
            raise
        roster = house.roster
        change = replace(change, in_force=roster.in_force.id, versions=tuple(roster.versions), at_ns=roster.clock())
        try:
            await _write_records(house)
            await asyncio.to_thread(house.control.record, roster, change)
        except Exception as wrong:
            why = convert_failure(wrong)
            log.exception("%s: %s could not be recorded", change.version.name, change.moved)
            if change.moved is not Moved.ROLLED_BACK:
                undo()
                raise PolicyFault(
                    f"{change.version.name} was not {change.moved}, because the record could not be written: {why} "
                    "The versions are as before."
                ) from wrong
            house.unrecorded.append(change)
            _repeat_later(house)
    return change


def describe_unrecorded(house: House) -> str:
    """Say which changes are in force and not on record; '' where all are."""
    if not house.unrecorded:
        return ""
    names = ", ".join(f"{change.moved} to {change.version.name}" for change in house.unrecorded)
    every_s = house.settings.number("record_retry_s")
    return f"In force, and not on record yet: {names}. It is tried again every {every_s:g} s."


async def close_records(house: House) -> None:
    """Try the records that are left a last time."""
    if house.repeating is not None:
        house.repeating.cancel()
        await asyncio.gather(house.repeating, return_exceptions=True)
    try:
        await _write_records(house)
    except Exception:
        log.exception("The server ends, and %d changes are not on record: %s", len(house.unrecorded), house.unrecorded)


async def _write_records(house: House) -> None:
    """Write the changes that are not on record, the oldest first."""
    while house.unrecorded:
        await asyncio.to_thread(house.control.record, house.roster, house.unrecorded[0])
        del house.unrecorded[0]


def _repeat_later(house: House) -> None:
    if house.repeating is None or house.repeating.done():
        house.repeating = asyncio.create_task(_repeat_records(house))


async def _repeat_records(house: House) -> None:
    while house.unrecorded:
        await asyncio.sleep(house.settings.number("record_retry_s"))
        async with house.changing:
            try:
                await _write_records(house)
            except Exception as wrong:  # noqa: BLE001 - whatever keeps the record from being written may end
                log.warning("A rollback is still not on record: %s", wrong)
