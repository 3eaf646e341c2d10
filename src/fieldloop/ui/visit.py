"""One visit to one page: whose, to what, and what was drawn for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldloop.loop.workspace import Workspace
from fieldloop.ui.markup import Html

NOTHING = Html("")
ACTOR = "fieldloop.actor"
"""Where the doorkeeper in front of the app leaves who is asking."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who looks at which page with which filters."""

    workspace: Workspace
    query: Mapping[str, str] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IslandPanel:
    """A panel with a client-side part: a module of the assets, and what it is told."""

    title: str
    module: str
    args: Mapping[str, Any]
    note: str = ""
    columns: int = 12
    before: Html = NOTHING
    after: Html = NOTHING
    in_header: bool = False
    live: bool = False


@dataclass(frozen=True, slots=True)
class Island:
    """A client-side part without a frame of its own."""

    module: str
    args: Mapping[str, Any]
    live: bool = False


Part = Html | IslandPanel | Island


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page: its title in the bar, and its parts from top to bottom."""

    title: Html
    parts: tuple[Part, ...]


Build = Callable[[Visit], Drawn]
"""Reads through loop and draws; runs in a thread of its own, never on the event loop."""
