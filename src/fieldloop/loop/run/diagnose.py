"""Diagnose a policy in production from what the workspace holds."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.diagnose import Evidence, demonstrations_of
from fieldloop.diagnose import diagnose as explain
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.audit.audited_map import find_edited_map_files
from fieldloop.loop.data.as_frozen import find_release_episodes
from fieldloop.loop.home.pages import read_daily_rates
from fieldloop.loop.run.monitor import find_nominal_outcomes
from fieldloop.loop.run.policies import find_policy, find_release_of_policy
from fieldloop.loop.run.rollout import find_rollout_in_progress, find_version_in_production
from fieldloop.loop.ship.release_evidence import estimate_rig_lags, measure_agreements
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import add_tier_to_episodes, add_tier_to_outcomes
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.response_event import DiagnosisMade
from fieldloop.report.diagnose import DiagnosisReport
from fieldloop.report.diagnose import render_diagnosis_page as page_of


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
    climbing = find_rollout_in_progress(workspace)
    chosen = policy or find_version_in_production(workspace) or (climbing.candidate if climbing else None)
    if chosen is None:
        raise Refused("No version is in production. Name the policy to diagnose.")
    version = find_policy(workspace, chosen)
    made = explain(
        collect_evidence(workspace, version, site),
        workspace.operations["diagnose"],
        workspace.ids,
        workspace.clock(),
        np.random.default_rng(seed),
    )
    made = replace(made, cannot_tell=(*made.cannot_tell, *find_edited_map_files(workspace)))
    workspace.write(DiagnosisMade(made))
    if html:
        shown = DiagnosisReport(made, read_daily_rates(workspace, version.id, site, made.made_ns), version.name)
        write_atomically(html, page_of(shown))
    return made


def collect_evidence(workspace: Workspace, version: PolicyVersion, site: str = "") -> Evidence:
    """Collect what the workspace holds about a version: outcomes before and in production, and its data."""
    deployment = require_latest_deployment(workspace)
    if site and site not in {place.id for place in deployment.sites}:
        raise BadInput(f"The map has no site {site!r}. Sites: {', '.join(place.id for place in deployment.sites)}.")
    release = find_release_of_policy(workspace, version)
    episodes = find_release_episodes(workspace, release) if release else []
    by_tier = add_tier_to_episodes(episodes, deployment)
    return Evidence(
        policy=version.id,
        baseline=add_tier_to_outcomes(find_nominal_outcomes(workspace, version.id), deployment),
        production=add_tier_to_outcomes(
            workspace.store.find(Outcome, {"policy": version.id, "stage": Stage.PRODUCTION}), deployment
        ),
        demonstrations=demonstrations_of(by_tier) if release else None,
        site=site,
        time_zones=deployment.time_zones,
        lags=estimate_rig_lags(workspace, release, episodes) if release else (),
        agreements=measure_agreements(workspace, by_tier),
        exposures=deployment.exposures,
    )
