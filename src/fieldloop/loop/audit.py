"""The deployment environment comes first: describe it, and ask the five gap questions."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop.audit import ask, parse, with_measured
from fieldloop.audit import compare as hold_against
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audited_map import files_of, map_changed
from fieldloop.loop.live_sites import live_without_a_set
from fieldloop.loop.whole_file import write_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.audit import Audit, Comparison
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.event import DeploymentAudited, DeploymentMapped
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.report import audit as pages
from fieldloop.simulate.catalogue import skus_text
from fieldloop.simulate.mix import deployment_text


@dataclass(frozen=True, slots=True)
class Audited:
    """The map in short, and how well it answers."""

    deployment: Deployment
    audit: Audit
    html: str | None = None
    early: tuple[str, ...] = ()
    """Sites that are at work although nothing was collected for them."""

    @property
    def exit_ok(self) -> bool:
        """May one go on?"""
        return self.audit.complete or self.audit.overridden_by is not None


@dataclass(frozen=True, slots=True)
class Compared:
    """Every claim of the map beside what logs say of it."""

    deployment: str
    comparisons: tuple[Comparison, ...]
    changed: tuple[str, ...] = ()
    """Files of the map that were edited after the audit."""

    @property
    def exit_ok(self) -> bool:
        """Does nothing contradict the map, and something bear it out?"""
        found = {one.status for one in self.comparisons}
        return Status.FAILED not in found and Status.PASSED in found


def audit(
    workspace: Workspace,
    deployment_map: Path | None = None,
    *,
    skus: Path | None = None,
    example: bool = False,
    measured: bool = False,
    html: Path | None = None,
) -> Audited:
    """Read the deployment map, ask the five gap questions of it, and hold it against the logs there are.

    Arguments:
        deployment_map: a deployment.toml; the workspace's own unless given
        skus: the catalogue as CSV; skus.csv beside the map unless given
        example: begin with the simulated floor's map, written into the workspace to be edited
        measured: lay the joint shares of production over the product of the map's shares
        html: write the audit with pictures to this file too
    """
    if example:
        _write_example(workspace)
    path = deployment_map or workspace.root / "deployment.toml"
    catalogue = skus or path.with_name("skus.csv")
    settings = workspace.operations["audit"]
    deployment = parse(read_map(path), read_map(catalogue), settings, map_file=path.name, skus_file=catalogue.name)
    outcomes = _in_the_field(workspace)
    if measured:
        deployment = with_measured(deployment, outcomes, settings)
    episodes = workspace.store.find(Episode)
    logged = bool(episodes or outcomes)
    asked = ask(deployment, settings, hold_against(deployment, episodes, settings, outcomes) if logged else ())
    asked = dataclasses.replace(asked, files=files_of(workspace, path, catalogue))
    early = live_without_a_set(workspace, deployment)
    if html is not None:
        write_whole(html, pages.html(deployment, asked, early))
    workspace.write(DeploymentMapped(deployment), DeploymentAudited(asked))
    return Audited(deployment, asked, str(html) if html else None, early)


def compare(workspace: Workspace, *, traffic: bool = False) -> Compared:
    """Compare what the map claims with what logs measured: mixes, articles, light, air, edge cases, speed.

    The day is the unit, because picks of one day are alike; nothing is judged from fewer days than the setting
    audit.min_days. Demonstrations follow a plan, so that their mix is shown and not judged.

    Arguments:
        traffic: episodes of this workspace are logs of production, so that their mix counts too
    """
    deployment = latest_deployment(workspace)
    outcomes, episodes = _in_the_field(workspace), workspace.store.find(Episode)
    if not outcomes and not episodes:
        raise Refused("There are no logs to compare the map with. Take some in: fieldloop ingest, or monitor record")
    settings = workspace.operations["audit"]
    found = hold_against(deployment, episodes, settings, outcomes, traffic=traffic)
    return Compared(deployment.id, found, map_changed(workspace))


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
    return workspace.newest(Audit)


def latest_deployment(workspace: Workspace) -> Deployment:
    """Return the map in force; refuses to go on without one."""
    found = workspace.newest(Deployment)
    if found is None:
        raise Refused("No deployment is mapped yet. Describe it in deployment.toml and run: fieldloop audit")
    return found


def require_complete_audit(workspace: Workspace) -> None:
    """Refuse to lock anything over an incomplete audit that nobody overrode."""
    latest = latest_audit(workspace)
    if latest is None or not (latest.complete or latest.overridden_by):
        raise Refused(f"This needs a complete audit, and {_audit_to_come(workspace, latest)}")


def read_map(path: Path) -> str:
    """Read a map or a catalogue; what is no text is said so."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name the file in it.")
    if not path.is_file():
        raise BadInput(
            f"{path} is not there. A deployment is a deployment.toml with a skus.csv beside it; "
            "begin with an example: fieldloop audit --example"
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as wrong:
        raise BadInput(f"{path} is not UTF-8 text (byte {wrong.start}); save it as UTF-8.") from wrong


def _in_the_field(workspace: Workspace) -> Sequence[Outcome]:
    return workspace.store.find(Outcome, {"stage": [Stage.PRODUCTION, Stage.SHADOW]})


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
