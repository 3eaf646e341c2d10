"""The More page: a list of every page, for the last tab on a phone."""

from fieldloop.say.html import escape, tag
from fieldloop.ui.components import panel
from fieldloop.ui.navigation import every_page, icon
from fieldloop.ui.visit import Drawn, Visit


def draw(_: Visit) -> Drawn:
    """List every page."""
    links = [tag("a", icon(name), tag("span", name), class_="to", href=to) for _heading, name, to in every_page()]
    return Drawn(escape("More"), (panel("Every page", tag("nav", *links, class_="every")),))
