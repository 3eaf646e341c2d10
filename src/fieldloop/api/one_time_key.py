"""Lets in the one browser that opens the printed address: its key becomes a cookie; every other request is refused."""

import hmac
import secrets
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldloop.api.authentication import is_local, refuse_other_sites
from fieldloop.errors import Refused

COOKIE, FIELD, BYTES = "fieldloop_look", "key", 24
"""Browsers send cookies of one host to all its ports, so each server's cookie is named by its port."""
NOT_YOURS = 403


class OneTimeKey:
    """ASGI middleware of a server for one person on this machine.

    The address is used once: the browser that opens it first gets the cookie. Requests from other machines, under
    another host name or from a page of another site are refused.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self.app, self._key, self._cookie = app, key, secrets.token_urlsafe(BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http":
            await (self.app(scope, receive, send) if scope["type"] == "lifespan" else _close_socket(send))
            return
        answer = self._find_answer(scope)
        await (self.app(scope, receive, send) if answer is None else answer(scope, receive, send))

    def _find_answer(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        try:
            refuse_other_sites(headers)
        except Refused as refused:
            return PlainTextResponse(str(refused), NOT_YOURS)
        if not is_local(scope, headers):
            return PlainTextResponse("This page is served to this machine alone.", NOT_YOURS)
        name = f"{COOKIE}_{(scope.get('server') or ('', 0))[1]}"
        if self._has_cookie(name, headers.get("cookie", "")):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if self._key and hmac.compare_digest(query.pop(FIELD, [""])[0].encode(), self._key.encode()):
            self._key = ""  # used
            rest = urlencode(query, doseq=True)
            entered = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            entered.set_cookie(name, self._cookie, httponly=True, samesite="strict")
            return entered
        return PlainTextResponse("Open the address that `fieldloop look` printed; it works once.", NOT_YOURS)

    def _has_cookie(self, name: str, cookies: str) -> bool:
        held = cookie_parser(cookies).get(name, "")
        return hmac.compare_digest(held.encode(errors="replace"), self._cookie.encode())


async def _close_socket(send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008})
