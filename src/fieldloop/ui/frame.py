"""The document around every page: head, rail, bar, tabs, banner and the list of keys."""

import base64
import hashlib
import re
from collections.abc import Mapping

from fieldloop.model.person import Actor
from fieldloop.say.html import Markup, join, tag
from fieldloop.ui.assets import STYLE, get_asset_url, list_imported_modules
from fieldloop.ui.components import draw_connection_banner
from fieldloop.ui.navigation import draw_phone_tabs, draw_side_navigation
from fieldloop.ui.visit import Drawn

NO_FLASH = """(() => {
  const root = document.documentElement, saved = localStorage.getItem("theme");
  root.dataset.theme = saved || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
})()"""
"""Sets the theme before the first paint; the only script that stands in a page."""
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    f"script-src 'self' 'sha256-{base64.b64encode(hashlib.sha256(NO_FLASH.encode()).digest()).decode()}'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": POLICY}
"""A page shows what is so now: going back reads it again. It runs no script and fetches nothing but our own."""
HALF = Markup(
    '<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" '
    'stroke-width="1.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11Z" fill="currentColor"/></svg>'
)
KEYS = (
    ("/", "find an episode"),
    ("g h", "home"),
    ("g p", "plan"),
    ("g e", "episodes"),
    ("g f", "floor"),
    ("?", "show these keys"),
)
ISLAND = re.compile(r' data-island="([\w.]+)"')


def draw_framed_page(current: str, page: Drawn, actor: Actor, counts: Mapping[str, int]) -> Markup:
    """Return a whole page: what was drawn, inside rail and bar."""
    inside = tag("main", *page.parts, class_="page", data_ready="1")
    frame = tag(
        "div",
        tag("nav", draw_side_navigation(current, counts), class_="rail", aria_label="Pages"),
        tag("header", _draw_top_bar(page.title, actor), class_="bar"),
        inside,
        tag("nav", draw_phone_tabs(current), class_="tabs", aria_label="Main"),
        draw_connection_banner(),
        _draw_keyboard_help(),
        class_="frame",
    )
    return draw_document(current, frame, list_imported_modules(ISLAND.findall(inside)))


def draw_document(title: str, body: Markup, modules: tuple[str, ...] = ()) -> Markup:
    """Return an HTML document; its modules are fetched while the page is still being read."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · fieldloop"),
        tag("script", Markup(NO_FLASH)),
        tag("link", rel="stylesheet", href=get_asset_url(STYLE)),
        tag("link", rel="icon", href=get_asset_url("icon.svg"), type="image/svg+xml"),
        *(tag("link", rel="modulepreload", href=get_asset_url(name)) for name in modules),
        tag("script", type="module", src=get_asset_url("shell.js")),
    )
    return join(Markup("<!doctype html>\n"), tag("html", head, tag("body", body), lang="en"))


def _draw_top_bar(title: Markup, actor: Actor) -> Markup:
    find = tag(
        "form",
        tag("input", name="q", placeholder="Find an episode, SKU, robot", aria_label="Find"),
        tag("kbd", "/"),
        class_="find",
        action="/episodes",
        role="search",
    )
    theme = tag(
        "button", HALF, type="button", class_="btn icon ghost", data_theme_switch=True, aria_label="Light or dark"
    )
    who = tag("span", actor.role.value, class_="chip wide", title=f"You are {actor.id}")
    return join(tag("h1", title), tag("span", class_="fill"), find, theme, who)


def _draw_keyboard_help() -> Markup:
    rows = [join(tag("dt", *(tag("kbd", key) for key in keys.split())), tag("dd", what)) for keys, what in KEYS]
    close = tag("form", tag("button", "Close", class_="btn"), method="dialog")
    return tag("dialog", tag("dl", *rows, class_="kv"), close, class_="keys", aria_label="Keys")
