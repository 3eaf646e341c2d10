"""Routes that list, load, activate and roll back versions while robots are served; every change is recorded."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from fieldloop.errors import BadInput
from fieldloop.model.person import LOCAL_ADMIN, Actor, Role
from fieldloop.model.serving import Moved
from fieldloop.serve.access import CONTROL, STOP
from fieldloop.serve.doors.changes import describe_unrecorded, load_beside, make_change
from fieldloop.serve.doors.http_door import parse_json_object, read_body
from fieldloop.serve.doors.parts import Change, House, make_problem_response
from fieldloop.serve.refusals import REASONS, convert_failure


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request to change versions states."""

    actor: Actor
    policy: str = ""
    reason: str = ""
    override: str = ""


def add_control_routes(app: FastAPI, house: House) -> None:
    """Add the routes under /v1/policies."""
    _add_list_and_load_routes(app, house)
    _add_change_routes(app, house)


def _add_list_and_load_routes(app: FastAPI, house: House) -> None:
    @app.get("/v1/policies")
    async def list_versions(request: Request) -> JSONResponse:
        """List the versions on this server: which is in force, how fast each is, how many robots use it."""
        try:
            await house.identify_sender(request.scope)
        except REASONS as wrong:
            return make_problem_response(wrong)
        return JSONResponse(describe_roster(house))

    @app.post("/v1/policies")
    async def load(request: Request) -> JSONResponse:
        """Load a version beside the others: {"policy": …, "override": reason}; it is measured before it is listed."""

        async def prepare(asked: Asked) -> Callable[[], Change]:
            if not asked.policy:
                raise BadInput('State the policy to load: {"policy": …}.')
            add = await load_beside(house, asked.policy, asked.override, asked.actor)
            return lambda: Change(Moved.LOADED, add(), asked.actor, asked.reason, asked.override)

        return await _answer_change(house, request, CONTROL, prepare)


def _add_change_routes(app: FastAPI, house: House) -> None:
    roster = house.roster

    @app.post("/v1/policies/{name}/activate")
    async def activate(request: Request, name: str) -> JSONResponse:
        """Put a version in force for new episodes: {"reason": …, "override": reason}."""

        async def prepare(asked: Asked) -> Callable[[], Change]:
            actor, reason, override = asked.actor, asked.reason, asked.override
            return lambda: Change(
                Moved.ACTIVATED, roster.activate(name, override=override), actor, reason, override
            )  # fmt: skip

        return await _answer_change(house, request, CONTROL, prepare)

    @app.post("/v1/back")
    async def roll_back(request: Request) -> JSONResponse:
        """Put the version before in force: {"reason": …, "override": reason to change running episodes at once}."""

        async def prepare(asked: Asked) -> Callable[[], Change]:
            actor, reason, override = asked.actor, asked.reason, asked.override
            return lambda: Change(Moved.ROLLED_BACK, roster.roll_back(at_once=override), actor, reason, override)

        return await _answer_change(house, request, STOP, prepare)

    @app.delete("/v1/policies/{name}")
    async def remove(request: Request, name: str) -> JSONResponse:
        """Remove a version that no robot uses."""

        async def prepare(asked: Asked) -> Callable[[], Change]:
            return lambda: Change(Moved.REMOVED, roster.remove(name), asked.actor, asked.reason)

        return await _answer_change(house, request, CONTROL, prepare)


def describe_roster(house: House) -> dict[str, Any]:
    """Describe every version on a server."""
    roster = house.roster
    return {
        "schema": "versions/1",
        "in_force": roster.in_force.id,
        "not_recorded": describe_unrecorded(house),
        "versions": [
            {
                "policy": version.id,
                "name": version.name,
                "in_force": version is roster.in_force,
                "suspended": version.suspended,
                "robots": sum(not seat.is_idle for seat in version.seats),
                "healthy": version.desk.healthy,
                "admission": version.describe().get("latency"),
                "real_calls": version.desk.metrics.summarise_recent_calls(),
            }
            for version in roster.versions.values()
        ],
    }


async def _answer_change(
    house: House, request: Request, roles: Iterable[Role], prepare: Callable[[Asked], Awaitable[Callable[[], Change]]]
) -> JSONResponse:
    """Prepare one change, then make and record it; changes come one after the other."""
    try:
        actor = await house.identify_sender(request.scope, roles)
        body = await read_body(request, house)
        asked = _read_asked(parse_json_object(body) if body else {}, actor)
        asked = replace(asked, override=house.control.require_reason(asked.override))
        changed = await make_change(house, await prepare(asked))
        if changed.moved is Moved.LOADED:
            await changed.version.desk.check_health()
        elif changed.moved is Moved.REMOVED:
            changed.version.desk.close()
    except Exception as wrong:  # noqa: BLE001 - no traceback leaves the server
        return make_problem_response(convert_failure(wrong))
    return JSONResponse(describe_roster(house))


def _read_asked(body: Mapping[str, Any], sender: Actor) -> Asked:
    """Read what is asked; a user of this machine may state on whose behalf."""
    texts = {key: body.get(key, "") for key in ("policy", "reason", "override", "on_behalf_of")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise BadInput(f"{key} = {value!r} is not a text.")
    other = texts["on_behalf_of"].strip()
    actor = Actor(other, sender.role) if other and sender is LOCAL_ADMIN else sender
    return Asked(actor, texts["policy"].strip(), texts["reason"].strip(), texts["override"].strip())
