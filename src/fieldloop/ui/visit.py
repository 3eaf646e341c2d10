"""One visit to one page: who asks, for what, and what was drawn for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fieldloop.loop.workspace import Workspace
from fieldloop.say.html import Markup

ACTOR = "fieldloop.actor"
"""Where the middleware in front of the app leaves who is asking."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who looks at which page with which filters."""

    workspace: Workspace
    query: Mapping[str, str] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page: its title in the bar, and its parts from top to bottom."""

    title: Markup
    parts: tuple[Markup, ...]


Build = Callable[[Visit], Drawn]
"""Reads through loop and draws; called in a worker thread, never on the event loop."""
