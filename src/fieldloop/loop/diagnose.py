"""Which gap made it fail: shares of the lost success, with evidence."""

import numpy as np

from fieldloop.diagnose import Evidence, demonstrations_of
from fieldloop.diagnose import diagnose as explain
from fieldloop.errors import Refused
from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.monitor import nominal
from fieldloop.loop.policies import named
from fieldloop.loop.rollout import in_production
from fieldloop.loop.workspace import Workspace
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Episode
from fieldloop.model.event import DiagnosisMade
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.release import Release


def diagnose(workspace: Workspace, policy: str = "", *, site: str = "", seed: int = 0) -> Diagnosis:
    """Say which gap made a policy fail in production: is the drop real, and what caused it.

    Arguments:
        policy: id, beginning of it, or name; the version in production unless given
        site: one site only; all unless given
        seed: for the bootstrap behind the intervals
    """
    chosen = policy or in_production(workspace)
    if chosen is None:
        raise Refused("No version is in production. Name the policy to diagnose.")
    version = named(workspace, chosen)
    release = workspace.store.get(Release, version.release)
    made = explain(
        Evidence(
            policy=version.id,
            baseline=tuple(nominal(workspace, version.id)),
            production=tuple(workspace.store.find(Outcome, {"policy": version.id, "stage": Stage.PRODUCTION})),
            demonstrations=demonstrations_of(workspace.store.find(Episode, {"id": list(release.episodes)})),
            site=site,
            time_zones={place.id: place.time_zone for place in latest_deployment(workspace).sites},
        ),
        workspace.operations["diagnose"],
        workspace.ids,
        workspace.clock(),
        np.random.default_rng(seed),
    )
    workspace.write(DiagnosisMade(made))
    return made
