"""What a policy server asks of the house: to load versions, to record each change, and to follow the rollout."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fieldloop.errors import FieldloopError
from fieldloop.loop.run.rollout import find_rollout_in_progress, find_version_in_production
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.serving import Moved, Serving, ServingMoved
from fieldloop.rollout.routing import choose_candidate_or_incumbent
from fieldloop.serve.doors.parts import Change, House
from fieldloop.serve.versions import Roster, Version

Load = Callable[[Roster, str, str, Actor], Callable[[], Version]]


class ServingRecord:
    """One run of a server in the ledger."""

    def __init__(self, workspace: Workspace, address: str, load: Load) -> None:
        """Take the server's address and what loads a version."""
        self._workspace, self._address, self._load = workspace, address, load
        self._id = workspace.ids.new("serving")

    def load(self, roster: Roster, policy: str, override: str, actor: Actor) -> Callable[[], Version]:
        """Load a version; what it returns adds it to the roster."""
        return self._load(roster, policy, override, actor)

    def record(self, roster: Roster, change: Change) -> None:
        """Write a change into the ledger, under the actor who made it."""
        serving = Serving(
            self._id, self._address, change.moved, change.version.id, roster.in_force.id, tuple(roster.versions),
            self._workspace.clock(), change.override or change.reason, bool(change.override),
        )  # fmt: skip
        self._workspace.acting_as(change.actor).write(ServingMoved(serving))


@asynccontextmanager
async def keep_to_rollout(workspace: Workspace, record: ServingRecord, house: House) -> AsyncIterator[None]:
    """Keep a server as the rollout wants it: the version in production, and a share of robots for the candidate.

    A robot changes its version between episodes only.
    """
    task = asyncio.create_task(_watch_rollout(workspace, record, house))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _watch_rollout(workspace: Workspace, record: ServingRecord, house: House) -> None:
    seen = -1
    while True:
        last = await asyncio.to_thread(workspace.last_seq)
        if last != seen:
            seen = last
            climbing = await asyncio.to_thread(find_rollout_in_progress, workspace)
            wanted = await asyncio.to_thread(find_version_in_production, workspace)
            await _apply_rollout(workspace, record, house, wanted, climbing)
        await asyncio.sleep(house.settings.number("follow_s"))


async def _apply_rollout(
    workspace: Workspace, record: ServingRecord, house: House, wanted: str | None, climbing: Rollout | None
) -> None:
    roster = house.roster
    needed = [policy for policy in (wanted, climbing.candidate if climbing else None) if policy]
    async with house.changing:
        for policy in needed:
            if policy not in roster.versions:
                await _load_quietly(workspace, record, roster, policy)
        if wanted in roster.versions and wanted != roster.in_force.id:
            version = roster.activate(wanted, override="the rollout decided")
            change = Change(Moved.ACTIVATED, version, workspace.actor, "follows the rollout")
            await asyncio.to_thread(record.record, roster, change)
        routed = climbing is not None and climbing.rung is not Rung.SHADOW
        roster.route = _make_route(climbing) if climbing is not None and routed else None


async def _load_quietly(workspace: Workspace, record: ServingRecord, roster: Roster, policy: str) -> None:
    """Load a version that the rollout wants; one that is refused leaves the server as it is."""
    try:
        add = await asyncio.to_thread(record.load, roster, policy, "", workspace.actor)
    except FieldloopError:
        return
    version = add()
    await version.desk.check_health()
    change = Change(Moved.LOADED, version, workspace.actor, "follows the rollout")
    await asyncio.to_thread(record.record, roster, change)


def _make_route(rollout: Rollout) -> Callable[[str], str | None]:
    def route(robot: str) -> str | None:
        return rollout.candidate if choose_candidate_or_incumbent(robot, rollout) == "candidate" else rollout.incumbent

    return route
