"""Start, advance and roll back the staged rollout of a policy version."""

from typing import Literal

from fieldloop.errors import Refused
from fieldloop.loop.run.monitor import count_trials_before_production
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Decision
from fieldloop.model.event import RolloutMoved
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.model.policy import Stage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.rollout import advance_rollout as climb
from fieldloop.rollout import roll_back
from fieldloop.rollout import start_rollout as put_on_ladder
from fieldloop.say.marks import MARKS
from fieldloop.store import Expected

FINISHED = (Rung.FLEET, Rung.BACK)


def list_rollouts(workspace: Workspace) -> tuple[Rollout, ...]:
    """Show every rollout, newest first: rung, share of tasks, results of candidate and incumbent."""
    return workspace.find_all(Rollout)


def start_policy_rollout(
    workspace: Workspace,
    policy: str,
    *,
    shadow: bool = False,
    override: str = "",
    rung: Literal["first", "trial", "quarter", "half", "fleet"] = "first",
) -> Rollout:
    """Start the rollout of a policy version that passed its gate.

    It begins on the first rung. Only the first version ever, once it passed its gate, begins on the whole fleet.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        shadow: start in shadow: the policy runs along, but its actions are ignored
        override: reason to start although the gate did not pass, or to skip rungs; recorded with the user
        rung: begin on this rung; a rung above the first needs --override
    """
    seen, candidate = workspace.store.get_last_seq(), find_policy(workspace, policy)
    gate = find_last_gate_decision(workspace, candidate.id)
    if gate is None:
        raise Refused(f"{candidate.name} was never gated. Run: fieldloop gate {candidate.name}")
    if gate.at_ns <= max(
        (r.since_ns for r in list_rollouts(workspace) if _was_rolled_back(r, candidate.id)), default=-1
    ):
        raise Refused(f"{candidate.name} was rolled back after its last gate. Run new trials and gate it again.")
    if climbing := find_rollout_in_progress(workspace):
        name = find_policy(workspace, climbing.candidate).name
        raise Refused(f"{name} is still being rolled out. Finish it or roll it back first.")
    reason = require_stated_reason(workspace, override)
    if gate.status is not Status.PASSED and not reason:
        raise Refused(
            f"The verdict of the gate on {candidate.name} is: {MARKS[gate.status].word}. A version must pass its own "
            'gate before a rollout. To start it nevertheless, give a reason: --override "reason"'
        )
    over = note("rollout.overridden", reason=reason, actor=workspace.actor.id) if reason else None
    begun = put_on_ladder(
        candidate.id, find_version_in_production(workspace), gate, workspace.operations["rollout"], workspace.clock(),
        workspace.ids, shadow=shadow, override=over, wanted_rung=None if rung == "first" else Rung(rung),
    )  # fmt: skip
    workspace.write(RolloutMoved(begun), expect=Expected(Rollout, seen))
    return begun


def advance_current_rollout(workspace: Workspace) -> Rollout:
    """Compare candidate and incumbent since this rung began: climb to the next rung, stay, or roll back.

    Without an incumbent, the candidate is compared with its own trials before production.
    """
    seen, current = workspace.store.get_last_seq(), _require_rollout_in_progress(workspace)
    stage = Stage.SHADOW if current.rung is Rung.SHADOW else Stage.PRODUCTION
    moved = climb(
        current,
        _count_outcomes(workspace, current.candidate, stage, current.since_ns),
        _count_outcomes_to_compare(workspace, current),
        workspace.operations["rollout"],
        workspace.clock(),
    )
    workspace.write(RolloutMoved(moved), expect=Expected(Rollout, seen))
    return moved


def roll_back_candidate(workspace: Workspace, *, production: bool = False, reason: str = "by hand") -> Rollout:
    """Roll the candidate back now, whatever its success rate.

    Arguments:
        production: roll back the version in production instead; the version before it takes over
        reason: why the version is rolled back; the ledger records the reason
    """
    seen = workspace.store.get_last_seq()
    current = _find_newest_on_fleet(workspace) if production else find_rollout_in_progress(workspace)
    if current is None and production:
        raise Refused("Nothing to roll back: no version is in production.")
    if current is None:
        raise Refused(
            "Nothing to roll back: no rollout is in progress. "
            "To roll back the version in production: fieldloop rollout back --production"
        )
    returned = roll_back(current, reason, workspace.clock())
    workspace.write(RolloutMoved(returned), expect=Expected(Rollout, seen))
    return returned


def find_version_in_production(workspace: Workspace) -> str | None:
    """Return the version in production: the last one that reached the fleet and was not rolled back."""
    fleet = _find_newest_on_fleet(workspace)
    return fleet.candidate if fleet else None


def find_rollout_in_progress(workspace: Workspace) -> Rollout | None:
    """Return the rollout in progress, if there is one."""
    return next((r for r in list_rollouts(workspace) if r.rung not in FINISHED), None)


def list_versions_on_rungs(workspace: Workspace) -> tuple[str, ...]:
    """Return the versions that act in production: on the fleet, as incumbent of the rollout, as its candidate."""
    climbing = find_rollout_in_progress(workspace)
    arms = (climbing.incumbent, climbing.candidate if climbing.rung is not Rung.SHADOW else None) if climbing else ()
    return tuple(version for version in (find_version_in_production(workspace), *arms) if version)


def find_last_gate_decision(workspace: Workspace, policy: str) -> Decision | None:
    """Return the last gate decision over the whole deployment; gates of a single site do not count."""
    decided = workspace.store.find(Decision, {"policy": policy}, newest=True)
    return next((d for d in decided if not d.site), None)


def has_passed_gate(workspace: Workspace, policy: str) -> bool:
    """Tell whether the last gate over the whole deployment passed a version."""
    gate = find_last_gate_decision(workspace, find_policy(workspace, policy).id)
    return gate is not None and gate.status is Status.PASSED


def _find_newest_on_fleet(workspace: Workspace) -> Rollout | None:
    return next((r for r in list_rollouts(workspace) if r.rung is Rung.FLEET), None)


def _was_rolled_back(rollout: Rollout, candidate: str) -> bool:
    return rollout.candidate == candidate and rollout.rung is Rung.BACK


def _require_rollout_in_progress(workspace: Workspace) -> Rollout:
    current = find_rollout_in_progress(workspace)
    if current is None:
        raise Refused("No rollout is in progress. Start one: fieldloop rollout start POLICY")
    return current


def _count_outcomes_to_compare(workspace: Workspace, current: Rollout) -> tuple[int, int]:
    """Return successes and attempts to compare with: the incumbent's on this rung, or the candidate's own trials."""
    if current.incumbent is not None:
        return _count_outcomes(workspace, current.incumbent, Stage.PRODUCTION, current.since_ns)
    tried = count_trials_before_production(workspace, current.candidate)
    return tried.successes, tried.attempts


def _count_outcomes(workspace: Workspace, policy: str | None, stage: Stage, since_ns: int) -> tuple[int, int]:
    if policy is None:
        return 0, 0
    rates = workspace.store.compute_success_rates(since_ns, workspace.clock() + 1, stage)
    mine = [rate for rate in rates if rate.policy == policy]
    return sum(rate.successes for rate in mine), sum(rate.episodes for rate in mine)
