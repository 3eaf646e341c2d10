"""What all ways into a policy server share: the server's parts, who sends a request, and refusals as JSON."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Scope

from fieldloop.errors import Refused
from fieldloop.model.person import Actor, Role
from fieldloop.model.serving import Moved
from fieldloop.protocol import Section
from fieldloop.serve.access import ACT, Access
from fieldloop.serve.doors.lookups import Lookups
from fieldloop.serve.message import Header
from fieldloop.serve.refusals import classify_refusal
from fieldloop.serve.versions import Roster, Seat, Version

PROBLEM = "application/problem+json"
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a server's versions: what, to which version, by whom, why, and the reason where a rule gave way."""

    moved: Moved
    version: Version
    actor: Actor
    reason: str = ""
    override: str = ""
    in_force: str = ""
    versions: tuple[str, ...] = ()
    at_ns: int | None = None
    """What is in force and loaded after the change, and when: a record that is repeated states the same."""


class Control(Protocol):
    """What changes the versions of a server beside the server itself: it loads them, and keeps the record."""

    def load(self, roster: Roster, policy: str, override: str, actor: Actor) -> Any:
        """Return a function that adds the version to the roster; refuse one that must not be served. May take long."""

    def require_reason(self, override: str) -> str:
        """Return the reason of an override as it is recorded; refuse one that says nothing."""

    def record(self, roster: Roster, change: Change) -> None:
        """Record a change."""


class NoControl:
    """A server whose versions do not change."""

    def load(self, roster: Roster, policy: str, override: str, actor: Actor) -> Any:  # noqa: ARG002 - a Control
        """Refuse."""
        raise Refused("This server loads no other versions.")

    def require_reason(self, override: str) -> str:
        """Return it as it is, for nothing is recorded."""
        return override

    def record(self, roster: Roster, change: Change) -> None:
        """Record nothing."""


@dataclass(eq=False)
class House:
    """The parts of one server."""

    roster: Roster
    settings: Section
    access: Access
    control: Control
    seats: dict[str, Seat] = field(default_factory=dict)
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    loading: asyncio.Lock = field(default_factory=asyncio.Lock)
    unrecorded: list[Change] = field(default_factory=list)
    repeating: "asyncio.Task[None] | None" = None
    lookups: Lookups = field(default_factory=Lookups)

    @property
    def max_bytes(self) -> int:
        """The largest body that is read."""
        return int(self.settings.number("max_request_mb") * MIB)

    async def identify_sender(self, scope: Scope, roles: Iterable[Role] = ACT) -> Actor:
        """Return who sends a request; a token that is not known yet is looked up without stopping others."""
        return await self.identify(Headers(scope=scope), (scope.get("client") or ("",))[0], roles)

    async def identify(self, headers: Mapping[str, str], client: str, roles: Iterable[Role] = ACT) -> Actor:
        """Return who sent these headers; only a token that must be looked up waits for a thread."""
        known = self.access.recall(headers, client, roles)
        return known or await self.lookups.run(self.access, headers, client, roles, int(self.settings["max_waiting"]))

    def take_seat(self, header: Header, label: str, name: str = "") -> Seat:
        """Return the seat of a robot that keeps no connection: known by its name, else only for this request."""
        if not header.robot:
            return Seat(self.roster, label, name)
        key = f"{name}/{header.robot}"
        seat = self.seats.pop(key, None) or self._open_seat(header.robot, name)
        self.seats[key] = seat  # the one used last stands last
        while len(self.seats) > int(self.settings["max_http_robots"]):
            self.seats.pop(next(iter(self.seats))).close()
        return seat

    def _open_seat(self, robot: str, name: str) -> Seat:
        return Seat(self.roster, robot, name, self.settings.number("seat_idle_s"))


def make_problem_response(error: Exception) -> JSONResponse:
    """Write a refusal as a problem document; no traceback leaves the server."""
    status = classify_refusal(error)[1]
    body = {"title": type(error).__name__, "status": int(status), "detail": str(error)}
    return JSONResponse(body, status, media_type=PROBLEM)


def get_client_label(scope: Scope) -> str:
    """Return a client's address, as a name for messages."""
    client: Mapping[int, Any] | Any = scope.get("client") or ("unknown", 0)
    return f"{client[0]}:{client[1]}"
