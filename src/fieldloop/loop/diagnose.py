"""Which gap made it fail: shares of the lost success, with evidence."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.diagnose import Evidence, demonstrations_of
from fieldloop.diagnose import diagnose as explain
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.audited_map import map_changed
from fieldloop.loop.by_tier import episodes_by_tier, outcomes_by_tier
from fieldloop.loop.monitor import nominal
from fieldloop.loop.page_reads import daily_rates
from fieldloop.loop.policies import named
from fieldloop.loop.release_evidence import agreements_of, lags_of
from fieldloop.loop.rollout import in_production
from fieldloop.loop.whole_file import write_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Episode
from fieldloop.model.event import DiagnosisMade
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.report.diagnose import DiagnosisReport
from fieldloop.report.diagnose import html as page_of


def diagnose(
    workspace: Workspace, policy: str = "", *, site: str = "", seed: int = 0, html: Path | None = None
) -> Diagnosis:
    """Say which gap made a policy fail in production: is the drop real, and what caused it.

    Arguments:
        policy: id, beginning of it, or name; the version in production unless given
        site: one site only; all unless given
        seed: for the draws behind the intervals
        html: write it as a page with pictures to this file too
    """
    chosen = policy or in_production(workspace)
    if chosen is None:
        raise Refused("No version is in production. Name the policy to diagnose.")
    version = named(workspace, chosen)
    made = explain(
        evidence_of(workspace, version, site),
        workspace.operations["diagnose"],
        workspace.ids,
        workspace.clock(),
        np.random.default_rng(seed),
    )
    made = replace(made, cannot_tell=(*made.cannot_tell, *map_changed(workspace)))
    workspace.write(DiagnosisMade(made))
    if html:
        shown = DiagnosisReport(made, daily_rates(workspace, version.id, site, made.made_ns), version.name)
        write_whole(html, page_of(shown))
    return made


def evidence_of(workspace: Workspace, version: PolicyVersion, site: str = "") -> Evidence:
    """Gather all that the workspace knows about a version: before, in production, and about its data."""
    deployment = latest_deployment(workspace)
    if site and site not in {place.id for place in deployment.sites}:
        raise BadInput(f"The map has no site {site!r}; it has {', '.join(place.id for place in deployment.sites)}.")
    release = workspace.store.get(Release, version.release)
    episodes = workspace.store.find(Episode, {"id": list(release.episodes)})
    by_tier = episodes_by_tier(episodes, deployment)
    return Evidence(
        policy=version.id,
        baseline=outcomes_by_tier(nominal(workspace, version.id), deployment),
        production=outcomes_by_tier(
            workspace.store.find(Outcome, {"policy": version.id, "stage": Stage.PRODUCTION}), deployment
        ),
        demonstrations=demonstrations_of(by_tier),
        site=site,
        time_zones=deployment.time_zones,
        lags=lags_of(workspace, release, episodes),
        agreements=agreements_of(workspace, by_tier),
        exposures=deployment.exposures,
    )
