"""The rail in loop order, the tabs of a phone, and the icons of both."""

from collections.abc import Mapping

from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import format_count

RAIL = (
    ("", (("Home", "/"),)),
    ("Prepare", (("Deployment", "/deployment"), ("Protocol", "/protocol"), ("Coverage and plan", "/plan"))),
    (
        "Data",
        (("Episodes", "/episodes"), ("Taxonomy", "/taxonomy"), ("Annotate", "/annotate"), ("Quality", "/quality")),
    ),
    ("Ship", (("Releases", "/releases"), ("Policies", "/policies"))),
    ("Run", (("Floor", "/floor"), ("Diagnosis", "/diagnose"), ("Incidents", "/incidents"))),
)
TABS = (("Home", "/"), ("Episodes", "/episodes"), ("Floor", "/floor"), ("Incidents", "/incidents"), ("More", "/more"))
ICONS = {
    "Home": "M2 7.5 8 2.5l6 5V14H2Z",
    "Deployment": "M2 13.5h12M3.5 13V5L8 2.5 12.5 5v8M6.5 13V9.5h3V13",
    "Protocol": "M3.5 2h6.5l3 3v9h-9.5ZM10 2v3h3M6 8.5h5M6 11h5",
    "Coverage and plan": "M2.5 2.5h4v4h-4ZM9.5 2.5h4v4h-4ZM2.5 9.5h4v4h-4ZM9.5 9.5h4v4h-4Z",
    "Episodes": "M2 4h12M2 8h12M2 12h8",
    "Taxonomy": "M2.5 3h11M5 3v9.5M5 7.5h8.5M5 12.5h8.5",
    "Annotate": "M2 5.5h5v5H2ZM9 5.5h5v5H9Z",
    "Quality": "M2 11l3-4 3 2 3-5 3 3M2 14h12",
    "Releases": "M8 2 13.5 5v6L8 14l-5.5-3V5ZM2.5 5 8 8l5.5-3M8 8v6",
    "Policies": "M8 2v4M8 10v4M2 8h4M10 8h4M6 6h4v4H6Z",
    "Floor": "M2 12.5 6 4l3 5 2-3 3 6.5Z",
    "Diagnosis": "M2 3.5h4v3h4v3h4v3M2 3.5v9.5h12",
    "Incidents": "M8 2.5 14 13H2ZM8 6.5v3M8 11v.5",
    "Settings": "M3 4.5h10M3 11.5h10M6 3v3M10 10v3",
    "More": "M3 4.5h10M3 8h10M3 11.5h10",
}
BRAND = (
    '<svg viewBox="0 0 18 18" aria-hidden="true"><path d="M14.5 6.2A6.3 6.3 0 1 0 15.3 9"/>'
    '<path d="M15.6 2.6v4h-4"/></svg>'
)


def draw_side_navigation(current: str, counts: Mapping[str, int]) -> Markup:
    """Draw the rail; a count shows how much waits for a person."""
    groups = [
        join(
            tag("h2", heading) if heading else None,
            *(_draw_rail_link(name, to, current, counts.get(to, 0)) for name, to in pages),
        )
        for heading, pages in RAIL
    ]
    brand = tag("a", Markup(BRAND), tag("b", "fieldloop"), class_="brand", href="/")
    return join(brand, *groups, tag("div", class_="fill"), _draw_rail_link("Settings", "/settings", current, 0))


def draw_phone_tabs(current: str) -> Markup:
    """Draw the tabs of a phone."""
    return join(
        *(tag("a", draw_icon(name), name, href=to, aria_current=_get_aria_current(name, current)) for name, to in TABS)
    )


def list_every_page() -> list[tuple[str, str, str]]:
    """List heading, name and address of every page, for the page behind More."""
    return [(heading, name, to) for heading, pages in RAIL for name, to in pages] + [("", "Settings", "/settings")]


def draw_icon(name: str) -> Markup:
    """Draw an icon inline: it paints with the page and prints."""
    return tag("svg", Markup(f'<path d="{ICONS[name]}"/>'), viewBox="0 0 16 16", aria_hidden="true")


def _draw_rail_link(name: str, address: str, current: str, count: int) -> Markup:
    waiting = tag("span", format_count(count), class_="n") if count else None
    return tag(
        "a",
        draw_icon(name),
        tag("span", name),
        waiting,
        class_="to",
        href=address,
        aria_current=_get_aria_current(name, current),
    )


def _get_aria_current(name: str, current: str) -> str | None:
    return "page" if name == current else None
