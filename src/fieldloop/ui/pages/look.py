"""The explorer: on the page of an episode, and alone for `fieldloop look PATH`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fieldloop.loop.look.view import ADDRESS
from fieldloop.model.explored import EpisodeListed
from fieldloop.say.html import Markup, tag
from fieldloop.ui.assets import add_assets_route, list_imported_modules
from fieldloop.ui.components.island import make_script_element
from fieldloop.ui.frame import HALF, HEADERS, draw_document

if TYPE_CHECKING:
    from fastapi import FastAPI

MODULE = "look.js"
ALONE = "/"
LISTED_AROUND = 50


def draw_explorer(key: str, *, episodes: Sequence[EpisodeListed] = (), alone: bool = False) -> Markup:
    """Make the element that the explorer draws itself into; of many episodes those around it are listed."""
    place = next((k for k, one in enumerate(episodes) if one.key == key), 0)
    near = episodes[max(0, place - LISTED_AROUND) : place + LISTED_AROUND + 1]
    listed = [{"key": one.key, "name": one.name} for one in near]
    args = {"address": f"{ADDRESS}/{key}", "episodes": listed, "count": len(episodes), "standalone": ALONE * alone}
    return make_script_element(MODULE, args)


def draw_explorer_page(name: str, key: str, episodes: Sequence[EpisodeListed]) -> Markup:
    """Draw the document of `fieldloop look PATH`: a bar with the name, and the explorer."""
    theme = tag(
        "button", HALF, type="button", class_="btn icon ghost", data_theme_switch=True, aria_label="Light or dark"
    )
    bar = tag("header", tag("h1", name), tag("span", class_="fill"), theme, class_="bar")
    main = tag("main", draw_explorer(key, episodes=episodes, alone=True))
    return draw_document(name, tag("div", bar, main, class_="alone"), list_imported_modules((MODULE,)))


def add_explorer_page(
    app: "FastAPI", name: str, first: str, list_episodes: Callable[[], Sequence[EpisodeListed]]
) -> None:
    """Add the page and its assets to an app that has the player's routes."""
    from fastapi.responses import HTMLResponse

    add_assets_route(app)

    @app.get(ALONE, include_in_schema=False)
    def serve_explorer(episode: str = first) -> HTMLResponse:
        episodes = list_episodes()
        known = episode if any(one.key == episode for one in episodes) else first
        return HTMLResponse(draw_explorer_page(name, known, episodes), headers=HEADERS)
