"""What a policy server asks of the house: to load versions, to record each change, and to follow the rollout."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fieldloop.errors import FieldloopError
from fieldloop.loop.run.rollout import find_rollout_in_progress, find_version_in_production
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.serving import Moved, Serving, ServingMoved
from fieldloop.rollout.routing import choose_candidate_or_incumbent
from fieldloop.serve.doors.changes import load_beside, make_change
from fieldloop.serve.doors.parts import Change, House
from fieldloop.serve.versions import Roster, Version

log = logging.getLogger("fieldloop.serve")
State = tuple[str, tuple[str, ...], int]
"""The version in force, all loaded versions, and when."""
Load = Callable[[Roster, str, str, Actor], Callable[[], Version]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the rollout wants of a server: the version in production, and the rollout in progress."""

    in_production: str | None = None
    climbing: Rollout | None = None


class ServingRecord:
    """One run of a server in the ledger."""

    def __init__(self, workspace: Workspace, address: str, load: Load) -> None:
        """Take the server's address and what loads a version."""
        self._workspace, self._address, self._load = workspace, address, load
        self._id = workspace.ids.new("serving")

    def load(self, roster: Roster, policy: str, override: str, actor: Actor) -> Callable[[], Version]:
        """Load a version; what it returns adds it to the roster."""
        return self._load(roster, policy, override, actor)

    def require_reason(self, override: str) -> str:
        """Refuse a reason that says nothing, as every override does."""
        return require_stated_reason(self._workspace, override)

    def record(self, roster: Roster, change: Change) -> None:
        """Write a change into the ledger, under the actor who made it."""
        at_ns = self._workspace.clock() if change.at_ns is None else change.at_ns
        state = change.in_force or roster.in_force.id, change.versions or tuple(roster.versions), at_ns
        self._write(state, change.moved, change.version.id, change.actor, change.reason, change.override)

    def record_refusal(self, roster: Roster, policy: str, reason: str) -> None:
        """Write into the ledger that a version which the rollout wants is not served, and why."""
        state = roster.in_force.id, tuple(roster.versions), self._workspace.clock()
        self._write(state, Moved.REFUSED, policy, self._workspace.actor, reason)

    def _write(self, state: State, moved: Moved, policy: str, actor: Actor, reason: str, override: str = "") -> None:
        serving = Serving(
            self._id, self._address, moved, policy, *state, override or reason, bool(override)
        )  # fmt: skip
        self._workspace.acting_as(actor).write(ServingMoved(serving))


@asynccontextmanager
async def keep_to_rollout(workspace: Workspace, record: ServingRecord, house: House) -> AsyncIterator[None]:
    """Keep a server as the rollout wants it: the version in production, and a share of robots for the candidate.

    A robot changes its version between episodes only. What a person changed here stays until the rollout moves;
    a version that a person suspended stays suspended until a person loads it again.
    """
    task = asyncio.create_task(_watch_rollout(workspace, record, house))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _watch_rollout(workspace: Workspace, record: ServingRecord, house: House) -> None:
    seen, applied = -1, Wanted()
    while True:
        try:
            last = await asyncio.to_thread(workspace.last_seq)
            wanted = applied if last == seen else await asyncio.to_thread(_read_wanted, workspace)
            if wanted != applied:
                await _apply_rollout(workspace, record, house, wanted)
            seen, applied = last, wanted
        except FieldloopError as wrong:  # a store that is busy now may not be the next time
            log.warning("The server could not follow the rollout: %s", wrong)
        await asyncio.sleep(house.settings.number("follow_s"))


def _read_wanted(workspace: Workspace) -> "Wanted":
    return Wanted(find_version_in_production(workspace), find_rollout_in_progress(workspace))


async def _apply_rollout(workspace: Workspace, record: ServingRecord, house: House, wanted: "Wanted") -> None:
    roster, climbing, chosen = house.roster, wanted.climbing, wanted.in_production
    needed = [policy for policy in (chosen, climbing.candidate if climbing else None) if policy]
    for policy in needed:
        if policy not in roster.versions:
            await _load_or_record_refusal(workspace, record, house, policy)
        elif reason := roster.versions[policy].suspended:
            await asyncio.to_thread(record.record_refusal, roster, policy, f"suspended on this server: {reason}")
    if chosen in roster.versions and chosen != roster.in_force.id and not roster.versions[chosen].suspended:
        await make_change(
            house,
            lambda: Change(
                Moved.ACTIVATED, roster.activate(chosen, override="the rollout decided"), workspace.actor,
                "follows the rollout",
            ),
        )  # fmt: skip
    routed = climbing is not None and climbing.rung is not Rung.SHADOW
    roster.route = _make_route(climbing) if climbing is not None and routed else None


async def _load_or_record_refusal(workspace: Workspace, record: ServingRecord, house: House, policy: str) -> None:
    """Load a version that the rollout wants; one that is refused leaves the server as it is, on the record."""
    try:
        add = await load_beside(house, policy, "", workspace.actor)
    except FieldloopError as refused:
        await asyncio.to_thread(record.record_refusal, house.roster, policy, str(refused))
        return
    change = await make_change(house, lambda: Change(Moved.LOADED, add(), workspace.actor, "follows the rollout"))
    await change.version.desk.check_health()


def _make_route(rollout: Rollout) -> Callable[[str], str | None]:
    def route(robot: str) -> str | None:
        return rollout.candidate if choose_candidate_or_incumbent(robot, rollout) == "candidate" else rollout.incumbent

    return route
