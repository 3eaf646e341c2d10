"""Every page gets its address; NiceGUI joins the app as its last route; one timer follows the ledger for all."""

import secrets
from collections.abc import Callable

from fastapi import FastAPI, Request
from nicegui import app as host
from nicegui import run, ui

from fieldloop.errors import FieldloopError
from fieldloop.loop.home import home
from fieldloop.loop.page_reads import attention, tail
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor
from fieldloop.ui.assets import serve_assets
from fieldloop.ui.components import empty_state
from fieldloop.ui.frame import frame, live
from fieldloop.ui.markup import text
from fieldloop.ui.pages import PAGES, Page
from fieldloop.ui.pages.login import add_login
from fieldloop.ui.visit import ACTOR, Drawn, Visit

FOLLOW_S = 1.0
ANSWER_S = 30.0


def mount_pages(app: FastAPI, open_workspace: Callable[[], Workspace]) -> None:
    """Add pages, assets and the sign-in form to an app that has its API routes already."""
    serve_assets(app)
    add_login(app)
    for page in PAGES:
        _add(page, open_workspace)
    _follow(open_workspace)
    ui.run_with(
        app,
        title="fieldloop",
        favicon=None,
        tailwind=False,
        storage_secret=secrets.token_urlsafe(32),
        reconnect_timeout=30,
        binding_refresh_interval=None,
        show_welcome_message=False,
    )


def _add(page: Page, open_workspace: Callable[[], Workspace]) -> None:
    @ui.page(page.path, title=f"{page.name} · fieldloop", response_timeout=ANSWER_S)  # type: ignore[untyped-decorator]  # NiceGUI brings no types
    async def show(request: Request) -> None:
        actor: Actor = request.scope[ACTOR]
        visit = Visit(open_workspace().acting_as(actor), dict(request.query_params), dict(request.path_params))
        drawn, counts = await run.io_bound(_build, page, visit)
        frame(page.name, drawn, actor, counts)


def _build(page: Page, visit: Visit) -> tuple[Drawn, dict[str, int]]:
    """Read and draw, away from the event loop; what the house refuses is said on the page."""
    counts = attention(visit.workspace)
    try:
        return page.build(visit), counts
    except FieldloopError as refused:
        return Drawn(text(page.name), (empty_state("This cannot be shown", str(refused)),)), counts


def _follow(open_workspace: Callable[[], Workspace]) -> None:
    """Look at the ledger once a second for all open pages together."""
    seen: list[int] = []

    def look() -> bool:
        if not seen:
            seen.append(home(open_workspace()).seq)
        behind = tail(open_workspace(), seen[-1])
        if behind:
            seen[:] = [behind[-1]["seq"]]
        return bool(behind)

    async def tick() -> None:
        if await run.io_bound(look):
            live.emit({"seq": seen[-1]})

    host.timer(FOLLOW_S, tick)
