"""The pages: plain HTML with small ES modules, served by the app that serves the API. Importing this costs nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from fieldloop.loop.workspace import Workspace


def mount_ui(app: "FastAPI", open_workspace: "Callable[[], Workspace]") -> None:
    """Add every page to an app that serves the API already."""
    from fieldloop.ui.mounting import mount_pages

    mount_pages(app, open_workspace)


__all__ = ["mount_ui"]
