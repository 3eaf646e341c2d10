"""The More page: a list of every page, for the last tab on a phone."""

from fieldloop.say.html import escape, tag
from fieldloop.ui.components import draw_panel
from fieldloop.ui.navigation import draw_icon, list_every_page
from fieldloop.ui.visit import Drawn, Visit


def draw(_: Visit) -> Drawn:
    """List every page."""
    links = [
        tag("a", draw_icon(name), tag("span", name), class_="to", href=to) for _heading, name, to in list_every_page()
    ]
    return Drawn(escape("More"), (draw_panel("Every page", tag("nav", *links, class_="every")),))
