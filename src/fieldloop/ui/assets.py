"""Our own style sheets and modules, under a content hash: cached for ever, and new at once after an upgrade."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
FOR_EVER = "public, max-age=31536000, immutable"


@cache
def contents() -> dict[str, bytes]:
    """Read every asset once."""
    folder = files("fieldloop.ui").joinpath("assets")
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in TYPES}


@cache
def base() -> str:
    """Return the address under which this version's assets are served."""
    digest = hashlib.sha256(b"".join(name.encode() + body for name, body in sorted(contents().items())))
    return f"/assets/{digest.hexdigest()[:12]}"


def url(name: str) -> str:
    """Return the address of one asset."""
    return f"{base()}/{name}"


def serve_assets(app: "FastAPI") -> None:
    """Add the route; an address of another version is answered too, but not kept."""
    from fastapi.responses import Response

    @app.get("/assets/{key}/{name}", include_in_schema=False)
    def asset(key: str, name: str) -> Response:
        if name not in contents():
            return Response(status_code=404)
        keep = FOR_EVER if f"/assets/{key}" == base() else "no-store"
        return Response(contents()[name], media_type=TYPES[name.rpartition(".")[2]], headers={"Cache-Control": keep})

    @app.get("/favicon.ico", include_in_schema=False)
    def favicon() -> Response:
        return Response(contents()["icon.svg"], media_type=TYPES["svg"], headers={"Cache-Control": "max-age=86400"})
