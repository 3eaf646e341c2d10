"""Who is asking? Every request and every socket passes here before anything is looked at.

Over loopback one is the local admin, because who sits at the machine owns its files anyway. That must not be borrowed:
a request that came through a proxy, that names another host (DNS rebinding) or that a foreign page sent is not local.
"""

import ipaddress
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldloop.api.problems import Unauthenticated, problem_of
from fieldloop.api.sessions import Sessions
from fieldloop.errors import FieldloopError, Refused
from fieldloop.loop.catalogue import ANYONE
from fieldloop.loop.tokens import whose
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import LOCAL_ADMIN, Actor

ACTOR = "fieldloop.actor"
LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}
THROUGH_A_PROXY = ("x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via")
OPEN = ("/login", "/api/session", "/assets/", "/favicon.ico")
"""What somebody unknown may see: the way in."""
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
PROTECTION = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",
}


class Doorkeeper:
    """ASGI middleware around API, pages, assets and sockets alike."""

    def __init__(self, app: ASGIApp, workspace: Callable[[], Workspace], sessions: Sessions) -> None:
        """Stand before an app."""
        self.app, self.workspace, self.sessions = app, workspace, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or answer at the door."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            scope[ACTOR] = await self._admit(scope)
        except FieldloopError as refused:
            await _turn_away(refused, scope, receive, send)
            return
        await self.app(scope, receive, _protected(send))

    async def _admit(self, scope: Scope) -> Actor | None:
        headers = Headers(scope=scope)
        if scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS or scope["path"].startswith("/api/"):
            refuse_other_sites(headers)
        if scope["path"].startswith(OPEN):
            return None
        actor = await self._who(scope, headers)
        if actor.role not in ANYONE and not scope["path"].startswith("/api/"):
            raise Refused(f"There are no pages for the role {actor.role} yet.")
        return actor

    async def _who(self, scope: Scope, headers: Headers) -> Actor:
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and secret.strip():
            return await self._holder(secret.strip())
        if secret := self.sessions.secret(headers.get("cookie", "")) or "":
            return await self._holder(secret)
        if is_local(scope, headers):
            return LOCAL_ADMIN
        raise Unauthenticated("Send a token: Authorization: Bearer … An admin issues one with: fieldloop token NAME")

    async def _holder(self, secret: str) -> Actor:
        try:
            return await run_in_threadpool(whose, self.workspace(), secret)
        except Refused as unknown:
            raise Unauthenticated(str(unknown)) from unknown


def is_local(scope: Scope, headers: Headers) -> bool:
    """Does this request come from the machine itself, straight and under a local name?"""
    client = scope.get("client")
    if not client or any(name in headers for name in THROUGH_A_PROXY):
        return False
    try:
        address = ipaddress.ip_address(client[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    name = urlsplit(f"//{headers.get('host', '')}").hostname
    return (mapped or address).is_loopback and name in LOCAL_NAMES


def refuse_other_sites(headers: Headers) -> None:
    """Refuse what a page of another site made somebody's browser send."""
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host"):
        raise Refused(f"This request comes from a page of another site ({origin}).")
    if headers.get("sec-fetch-site") == "cross-site":
        raise Refused("This request comes from a page of another site.")


async def _turn_away(refused: FieldloopError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": type(refused).__name__})
        return
    answer: Response = problem_of(refused)
    if isinstance(refused, Unauthenticated) and not scope["path"].startswith("/api/"):
        answer = RedirectResponse(f"/login?to={quote(scope['path'])}", 303)
    await answer(scope, receive, _protected(send))


def _protected(send: Send) -> Send:
    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name, value) for name, value in PROTECTION.items() if name not in present]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sends
