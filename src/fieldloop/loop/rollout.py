"""The ladder a new version climbs, and the one button back."""

from fieldloop.errors import Refused
from fieldloop.loop.policies import named
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Decision
from fieldloop.model.event import RolloutMoved
from fieldloop.model.policy import Stage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.rollout import advance as climb
from fieldloop.rollout import roll_back
from fieldloop.rollout import start as put_on_ladder
from fieldloop.store import Expected

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
    seen, candidate = workspace.store.last(), named(workspace, policy)
    gate = last_gate(workspace, candidate.id)
    if gate is None:
        raise Refused(f"{candidate.name} was never gated. Run: fieldloop gate {candidate.name}")
    if gate.at_ns <= max((r.since_ns for r in status(workspace) if _came_back(r, candidate.id)), default=-1):
        raise Refused(f"{candidate.name} came back after gate {gate.id}; run new trials and gate it again.")
    if climbing := on_ladder(workspace):
        raise Refused(f"{climbing.candidate[:12]} is still on the ladder; finish it or take it back first.")
    reason = f"{override.strip()} (overridden by {workspace.actor.id})" if override.strip() else ""
    begun = put_on_ladder(
        candidate.id, in_production(workspace), gate, workspace.operations["rollout"], workspace.clock(),
        workspace.ids, shadow=shadow, override=reason,
    )  # fmt: skip
    workspace.write(RolloutMoved(begun), expect=Expected(Rollout, seen))
    return begun


def advance(workspace: Workspace) -> Rollout:
    """Apply what both arms have shown since this rung began: climb, stay, or come back."""
    seen, current = workspace.store.last(), _climbing(workspace)
    stage = Stage.SHADOW if current.rung is Rung.SHADOW else Stage.PRODUCTION
    moved = climb(
        current,
        _counts(workspace, current.candidate, stage, current.since_ns),
        _counts(workspace, current.incumbent, Stage.PRODUCTION, current.since_ns),
        workspace.operations["rollout"],
        workspace.clock(),
    )
    workspace.write(RolloutMoved(moved), expect=Expected(Rollout, seen))
    return moved


def back(workspace: Workspace, *, production: bool = False, reason: str = "by hand") -> Rollout:
    """Take the candidate off the ladder now, whatever the numbers say.

    Arguments:
        production: take the version in production off instead; the one before it takes over
        reason: why, for the record
    """
    seen = workspace.store.last()
    current = _on_fleet(workspace) if production else on_ladder(workspace)
    if current is None and production:
        raise Refused("There is nothing to take back: no version is in production.")
    if current is None:
        raise Refused(
            "There is nothing to take back: no version is on the ladder. "
            "The version in production is taken off with: fieldloop rollout back --production"
        )
    returned = roll_back(current, reason, workspace.clock())
    workspace.write(RolloutMoved(returned), expect=Expected(Rollout, seen))
    return returned


def in_production(workspace: Workspace) -> str | None:
    """Return the version that production runs on: the last one that reached the fleet and was not taken back."""
    fleet = _on_fleet(workspace)
    return fleet.candidate if fleet else None


def on_ladder(workspace: Workspace) -> Rollout | None:
    """Return the rollout that is still climbing, if there is one."""
    return next((r for r in status(workspace) if r.rung not in FINISHED), None)


def last_gate(workspace: Workspace, policy: str) -> Decision | None:
    """Return what the last gate over the whole deployment said; one of a single site says nothing of the others."""
    decided = workspace.store.find(Decision, {"policy": policy}, newest=True)
    return next((d for d in decided if not d.site), None)


def _on_fleet(workspace: Workspace) -> Rollout | None:
    return next((r for r in status(workspace) if r.rung is Rung.FLEET), None)


def _came_back(rollout: Rollout, candidate: str) -> bool:
    return rollout.candidate == candidate and rollout.rung is Rung.BACK


def _climbing(workspace: Workspace) -> Rollout:
    current = on_ladder(workspace)
    if current is None:
        raise Refused("No version is on the ladder. Start one: fieldloop rollout start POLICY")
    return current


def _counts(workspace: Workspace, policy: str | None, stage: Stage, since_ns: int) -> tuple[int, int]:
    if policy is None:
        return 0, 0
    rates = workspace.store.success_rates(since_ns, workspace.clock() + 1, stage)
    mine = [rate for rate in rates if rate.policy == policy]
    return sum(rate.successes for rate in mine), sum(rate.episodes for rate in mine)
