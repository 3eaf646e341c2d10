"""One transition table: which rung follows from which verdict, and what a verdict takes."""

from dataclasses import replace

from fieldloop.errors import Refused
from fieldloop.model.decision import Decision
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section
from fieldloop.rollout.verdict import Counts, judge

NS_PER_DAY = 86_400 * NS_PER_S

UP = {Rung.SHADOW: Rung.TRIAL, Rung.TRIAL: Rung.QUARTER, Rung.QUARTER: Rung.HALF, Rung.HALF: Rung.FLEET}

LADDER: dict[tuple[Rung, Status], Rung] = {
    # no evidence, a broken measurement or an unanswered question moves nobody
    **{(rung, status): rung for rung in Rung for status in Status},
    **{(rung, Status.PASSED): higher for rung, higher in UP.items()},
    **{(rung, Status.FAILED): Rung.BACK for rung in Rung},
}
"""(rung, verdict) → rung. Nothing leads out of BACK: a version that came back needs a new gate and a new rollout."""


def start(
    candidate: str,
    incumbent: str | None,
    gate: Decision,
    settings: Section,
    at_ns: int,
    ids: Ids,
    *,
    shadow: bool = False,
    override: str = "",
) -> Rollout:
    """Put a gated version on the ladder: on its first production rung, or in shadow where nothing it says is done.

    Where nothing is in production there is nothing to compare with: the first version takes every task, and the monitor
    holds it against what it showed before.

    `override` says who goes on over a gate that did not pass, and why; it stands in the rollout for good.
    """
    if gate.policy != candidate:
        raise Refused(f"Gate {gate.id} is of {gate.policy}, not of {candidate}.")
    if gate.status is not Status.PASSED and not override:
        raise Refused(
            f"Gate {gate.id} says {gate.status} of {gate.policy}; only a version that passed its own gate may climb, "
            "or one whose gate somebody overrides with a reason."
        )
    if candidate == incumbent:
        raise Refused(f"{candidate} is in production already; roll out another version.")
    if shadow and not incumbent:
        raise Refused("Nothing is in production, so there is nothing to shadow; start without --shadow.")
    first = Rung.TRIAL if incumbent else Rung.FLEET
    rung = Rung.SHADOW if shadow else first
    passed = gate.status is Status.PASSED
    reason = f"Passed gate {gate.id}." if passed else f"Gate {gate.id} says {gate.status}. {override}"
    return Rollout(
        ids.new("rollout"), candidate, incumbent, rung, share_of(rung, settings), at_ns, Status.CANNOT_TELL, reason,
        settings.fingerprint,
    )  # fmt: skip


def advance(rollout: Rollout, candidate: Counts, incumbent: Counts, settings: Section, at_ns: int) -> Rollout:
    """Apply what both arms showed over the same days, as (successes, episodes), and move one rung at most.

    It climbs only on enough episodes, no loss beyond the margin, and the days of its step; it comes back on a drop
    that chance does not explain, however often one has looked; otherwise it stays and says what is missing.
    """
    if rollout.rung is Rung.BACK:
        return rollout
    days = (at_ns - rollout.since_ns) / NS_PER_DAY
    status, reason = judge(candidate, incumbent, days, rollout.share, settings)
    rung = LADDER[rollout.rung, status]
    return Rollout(
        id=rollout.id,
        candidate=rollout.candidate,
        incumbent=rollout.incumbent,
        rung=rung,
        share=share_of(rung, settings),
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
    """Take a candidate off the ladder now, whatever the numbers say."""
    if rollout.rung is Rung.BACK:
        return rollout
    return replace(rollout, rung=Rung.BACK, share=0.0, since_ns=at_ns, verdict=Status.FAILED, reason=reason)


def share_of(rung: Rung, settings: Section) -> float:
    """Share of tasks a candidate gets on a rung."""
    match rung:
        case Rung.SHADOW | Rung.BACK:
            return 0.0
        case Rung.FLEET:
            return 1.0
        case _:
            return settings.number(f"{rung.value}_share")
