"""The deployment map in force with its audit and notes about both."""

from dataclasses import dataclass

from fieldloop.loop.audit.audited_map import map_changed
from fieldloop.loop.audit.live_sites import live_sites_without_set
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class DeploymentShown:
    """The map and its last audit; `early` names sites in production too soon, `changed` files edited since."""

    deployment: Deployment | None
    audit: Audit | None
    early: tuple[Note, ...] = ()
    changed: tuple[Note, ...] = ()


def show_deployment(workspace: Workspace) -> DeploymentShown:
    """Show the deployment map in force, its audit, and what changed since."""
    here = workspace.at_one_moment()
    newest = here.newest_of(Deployment, Audit)
    mapped: Deployment | None = newest[Deployment]
    if mapped is None:
        return DeploymentShown(None, newest[Audit])
    return DeploymentShown(mapped, newest[Audit], tuple(live_sites_without_set(here, mapped)), map_changed(here))
