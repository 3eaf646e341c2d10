"""Audit the deployment map: read it, ask the five gap questions, and compare it with logs."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop.audit import apply_measured_shares, parse_deployment_map, score_questions
from fieldloop.audit import compare_map_with_logs as compare_map
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit.audited_map import find_edited_map_files, hash_map_files
from fieldloop.loop.audit.live_sites import note_live_sites_without_set
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.audit import Audit, Comparison
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.event import DeploymentAudited, DeploymentMapped
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome, Stage
from fieldloop.report import audit as pages
from fieldloop.say import write_sentence
from fieldloop.say.numbers import percent
from fieldloop.text_files import read_text

MOST_NAMED = 5  # missing items in one refusal


@dataclass(frozen=True, slots=True)
class Audited:
    """The audited map, and how well it answers the questions."""

    deployment: Deployment
    audit: Audit
    html: str | None = None
    early: tuple[Note, ...] = ()
    """Sites in production without a demonstration set or a passed gate."""
    in_force: bool = True
    """False for the example: it shows what a map looks like, and comes into force only by an audit of its own."""
    next: str = ""
    """The command that puts the map in force, where it is not."""

    summary: Note | None = None
    """The result in a sentence."""

    @property
    def exit_ok(self) -> bool:
        """Is the audit complete or overridden?"""
        return self.audit.complete or self.audit.overridden_by is not None


@dataclass(frozen=True, slots=True)
class Compared:
    """Every claim of the map, compared with the logs."""

    deployment: str
    comparisons: tuple[Comparison, ...]
    changed: tuple[Note, ...] = ()
    """Files of the map that were edited after the audit."""

    @property
    def exit_ok(self) -> bool:
        """Does nothing contradict the map, and does something confirm it?"""
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
    """Audit the deployment map: ask five questions about what is missing, and compare the map with logs.

    Arguments:
        deployment_map: a deployment.toml (default: the deployment.toml of the workspace)
        skus: the catalogue of articles as CSV (default: skus.csv next to the map)
        example: write an example map to edit; the next `fieldloop audit` puts it in force
        measured: also use the shares of combined conditions that were measured in production
        html: also write the audit as an HTML page to this file
    """
    if example:
        _write_example(workspace)
    path = deployment_map or workspace.root / "deployment.toml"
    made = score_map(workspace, path, skus or path.with_name("skus.csv"), measured=measured)
    if html is not None:
        write_atomically(html, pages.render_audit_page(made.deployment, made.audit, made.early))
        made = dataclasses.replace(made, html=str(html))
    if example:
        return made
    workspace.write(DeploymentMapped(made.deployment), DeploymentAudited(made.audit))
    return dataclasses.replace(made, in_force=True, next="")


def score_map(workspace: Workspace, path: Path, catalogue: Path, *, measured: bool = False) -> Audited:
    """Read and score a map without putting it in force."""
    settings = workspace.operations["audit"]
    deployment = parse_deployment_map(
        read_map(path), read_map(catalogue), settings, map_file=path.name, skus_file=catalogue.name
    )
    outcomes = _find_field_outcomes(workspace)
    if measured:
        deployment = apply_measured_shares(deployment, outcomes, settings)
    episodes = workspace.store.find(Episode)
    logged = bool(episodes or outcomes)
    asked = score_questions(
        deployment, settings, compare_map(deployment, episodes, settings, outcomes) if logged else ()
    )
    asked = dataclasses.replace(asked, files=hash_map_files(workspace, path, catalogue))
    early = note_live_sites_without_set(workspace, deployment)
    code = "audit.checked_complete" if asked.complete else "audit.checked_incomplete"
    summary = note(code, score=asked.score, gaps=sum(len(answer.missing) for answer in asked.answers))
    return Audited(deployment, asked, None, early, in_force=False, next="fieldloop audit", summary=summary)


def compare_map_with_logs(workspace: Workspace, *, traffic: bool = False) -> Compared:
    """Compare the map with the logs: mixes of conditions, articles, light, air, edge cases, speed.

    Days are compared, not picks, because picks of one day resemble each other. Nothing is judged from fewer days
    than audit.min_days. Demonstrations follow a plan, so their mix is shown but not judged.

    Arguments:
        traffic: count this workspace's episodes as production logs, so that their mix is judged too
    """
    deployment = require_latest_deployment(workspace)
    outcomes, episodes = _find_field_outcomes(workspace), workspace.store.find(Episode)
    if not outcomes and not episodes:
        raise Refused(
            "The workspace has no logs to compare with the map. Add some: fieldloop ingest, or fieldloop monitor record"
        )
    settings = workspace.operations["audit"]
    found = compare_map(deployment, episodes, settings, outcomes, traffic=traffic)
    return Compared(deployment.id, found, find_edited_map_files(workspace))


def override_audit(workspace: Workspace, *, reason: str) -> Audit:
    """Override an incomplete audit; the ledger records who did it and why.

    Arguments:
        reason: why you continue with an incomplete audit
    """
    if not reason.strip():
        raise BadInput("Overriding an incomplete audit needs a reason.")
    reason = require_stated_reason(workspace, reason, "--reason")
    latest = find_latest_audit(workspace)
    if latest is None:
        raise Refused("No audit exists that could be overridden. Run: fieldloop audit")
    overridden = dataclasses.replace(latest, overridden_by=workspace.actor.id, override_reason=reason)
    workspace.write(DeploymentAudited(overridden))
    return overridden


def find_latest_audit(workspace: Workspace) -> Audit | None:
    """Return the last audit, None without one."""
    return workspace.find_newest(Audit)


def require_latest_deployment(workspace: Workspace) -> Deployment:
    """Return the map in force; refuse without one."""
    deployment = workspace.find_newest(Deployment)
    if deployment is None:
        missing = note("audit.not_mapped")
        raise Refused(write_sentence(missing), (missing,))
    return deployment


def require_complete_audit(workspace: Workspace) -> None:
    """Refuse to lock anything while the audit is incomplete and not overridden."""
    latest = find_latest_audit(workspace)
    if latest is None or not (latest.complete or latest.overridden_by):
        raise Refused(f"This command needs a complete audit, but {_write_missing_audit_hint(workspace, latest)}")


def read_map(path: Path) -> str:
    """Read a deployment map or an article catalogue."""
    if not path.exists():
        raise BadInput(
            f"{path} does not exist. A deployment is a deployment.toml with a skus.csv beside it; "
            "begin with an example: fieldloop audit --example"
        )
    return read_text(path)


def _find_field_outcomes(workspace: Workspace) -> Sequence[Outcome]:
    return workspace.store.find(Outcome, {"stage": [Stage.PRODUCTION, Stage.SHADOW]})


def _write_missing_audit_hint(workspace: Workspace, latest: Audit | None) -> str:
    """Write what is missing and the next command: only an existing audit can be overridden."""
    if latest is not None:
        return (
            f"the score of the audit is {percent(latest.score, 0)}. {_write_required_items(workspace, latest)}"
            "Complete deployment.toml and run `fieldloop audit`, or override it with "
            "`fieldloop audit override --reason …`."
        )
    if (workspace.root / "deployment.toml").is_file():
        return "the map was never audited. Run: fieldloop audit"
    return (
        "no map was audited yet. Describe where the robot will work in deployment.toml and run `fieldloop audit`; "
        "`fieldloop audit --example` writes a map to edit."
    )


def _write_required_items(workspace: Workspace, latest: Audit) -> str:
    """Name the required items that are missing, and how to state that a quantity of a zone is unknown."""
    least = workspace.operations["audit"].number("min_score")
    short = [answer for answer in latest.answers if answer.required_score < least]
    missing = [one for answer in short for one in answer.missing if one.code == "audit.missing"]
    if not missing:
        return ""
    named = "; ".join(write_sentence(one) for one in missing[:MOST_NAMED])
    more = f"; and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f'Missing: {named}{more}. Write "unknown" for a quantity of a zone that no one has measured. '


def _write_example(workspace: Workspace) -> None:
    # only the example needs the simulator
    from fieldloop.simulate.arm.catalogue import get_item_master_csv
    from fieldloop.simulate.arm.mix import get_deployment_toml

    for name, text in (("deployment.toml", get_deployment_toml()), ("skus.csv", get_item_master_csv())):
        path = workspace.root / name
        if path.exists():
            raise BadInput(f"{path} exists already; it is not overwritten.")
        path.write_text(text, encoding="utf-8")
