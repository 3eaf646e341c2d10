"""The frame around every page: rail, bar, tabs, banner; and the islands inside it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import Event, ui
from nicegui.element import Element

from fieldloop.model.person import Actor
from fieldloop.ui.assets import url
from fieldloop.ui.components import connection_banner
from fieldloop.ui.markup import Html, join, tag
from fieldloop.ui.navigation import rail, tabs
from fieldloop.ui.visit import Drawn, Island, IslandPanel, Part

NO_FLASH = """<script>(() => {
  const root = document.documentElement, saved = localStorage.getItem("theme");
  root.dataset.theme = saved || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.lang = "en";
})()</script>"""
HALF = (
    '<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" '
    'stroke-width="1.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11Z" fill="currentColor"/></svg>'
)
KEYS = (
    ("/", "find an episode"),
    ("g h", "home"),
    ("g p", "plan"),
    ("g e", "episodes"),
    ("g f", "floor"),
    ("?", "these keys"),
)

live: Event[dict[str, Any]] = Event()
"""Told when the ledger grew; pages that show live numbers subscribe."""


class IslandElement(Element, component=str(Path(__file__).parent / "assets" / "island.js")):  # type: ignore[misc, call-arg]  # NiceGUI brings no types
    """A client-side part: a plain ES module from the assets, fed over HTTP, nudged over the socket."""

    def __init__(self, module: str, args: Mapping[str, Any]) -> None:
        """Name the module and what it is told."""
        super().__init__()
        self._props["module"] = url(module)
        self._props["args"] = dict(args)

    def push(self, data: dict[str, Any]) -> None:
        """Nudge the module."""
        self.run_method("push", data)


def head() -> str:
    """Return what goes into every page's head, before the first paint."""
    sheets = "".join(tag("link", rel="stylesheet", href=url(name)) for name in ("theme.css", "parts.css"))
    return f'{NO_FLASH}{sheets}<script type="module" src="{url("shell.js")}"></script>'


def frame(current: str, drawn: Drawn, actor: Actor, counts: Mapping[str, int]) -> None:
    """Lay a drawn page out inside rail and bar."""
    ui.add_head_html(head())
    with ui.element("div").classes("frame"):
        ui.html(rail(current, counts), sanitize=False, tag="nav").classes("rail").props('aria-label="Pages"')
        ui.html(_bar(drawn.title, actor), sanitize=False, tag="header").classes("bar")
        with ui.element("div").classes("page").props('data-ready="1"'):
            for part in drawn.parts:
                place(part)
        ui.html(tabs(current), sanitize=False, tag="nav").classes("tabs").props('aria-label="Main"')
        ui.html(join(connection_banner(), _keys()), sanitize=False).classes("contents")


def place(part: Part) -> None:
    """Put one part on the page."""
    if isinstance(part, Html):
        ui.html(part, sanitize=False).classes("contents")
    elif isinstance(part, Island):
        _island(part.module, part.args, live_too=part.live)
    else:
        _panel(part)


def _panel(part: IslandPanel) -> None:
    with ui.element("section").classes(f"panel c{part.columns}").props(f'aria-label="{part.title}"'):
        with ui.element("header"):
            ui.html(join(tag("h2", part.title), tag("p", part.note) if part.note else None), sanitize=False).classes(
                "contents"
            )
            if part.in_header:
                _island(part.module, part.args, live_too=part.live).classes("right")
        ui.html(part.before, sanitize=False).classes("contents")
        if not part.in_header:
            with ui.element("div").classes("body"):
                _island(part.module, part.args, live_too=part.live)
        ui.html(part.after, sanitize=False).classes("contents")


def _island(module: str, args: Mapping[str, Any], *, live_too: bool) -> IslandElement:
    island = IslandElement(module, args)
    if live_too:
        live.subscribe(island.push)  # unsubscribed by NiceGUI when the page goes away
    return island


def _bar(title: Html, actor: Actor) -> Html:
    find = tag(
        "form",
        tag("input", name="q", placeholder="Find an episode, SKU, robot", aria_label="Find"),
        tag("kbd", "/"),
        class_="find",
        action="/episodes",
        role="search",
    )
    theme = tag(
        "button", Html(HALF), type="button", class_="btn icon ghost", data_theme_switch=True, aria_label="Light or dark"
    )
    who = tag("span", actor.role.value, class_="chip wide", title=f"You are {actor.id}")
    return join(tag("h1", title), tag("span", class_="fill"), find, theme, who)


def _keys() -> Html:
    rows = [join(tag("dt", *(tag("kbd", key) for key in keys.split())), tag("dd", what)) for keys, what in KEYS]
    close = tag("form", tag("button", "Close", class_="btn"), method="dialog")
    return tag("dialog", tag("dl", *rows, class_="kv"), close, class_="keys", aria_label="Keys")
