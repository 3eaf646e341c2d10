"""The rollout state machine: one table from rung and verdict to the next rung."""

from dataclasses import replace

from fieldloop.errors import Refused
from fieldloop.model.decision import Decision
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.note import Note, note
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol import Section
from fieldloop.rollout.verdict import Counts, judge_candidate

UP = {Rung.SHADOW: Rung.TRIAL, Rung.TRIAL: Rung.QUARTER, Rung.QUARTER: Rung.HALF, Rung.HALF: Rung.FLEET}

RUNGS = (Rung.SHADOW, *UP.values())
"""Every rung from the lowest to the highest."""

LADDER: dict[tuple[Rung, Status], Rung] = {
    # without a clear verdict a rollout stays where it is
    **{(rung, status): rung for rung in Rung for status in Status},
    **{(rung, Status.PASSED): higher for rung, higher in UP.items()},
    **{(rung, Status.FAILED): Rung.BACK for rung in Rung},
}
"""(rung, verdict) → rung. No transition leaves BACK: after a roll-back a version needs a new gate and a new rollout."""


def start_rollout(  # noqa: PLR0913 - a rollout and all that it rests on
    candidate: str,
    incumbent: str | None,
    gate_decision: Decision,
    settings: Section,
    at_ns: int,
    ids: Ids,
    *,
    shadow: bool = False,
    override: Note | None = None,
    wanted_rung: Rung | None = None,
) -> Rollout:
    """Start the rollout of a gated version: on its first production rung, or in shadow, where its actions are ignored.

    The first version ever in production has no incumbent to compare with: if it passed its gate, it takes every task,
    and the monitor compares it with its own baseline. One that did not pass begins on the first rung, as any other.

    `override` states who starts it although the gate did not pass, and why; the rollout keeps it. `wanted_rung` is a
    rung to begin with; a higher one than the first needs an override.
    """
    if gate_decision.policy != candidate:
        raise Refused(f"This gate judged {gate_decision.policy}, not {candidate}.")
    if gate_decision.status is not Status.PASSED and not override:
        raise Refused(
            f"The verdict of the gate on {gate_decision.policy} is: {gate_decision.status}. "
            "A version must pass its own gate before a rollout. To override the gate, give a reason."
        )
    if candidate == incumbent:
        raise Refused(f"{candidate} is already in production; roll out another version.")
    if shadow and not incumbent:
        raise Refused("No version is in production, so there is nothing to shadow. Start without --shadow.")
    passed = gate_decision.status is Status.PASSED
    first = Rung.FLEET if passed and not incumbent else Rung.TRIAL
    if wanted_rung and RUNGS.index(wanted_rung) > RUNGS.index(first) and not override:
        raise Refused(
            f"{wanted_rung.value} is above {first.value}, the first rung. To skip rungs, give a reason: --override"
        )
    rung = Rung.SHADOW if shadow else wanted_rung or first
    held = note(
        "rollout.gate_not_passed",
        *((override,) if override else ()),
        gate=gate_decision.id,
        status=gate_decision.status.value,
    )
    reason = note("rollout.gate_passed", gate=gate_decision.id) if passed else held
    return Rollout(
        ids.new("rollout"), candidate, incumbent, rung, get_rung_share(rung, settings), at_ns, Status.CANNOT_TELL,
        reason,
        settings.fingerprint,
    )  # fmt: skip


def advance_rollout(rollout: Rollout, candidate: Counts, incumbent: Counts, settings: Section, at_ns: int) -> Rollout:
    """Judge both arms over the same days, given as (successes, episodes), and move by at most one rung.

    It climbs after enough episodes and days without a loss beyond the margin. It is rolled back on a drop that chance
    does not explain, over all looks. Otherwise it stays, and the reason states what is missing.
    """
    if rollout.rung is Rung.BACK:
        return rollout
    days = (at_ns - rollout.since_ns) / NS_PER_DAY
    status, reason = judge_candidate(candidate, incumbent, days, rollout.share, settings)
    rung = LADDER[rollout.rung, status]
    return Rollout(
        id=rollout.id,
        candidate=rollout.candidate,
        incumbent=rollout.incumbent,
        rung=rung,
        share=get_rung_share(rung, settings),
        since_ns=at_ns if rung is not rollout.rung else rollout.since_ns,
        verdict=status,
        reason=reason,
        operations=settings.fingerprint,
        candidate_episodes=candidate[1],
        candidate_successes=candidate[0],
        incumbent_episodes=incumbent[1],
        incumbent_successes=incumbent[0],
    )


def roll_back(rollout: Rollout, reason: str, at_ns: int) -> Rollout:
    """Roll a candidate back now, regardless of the numbers."""
    if rollout.rung is Rung.BACK:
        return rollout
    return replace(
        rollout,
        rung=Rung.BACK,
        share=0.0,
        since_ns=at_ns,
        verdict=Status.FAILED,
        reason=note("rollout.rolled_back", reason=reason),
    )


def get_rung_share(rung: Rung, settings: Section) -> float:
    """Return the share of tasks that a candidate gets on a rung."""
    match rung:
        case Rung.SHADOW | Rung.BACK:
            return 0.0
        case Rung.FLEET:
            return 1.0
        case _:
            return settings.number(f"{rung.value}_share")
