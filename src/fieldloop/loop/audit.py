"""The deployment environment comes first: describe it, and ask the five gap questions."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from fieldloop.audit import ask, parse
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.event import DeploymentAudited, DeploymentMapped
from fieldloop.simulate.catalogue import skus_text
from fieldloop.simulate.mix import deployment_text


@dataclass(frozen=True, slots=True)
class Audited:
    """The map in short, and how well it answers."""

    deployment: Deployment
    audit: Audit

    @property
    def exit_ok(self) -> bool:
        """May one go on?"""
        return self.audit.complete or self.audit.overridden_by is not None


def audit(
    workspace: Workspace, deployment_map: Path | None = None, *, skus: Path | None = None, example: bool = False
) -> Audited:
    """Read the deployment map and ask the five gap questions of it.

    Arguments:
        deployment_map: a deployment.toml; the workspace's own unless given
        skus: the catalogue as CSV; skus.csv beside the map unless given
        example: begin with the simulated floor's map, written into the workspace to be edited
    """
    if example:
        _write_example(workspace)
    path = deployment_map or workspace.root / "deployment.toml"
    catalogue = skus or path.with_name("skus.csv")
    deployment = parse(
        _text(path), _text(catalogue), workspace.operations["audit"], map_file=path.name, skus_file=catalogue.name
    )
    asked = ask(deployment, workspace.operations["audit"])
    workspace.write(DeploymentMapped(deployment), DeploymentAudited(asked))
    return Audited(deployment, asked)


def override(workspace: Workspace, *, reason: str) -> Audit:
    """Go on over an incomplete audit; who and why is recorded.

    Arguments:
        reason: why it is right to go on
    """
    if not reason.strip():
        raise BadInput("Going on over an incomplete audit needs a reason.")
    latest = latest_audit(workspace)
    if latest is None:
        raise Refused("There is no audit to override. Run: fieldloop audit")
    overridden = dataclasses.replace(latest, overridden_by=workspace.actor.id, override_reason=reason)
    workspace.write(DeploymentAudited(overridden))
    return overridden


def latest_audit(workspace: Workspace) -> Audit | None:
    """Return the last audit, if there ever was one."""
    return next(iter(workspace.store.find(Audit, newest=True, limit=1)), None)


def latest_deployment(workspace: Workspace) -> Deployment:
    """Return the map in force; refuses to go on without one."""
    found = workspace.store.find(Deployment, newest=True, limit=1)
    if not found:
        raise Refused("No deployment is mapped yet. Describe it in deployment.toml and run: fieldloop audit")
    return found[0]


def require_complete_audit(workspace: Workspace) -> None:
    """Refuse to lock anything over an incomplete audit that nobody overrode."""
    latest = latest_audit(workspace)
    if latest is None or not (latest.complete or latest.overridden_by):
        raise Refused(f"This needs a complete audit, and {_audit_to_come(workspace, latest)}")


def _audit_to_come(workspace: Workspace, latest: Audit | None) -> str:
    """Say what stands in the way and which command comes next: only an audit that was made can be overridden."""
    if latest is not None:
        return (
            f"its score is {latest.score:.0%}. Complete deployment.toml and run `fieldloop audit`, "
            "or go on knowingly with `fieldloop audit override --reason …`."
        )
    if (workspace.root / "deployment.toml").is_file():
        return "there is none yet. Run: fieldloop audit"
    return (
        "there is none yet. Describe where the robot will work in deployment.toml and run `fieldloop audit`; "
        "`fieldloop audit --example` writes a map to edit."
    )


def _write_example(workspace: Workspace) -> None:
    for name, text in (("deployment.toml", deployment_text()), ("skus.csv", skus_text())):
        path = workspace.root / name
        if path.exists():
            raise BadInput(f"{path} is there already; it is not written over.")
        path.write_text(text, encoding="utf-8")


def _text(path: Path) -> str:
    if not path.is_file():
        raise BadInput(
            f"{path} is not there. A deployment is a deployment.toml with a skus.csv beside it; "
            "begin with an example: fieldloop audit --example"
        )
    return path.read_text(encoding="utf-8")
