"""Builds the API of one workspace: a route per use case, problem+json, tokens and roles."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import parse_qs, quote

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

from fieldloop import __version__
from fieldloop.api.authentication import ACTOR, Authentication
from fieldloop.api.live import HEADERS, Live
from fieldloop.api.media import add_media_routes
from fieldloop.api.problems import add_error_handlers
from fieldloop.api.routes import add_route, serialise_result
from fieldloop.api.sessions import COOKIE, Sessions, get_safe_target
from fieldloop.doors.schemas import Schemas
from fieldloop.errors import Refused, UnknownName
from fieldloop.loop.annotate.people import is_lead
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.catalogue import ANYONE, USE_CASES, UseCase
from fieldloop.loop.home.pages import read_ledger_tail
from fieldloop.loop.house.tokens import find_actor_by_secret
from fieldloop.loop.look.of_workspace import WorkspaceEpisodes
from fieldloop.loop.look.opened import OpenedEpisode
from fieldloop.loop.look.view import EpisodeView
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor, Role

ABOUT = """Every use case of the command line, as JSON. Over loopback you are the local admin; from elsewhere send
`Authorization: Bearer <token>` (an admin issues one with `fieldloop token NAME`). Errors are problem+json."""


TOO_LONG, TOO_MANY = 413, 429
LONGEST_FORM = 8_192
"""Bytes of a sign-in form: a token and an address."""


def build_app(open_workspace: Callable[[], Workspace], use_cases: tuple[UseCase, ...] = USE_CASES) -> FastAPI:
    """Build the app; the workspace is opened at the first request and kept open."""
    workspace, sessions = _make_workspace_opener(open_workspace), Sessions()
    app = FastAPI(
        title="fieldloop",
        version=__version__,
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    add_error_handlers(app)
    _add_sign_in_routes(app, workspace, sessions)
    _add_events_route(app, workspace)
    _add_live_route(app, workspace)
    _add_player_routes(app, workspace)
    schemas = Schemas()
    for case in use_cases:
        if not case.no_route:
            add_route(app, case, workspace, schemas)
    _add_result_schemas(app, schemas)
    _add_unknown_route(app)
    app.add_middleware(GZipMiddleware, minimum_size=1024)
    app.add_middleware(Authentication, workspace=workspace, sessions=sessions)  # added last, so it runs first
    return app


def _make_workspace_opener(open_workspace: Callable[[], Workspace]) -> Callable[[], Workspace]:
    """Open the workspace at the first call, once for all threads."""
    opened: list[Workspace] = []
    lock = threading.Lock()

    def get_workspace() -> Workspace:
        with lock:
            if not opened:
                opened.append(open_workspace())
        return opened[0]

    return get_workspace


def _add_events_route(app: FastAPI, get_workspace: Callable[[], Workspace]) -> None:
    @app.get("/api/events", tags=["House"], summary="Follow the ledger: events behind a sequence number, oldest first.")
    def events(request: Request, after: int = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
        actor: Actor = request.scope[ACTOR]
        if actor.role not in ANYONE or (actor.role is Role.ANNOTATOR and not is_lead(actor)):
            # the ledger holds the labels of others, which independent annotators must not see
            raise Refused("This role may not read the events of the ledger.")
        return serialise_result(read_ledger_tail(get_workspace(), after, limit))


def _add_live_route(app: FastAPI, get_workspace: Callable[[], Workspace]) -> None:
    app.state.live = live = Live(get_workspace)

    @app.get("/api/live", tags=["House"], summary="Follow the numbers of the home page as server-sent events.")
    async def stream(request: Request, after: int = 0, *, numbers: bool = False) -> Response:
        if request.scope[ACTOR].role not in ANYONE:
            raise Refused("This role may not read the events of the ledger.")
        actor = request.scope[ACTOR].id
        if not live.has_room_for(actor):
            raise HTTPException(TOO_MANY, "Too many pages follow the ledger already. Close some and try again.")
        news = live.listen(after, numbers=numbers, actor=actor)
        return StreamingResponse(news, media_type="text/event-stream", headers=HEADERS)


def _add_player_routes(app: FastAPI, get_workspace: Callable[[], Workspace]) -> None:
    episodes = WorkspaceEpisodes()

    def get_episode(request: Request, key: str) -> OpenedEpisode:
        if request.scope[ACTOR].role not in ANYONE:
            raise Refused("This role may not look at episodes.")
        return episodes.get_episode(get_workspace().acting_as(request.scope[ACTOR]), key)

    def hide_labels(request: Request, view: EpisodeView) -> EpisodeView:
        here = get_workspace().acting_as(request.scope[ACTOR])
        return replace(view, segments=select_visible_labels(here, view.segments)[0])

    add_media_routes(app, get_episode, hide_labels)


async def _read_form(request: Request) -> bytes:
    """Read the body of a sign-in, which is open to anyone and therefore short."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_FORM:
            raise HTTPException(TOO_LONG, f"A sign-in has at most {LONGEST_FORM} bytes.")
    return body


def _add_sign_in_routes(app: FastAPI, get_workspace: Callable[[], Workspace], sessions: Sessions) -> None:
    @app.post("/api/session", include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        """Exchange a token for a cookie; a plain form posts it."""
        form = parse_qs((await _read_form(request)).decode(errors="replace"))
        secret, to = form.get("token", [""])[0].strip(), get_safe_target(form.get("to", ["/"])[0])
        try:
            await run_in_threadpool(find_actor_by_secret, get_workspace(), secret)
        except Refused:
            return RedirectResponse(f"/login?wrong=1&to={quote(to)}", 303)
        entered = RedirectResponse(to, 303)
        https = request.url.scheme == "https"
        entered.set_cookie(COOKIE, sessions.open(secret), httponly=True, samesite="lax", secure=https)
        return entered

    @app.post("/api/session/end", include_in_schema=False)
    def sign_out(request: Request) -> Response:
        sessions.close(request.cookies.get(COOKIE, ""))
        left = RedirectResponse("/login", 303)
        left.delete_cookie(COOKIE)
        return left


def _add_result_schemas(app: FastAPI, schemas: Schemas) -> None:
    """Add the schemas of what routes return to the OpenAPI document, which FastAPI makes at its first request."""
    make = app.openapi

    def build_openapi() -> dict[str, Any]:
        document = make()
        document.setdefault("components", {}).setdefault("schemas", {}).update(schemas.components)
        return document

    app.openapi = build_openapi  # type: ignore[method-assign]  # FastAPI documents this way of extending the document


def _add_unknown_route(app: FastAPI) -> None:
    known = {getattr(route, "path", "") for route in app.routes}

    @app.api_route("/api/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    def unknown(rest: str) -> Any:
        if f"/api/{rest}" in known:
            raise HTTPException(405, f"/api/{rest} exists, but not with this method; see /api/openapi.json.")
        raise UnknownName("route", f"/api/{rest}", known)
