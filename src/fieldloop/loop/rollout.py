"""The ladder a new version climbs, and the one button back."""

from fieldloop.errors import Refused
from fieldloop.loop.policies import named
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Decision
from fieldloop.model.event import RolloutMoved
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.rollout import advance as climb
from fieldloop.rollout import roll_back
from fieldloop.rollout import start as put_on_ladder

FINISHED = (Rung.FLEET, Rung.BACK)


def status(workspace: Workspace) -> tuple[Rollout, ...]:
    """Show every rollout, newest first: rung, share of tasks, what both arms showed."""
    return tuple(workspace.store.find(Rollout, newest=True))


def start(workspace: Workspace, policy: str, *, shadow: bool = False, override: str = "") -> Rollout:
    """Put a policy version that passed its gate on the ladder.

    Arguments:
        policy: id, beginning of it, or name
        shadow: let it answer without being obeyed first
        override: go on over a gate that did not pass; who and why is recorded

    """
    candidate = named(workspace, policy)
    decisions = workspace.store.find(Decision, {"policy": candidate.id}, newest=True, limit=1)
    if not decisions:
        raise Refused(f"{candidate.name} was never gated. Run: fieldloop gate {candidate.name}")
    if climbing := on_ladder(workspace):
        raise Refused(f"{climbing.candidate[:12]} is still on the ladder; finish it or take it back first.")
    reason = f"{override.strip()} (overridden by {workspace.actor.id})" if override.strip() else ""
    begun = put_on_ladder(
        candidate.id, in_production(workspace), decisions[0], workspace.operations["rollout"], workspace.clock(),
        workspace.ids, shadow=shadow, override=reason,
    )  # fmt: skip
    workspace.write(RolloutMoved(begun))
    return begun


def advance(workspace: Workspace) -> Rollout:
    """Apply what both arms have shown since this rung began: climb, stay, or come back."""
    current = _climbing(workspace)
    moved = climb(
        current,
        _counts(workspace, current.candidate, current.since_ns),
        _counts(workspace, current.incumbent, current.since_ns),
        workspace.operations["rollout"],
        workspace.clock(),
    )
    workspace.write(RolloutMoved(moved))
    return moved


def back(workspace: Workspace, *, reason: str = "by hand") -> Rollout:
    """Take the candidate off the ladder now, whatever the numbers say.

    Arguments:
        reason: why, for the record

    """
    current = next(iter(r for r in status(workspace) if r.rung is not Rung.BACK), None)
    if current is None:
        raise Refused("There is nothing to take back: no version is on the ladder or in production.")
    returned = roll_back(current, reason, workspace.clock())
    workspace.write(RolloutMoved(returned))
    return returned


def in_production(workspace: Workspace) -> str | None:
    """Return the version that production runs on: the last one that reached the fleet and was not taken back."""
    return next((r.candidate for r in status(workspace) if r.rung is Rung.FLEET), None)


def on_ladder(workspace: Workspace) -> Rollout | None:
    """Return the rollout that is still climbing, if there is one."""
    return next((r for r in status(workspace) if r.rung not in FINISHED), None)


def _climbing(workspace: Workspace) -> Rollout:
    current = on_ladder(workspace)
    if current is None:
        raise Refused("No version is on the ladder. Start one: fieldloop rollout start POLICY")
    return current


def _counts(workspace: Workspace, policy: str | None, since_ns: int) -> tuple[int, int]:
    if policy is None:
        return 0, 0
    where = {"policy": policy, "stage": Stage.PRODUCTION, "at_ns": range(since_ns, workspace.clock() + 1)}
    tried = workspace.store.count(Outcome, where)
    return workspace.store.count(Outcome, where | {"succeeded": True}), tried
