"""Every page with its address, in the order of the rail. A new page is one file and one line here."""

from dataclasses import dataclass

from fieldloop.ui.pages import (
    annotate,
    annotate_episode,
    deployment,
    diagnose,
    episode,
    episodes,
    floor,
    gate_report,
    gate_trials,
    home,
    incidents,
    more,
    plan,
    policies,
    protocol,
    quality,
    release,
    release_parts,
    releases,
    settings,
    taxonomy,
    trace,
)
from fieldloop.ui.visit import Build


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its entry of the rail, its address, its drawing, and the command that returns the same as JSON."""

    name: str
    path: str
    build: Build
    command: str


PAGES = (
    Page("Home", "/", home.draw, "home"),
    Page("Deployment", "/deployment", deployment.draw, "audit show"),
    Page("Protocol", "/protocol", protocol.draw, "protocol overview"),
    Page("Coverage and plan", "/plan", plan.draw, "plan show"),
    Page("Coverage and plan", "/plan/sheet", plan.draw_sheets, "plan sheet"),
    Page("Episodes", "/episodes", episodes.draw, "ingest find"),
    Page("Episodes", "/episodes/{episode}", episode.draw, "ingest show"),
    Page("Taxonomy", "/taxonomy", taxonomy.draw, "taxonomy overview"),
    Page("Annotate", "/annotate", annotate.draw, "annotate show"),
    Page("Annotate", "/annotate/{episode}", annotate_episode.draw, "annotate labels"),
    Page("Quality", "/quality", quality.draw, "check show"),
    Page("Releases", "/releases", releases.draw, "release list"),
    Page("Releases", "/releases/{release}", release.draw_release, "release show"),
    Page("Releases", "/releases/{release}/verify", release_parts.draw_integrity, "release verified"),
    Page("Releases", "/releases/{older}/to/{newer}", release_parts.draw_diff, "release diff"),
    Page("Releases", "/trace", trace.draw, "trace"),
    Page("Policies", "/policies", policies.draw, "train show"),
    Page("Policies", "/policies/{policy}", policies.draw_policy, "gate show"),
    Page("Policies", "/policies/{policy}/trials", gate_trials.draw, "gate trials"),
    Page("Policies", "/policies/{policy}/trials/sheet", gate_trials.draw_sheet, "gate trials"),
    Page("Policies", "/policies/{policy}/report", gate_report.draw, "gate report"),
    Page("Floor", "/floor", floor.draw, "monitor floor"),
    Page("Diagnosis", "/diagnose", diagnose.draw, "diagnose show"),
    Page("Incidents", "/incidents", incidents.draw, "incident show"),
    Page("Settings", "/settings", settings.draw, "protocol settings"),
    Page("More", "/more", more.draw, ""),
)
