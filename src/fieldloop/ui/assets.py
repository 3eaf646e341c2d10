"""Serves style sheet, modules and icon under a content hash: cached for ever, new at once after an upgrade."""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from fieldloop.say import palette

if TYPE_CHECKING:
    from fastapi import FastAPI

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
IMPORT = re.compile(r'from "\./([\w.]+)"')
SHEETS, STYLE = ("theme.css", "parts.css", "player.css", "annotate.css"), "style.css"
DARK = ':root[data-theme="dark"]'
FOR_EVER = "public, max-age=31536000, immutable"


@cache
def read_assets() -> dict[str, bytes]:
    """Read every asset once."""
    folder = files("fieldloop.ui").joinpath("assets")
    read = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in TYPES}
    return {name: body for name, body in read.items() if name not in SHEETS} | {STYLE: _join_style_sheets(read)}


def _join_style_sheets(assets: dict[str, bytes]) -> bytes:
    """Put the palette, the kit and the sheets of the pages into one file: one request instead of four."""
    kit = files("fieldloop.say").joinpath("kit.css").read_bytes()
    return b"".join((palette.write_theme_css(DARK).encode(), kit, *(assets[name] for name in SHEETS)))


@cache
def get_assets_address() -> str:
    """Return the address under which this version's assets are served."""
    digest = hashlib.sha256(b"".join(name.encode() + body for name, body in sorted(read_assets().items())))
    return f"/assets/{digest.hexdigest()[:12]}"


def get_asset_url(name: str) -> str:
    """Return the address of one asset."""
    return f"{get_assets_address()}/{name}"


def list_imported_modules(names: Iterable[str]) -> tuple[str, ...]:
    """Return modules with all that they import, so that a page can have them fetched at once.

    >>> list_imported_modules(["success.js"])
    ('success.js', 'lineband.js', 'marks.js')
    """
    known: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in known:
            known[name] = None
            waiting += IMPORT.findall(read_assets()[name].decode())
    return tuple(known)


def add_assets_route(app: "FastAPI") -> None:
    """Add the route; an address of another version is answered too, but not kept."""
    from fastapi.responses import Response

    @app.get("/assets/{key}/{name}", include_in_schema=False)
    def serve_asset(key: str, name: str) -> Response:
        if name not in read_assets():
            return Response(status_code=404)
        keep = FOR_EVER if f"/assets/{key}" == get_assets_address() else "no-store"
        return Response(read_assets()[name], media_type=TYPES[name.rpartition(".")[2]], headers={"Cache-Control": keep})

    @app.get("/favicon.ico", include_in_schema=False)
    def serve_favicon() -> Response:
        return Response(read_assets()["icon.svg"], media_type=TYPES["svg"], headers={"Cache-Control": "max-age=86400"})
