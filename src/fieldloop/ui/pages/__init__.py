"""Every page with its address, in the order of the rail. A new page is one file and one line here."""

from dataclasses import dataclass

from fieldloop.ui.pages import (
    annotate,
    deployment,
    diagnose,
    episode,
    episodes,
    floor,
    home,
    incidents,
    more,
    plan,
    policies,
    protocol,
    quality,
    releases,
    settings,
)
from fieldloop.ui.visit import Build


@dataclass(frozen=True, slots=True)
class Page:
    """A page: which entry of the rail it belongs to, its address, and what draws it."""

    name: str
    path: str
    build: Build


PAGES = (
    Page("Home", "/", home.draw),
    Page("Deployment", "/deployment", deployment.draw),
    Page("Protocol", "/protocol", protocol.draw),
    Page("Coverage and plan", "/plan", plan.draw),
    Page("Episodes", "/episodes", episodes.draw),
    Page("Episodes", "/episodes/{episode}", episode.draw),
    Page("Annotate", "/annotate", annotate.draw),
    Page("Quality", "/quality", quality.draw),
    Page("Releases", "/releases", releases.draw),
    Page("Releases", "/releases/{release}", releases.draw_one),
    Page("Policies", "/policies", policies.draw),
    Page("Policies", "/policies/{policy}", policies.draw_one),
    Page("Floor", "/floor", floor.draw),
    Page("Diagnosis", "/diagnose", diagnose.draw),
    Page("Incidents", "/incidents", incidents.draw),
    Page("Settings", "/settings", settings.draw),
    Page("More", "/more", more.draw),
)
