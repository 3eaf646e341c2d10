"""Authenticates every request and every socket before a route sees it.

A request over loopback acts as the local admin, because a user of the machine can read its files anyway. Three kinds of
request are not local: one through a proxy, one that names another host (DNS rebinding), and one that a page of
another site sent.
"""

import ipaddress
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldloop.api.problems import Unauthenticated, convert_error_to_problem
from fieldloop.api.sessions import Sessions
from fieldloop.errors import FieldloopError, Refused
from fieldloop.loop.catalogue import ANYONE
from fieldloop.loop.house.tokens import find_actor_by_secret
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import LOCAL_ADMIN, Actor

ACTOR = "fieldloop.actor"
LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}
THROUGH_A_PROXY = ("x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via")
OPEN = ("/login", "/api/session", "/api/session/end", "/favicon.ico")
OPEN_BELOW = "/assets/"
"""Paths that need no sign-in, and the folder of stylesheets and scripts."""
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
PROTECTION = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",
}


class Authentication:
    """ASGI middleware around API, pages, assets and sockets alike."""

    def __init__(self, app: ASGIApp, workspace: Callable[[], Workspace], sessions: Sessions) -> None:
        """Wrap an app."""
        self.app, self.workspace, self.sessions = app, workspace, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its actor, or answer with the refusal."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            scope[ACTOR] = await self._authenticate(scope)
        except FieldloopError as refused:
            await _send_refusal(refused, scope, receive, send)
            return
        await self.app(scope, receive, _add_protection_headers(send))

    async def _authenticate(self, scope: Scope) -> Actor | None:
        headers = Headers(scope=scope)
        if scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS or scope["path"].startswith("/api/"):
            refuse_other_sites(headers)
        if scope["path"] in OPEN or scope["path"].startswith(OPEN_BELOW):
            return None
        actor = await self._identify_actor(scope, headers)
        if actor.role not in ANYONE and not scope["path"].startswith("/api/"):
            raise Refused(f"The role {actor.role} has no pages yet.")
        return actor

    async def _identify_actor(self, scope: Scope, headers: Headers) -> Actor:
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and secret.strip():
            return await self._find_actor_by_token(secret.strip())
        if secret := self.sessions.find_secret(headers.get("cookie", "")) or "":
            return await self._find_actor_by_token(secret)
        if is_local(scope, headers):
            return LOCAL_ADMIN
        raise Unauthenticated("Send a token (Authorization: Bearer …). An admin issues one with: fieldloop token NAME")

    async def _find_actor_by_token(self, secret: str) -> Actor:
        try:
            return await run_in_threadpool(find_actor_by_secret, self.workspace(), secret)
        except Refused as unknown:
            raise Unauthenticated(str(unknown)) from unknown


def is_local(scope: Scope, headers: Headers) -> bool:
    """Does this request come from this machine, without a proxy and under a local host name?"""
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
    """Refuse a request that a page of another site made the browser send."""
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host"):
        raise Refused(f"This request comes from a page of another website ({origin}).")
    if headers.get("sec-fetch-site") == "cross-site":
        raise Refused("This request comes from a page of another website.")


async def _send_refusal(error: FieldloopError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": type(error).__name__})
        return
    answer: Response = convert_error_to_problem(error)
    if isinstance(error, Unauthenticated) and not scope["path"].startswith("/api/"):
        answer = RedirectResponse(f"/login?to={quote(scope['path'])}", 303)
    await answer(scope, receive, _add_protection_headers(send))


def _add_protection_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name, value) for name, value in PROTECTION.items() if name not in present]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return send_with_headers
