"""Gives every page its address: read and drawn in a worker thread, answered as one HTML document."""

import logging
from collections.abc import Callable

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from fieldloop.doors.naming import use_workspace_names
from fieldloop.errors import FieldloopError, UnknownName
from fieldloop.loop.home.pages import count_open_work
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor
from fieldloop.say.html import escape
from fieldloop.ui.api_reference import draw_api_reference
from fieldloop.ui.assets import add_assets_route
from fieldloop.ui.components import draw_button, draw_empty_state
from fieldloop.ui.frame import HEADERS, draw_framed_page
from fieldloop.ui.pages import PAGES, Page
from fieldloop.ui.pages.login import add_login_route
from fieldloop.ui.visit import ACTOR, Drawn, Visit

OK, NOT_FOUND, BUG = 200, 404, 500
log = logging.getLogger("fieldloop.ui")


def mount_pages(app: FastAPI, open_workspace: Callable[[], Workspace]) -> None:
    """Add pages, assets and the sign-in form to an app that has its API routes already."""
    add_assets_route(app)
    add_login_route(app)
    for page in PAGES:
        _add_page(app, page, open_workspace)
    _add_api_reference(app, open_workspace)
    _add_unknown_page(app, open_workspace)


def _add_page(app: FastAPI, page: Page, open_workspace: Callable[[], Workspace]) -> None:
    @app.get(page.path, include_in_schema=False)
    def serve_page(request: Request) -> HTMLResponse:
        actor: Actor = request.scope[ACTOR]
        visit = Visit(open_workspace().acting_as(actor), dict(request.query_params), dict(request.path_params))
        drawn, status = _draw_page(page, visit)
        return HTMLResponse(
            draw_framed_page(page.name, drawn, actor, count_open_work(visit.workspace)), status, HEADERS
        )


def _add_api_reference(app: FastAPI, open_workspace: Callable[[], Workspace]) -> None:
    @app.get("/docs", include_in_schema=False)
    def serve_reference(request: Request) -> HTMLResponse:
        counts = count_open_work(open_workspace())
        return HTMLResponse(
            draw_framed_page("HTTP API", draw_api_reference(app), request.scope[ACTOR], counts), headers=HEADERS
        )


def _add_unknown_page(app: FastAPI, open_workspace: Callable[[], Workspace]) -> None:
    @app.get("/{rest:path}", include_in_schema=False)
    def serve_unknown_page(request: Request, rest: str) -> Response:
        if request.scope[ACTOR] is None:  # an asset that does not exist
            return PlainTextResponse(f"/{rest} does not exist.", NOT_FOUND)
        nothing = draw_empty_state(
            "No such page", f"/{rest} is not the address of a page.", draw_button("Home", "/", "primary")
        )
        counts = count_open_work(open_workspace())
        page = draw_framed_page("Not found", Drawn(escape("Not found"), (nothing,)), request.scope[ACTOR], counts)
        return HTMLResponse(page, NOT_FOUND, HEADERS)


def _draw_page(page: Page, visit: Visit) -> tuple[Drawn, int]:
    """Read and draw; an error becomes a page that states it."""
    try:
        with use_workspace_names(visit.workspace):
            return page.build(visit), OK
    except FieldloopError as refused:
        missing = isinstance(refused, UnknownName) and bool(visit.path)
        nothing = draw_empty_state("This page cannot be shown", str(refused))
        return Drawn(escape(page.name), (nothing,)), NOT_FOUND if missing else OK
    except Exception:
        log.exception("%s failed", page.path)
        how = "This is a bug. The server's log shows where it happened."
        return Drawn(escape(page.name), (draw_empty_state("This page failed", how),)), BUG
