"""The deployment map in force with its audit and notes about both."""

from dataclasses import dataclass

from fieldloop.loop.audit.audited_map import FILES, find_edited_map_files
from fieldloop.loop.audit.live_sites import note_live_sites_without_set
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.note import Note
from fieldloop.text_files import read_text


@dataclass(frozen=True, slots=True)
class DeploymentShown:
    """The map and its last audit; `early` names sites in production too soon, `changed` files edited since."""

    deployment: Deployment | None
    audit: Audit | None
    early: tuple[Note, ...] = ()
    changed: tuple[Note, ...] = ()
    map_text: str = ""
    """The text of deployment.toml in the workspace, to be edited; '' where there is none."""


def show_deployment(workspace: Workspace) -> DeploymentShown:
    """Show the deployment map in force, its audit, and what changed since."""
    here = workspace.with_read_cache()
    newest = here.find_newest_of_several(Deployment, Audit)
    mapped: Deployment | None = newest[Deployment]
    if mapped is None:
        return DeploymentShown(None, newest[Audit], map_text=_read_map_text(here))
    early = tuple(note_live_sites_without_set(here, mapped))
    return DeploymentShown(mapped, newest[Audit], early, find_edited_map_files(here), _read_map_text(here))


def _read_map_text(workspace: Workspace) -> str:
    file = workspace.root / FILES[0]
    return read_text(file) if file.is_file() else ""
