"""Trained policies with the gate's decisions about them."""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.loop.run.policies import find_policy, find_release_of_policy
from fieldloop.loop.run.served import ServerShown, list_served_policies
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Decision
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release


@dataclass(frozen=True, slots=True)
class PoliciesShown:
    """Every policy, newest first, the last decision on each by its id, and the name of each release by its id.

    `servers` are those that run now, as they answer.
    """

    policies: tuple[PolicyVersion, ...]
    decisions: Mapping[str, Decision]
    releases: Mapping[str, str]
    servers: tuple[ServerShown, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyShown:
    """One policy with every decision about it, newest first, and the name of its release ('' where not known)."""

    policy: PolicyVersion
    decisions: tuple[Decision, ...]
    release: str = ""


def show_policies(workspace: Workspace) -> PoliciesShown:
    """Show every policy with the gate's last decision about it."""
    found = workspace.find_all_of_several(PolicyVersion, Decision, Release)
    last = {decision.policy: decision for decision in reversed(found[Decision])}
    names = {release.id: release.name for release in found[Release]}
    return PoliciesShown(found[PolicyVersion], last, names, list_served_policies(workspace))


def show_policy(workspace: Workspace, policy: str) -> PolicyShown:
    """Show one policy with every decision of the gate about it.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
    """
    known = find_policy(workspace, policy)
    release = find_release_of_policy(workspace, known)
    decisions = tuple(workspace.store.find(Decision, {"policy": known.id}, newest=True))
    return PolicyShown(known, decisions, release.name if release else "")
