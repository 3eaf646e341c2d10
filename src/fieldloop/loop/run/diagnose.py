"""Diagnose a policy in production from what the workspace holds."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.diagnose import Evidence, demonstrations_of
from fieldloop.diagnose import diagnose as explain
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit.audit import latest_deployment
from fieldloop.loop.audit.audited_map import map_changed
from fieldloop.loop.data.as_frozen import episodes_of_release
from fieldloop.loop.home.pages import daily_rates
from fieldloop.loop.run.monitor import nominal_outcomes
from fieldloop.loop.run.policies import find_policy, release_of
from fieldloop.loop.run.rollout import rollout_in_progress, version_in_production
from fieldloop.loop.ship.release_evidence import agreements_of, lags_of
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import add_tier_to_episodes, add_tier_to_outcomes
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.event import DiagnosisMade
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.report.diagnose import DiagnosisReport
from fieldloop.report.diagnose import html as page_of


def diagnose(
    workspace: Workspace, policy: str = "", *, site: str = "", seed: int = 0, html: Path | None = None
) -> Diagnosis:
    """Diagnose a drop of success in production: whether it is real, and what caused it.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name (default: the version in production, else
            the one that is being rolled out)
        site: diagnose this site only (default: all sites)
        seed: seed of the random draws behind the intervals
        html: also write the report to this HTML file
    """
    climbing = rollout_in_progress(workspace)
    chosen = policy or version_in_production(workspace) or (climbing.candidate if climbing else None)
    if chosen is None:
        raise Refused("No version is in production. Name the policy to diagnose.")
    version = find_policy(workspace, chosen)
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
        write_atomically(html, page_of(shown))
    return made


def evidence_of(workspace: Workspace, version: PolicyVersion, site: str = "") -> Evidence:
    """Collect what the workspace holds about a version: outcomes before and in production, and its data."""
    deployment = latest_deployment(workspace)
    if site and site not in {place.id for place in deployment.sites}:
        raise BadInput(f"The map has no site {site!r}. Sites: {', '.join(place.id for place in deployment.sites)}.")
    release = release_of(workspace, version)
    episodes = episodes_of_release(workspace, release) if release else []
    by_tier = add_tier_to_episodes(episodes, deployment)
    return Evidence(
        policy=version.id,
        baseline=add_tier_to_outcomes(nominal_outcomes(workspace, version.id), deployment),
        production=add_tier_to_outcomes(
            workspace.store.find(Outcome, {"policy": version.id, "stage": Stage.PRODUCTION}), deployment
        ),
        demonstrations=demonstrations_of(by_tier) if release else None,
        site=site,
        time_zones=deployment.time_zones,
        lags=lags_of(workspace, release, episodes) if release else (),
        agreements=agreements_of(workspace, by_tier),
        exposures=deployment.exposures,
    )
