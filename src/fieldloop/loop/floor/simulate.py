"""Commands of the simulated warehouse floor: write logs, run a policy in the laboratory or in production."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldloop.errors import Refused
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.floor.floor import BETWEEN_NS, alternate_operators, run_attempts, write_demonstrations
from fieldloop.loop.floor.limits import read_most_days, refuse_too_large_amount
from fieldloop.loop.plan.plan import show_plan
from fieldloop.loop.run.outcomes import record_outcomes
from fieldloop.loop.run.policies import find_policy, load_engine
from fieldloop.loop.run.rollout import find_rollout_in_progress, find_version_in_production
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.policy import PolicyVersion, Stage
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol import parse_protocol
from fieldloop.rollout import choose_candidate_or_incumbent
from fieldloop.serve.engine import Engine
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata, get_folder_protocol_toml

PROTOCOL = "protocol.toml"


@dataclass(frozen=True, slots=True)
class SimulatedLogs:
    """The logs that were written, and the protocol they were collected under."""

    folder: str
    logs: int
    bytes: int
    protocol: str
    next: str


@dataclass(frozen=True, slots=True)
class SimulatedAttempts:
    """Results of simulated attempts. Contact, slip, crush, collision and drop decide each one, not a success rate."""

    stage: Stage
    episodes: int
    successes: int
    interventions: int
    by_policy: tuple[tuple[str, int, int], ...]


def write_demonstration_logs(
    folder: Path,
    *,
    count: int = 8,
    mix: Literal["lab", "production"] = "lab",
    stratum: str = "",
    session: str = "demo",
    seed: int = 0,
    track: Track = track_silently,
) -> SimulatedLogs:
    """Write MCAP logs of scripted pick demonstrations on the simulated floor.

    The floor's protocol is written beside them: grasps come straight from above there, which the shipped protocol
    rejects.

    Arguments:
        folder: the folder to write the logs to
        count: number of logs
        mix: simulate the conditions of the laboratory, or of the deployed sites
        stratum: use these conditions instead, such as site=gdansk,tier=high,bin=back,lighting=dim
        session: name of the session, also part of the file names
        seed: seed of the simulated floor; another seed gives another floor
    """
    refuse_too_large_amount("count", count)
    floor = Floor(seed)
    exposures = floor.make_lab_mix() if mix == "lab" else floor.make_production_mix()
    strata = (
        [Stratum.parse(stratum)] * count
        if stratum
        else draw_strata(exposures, count, floor.make_random_generator("mix", session))
    )
    text = get_folder_protocol_toml()
    label = parse_protocol(text, PROTOCOL).label
    people = floor.list_operators()
    turns = alternate_operators(
        floor, strata, folder, people, start_ns=time.time_ns() - count * BETWEEN_NS, session=session, protocol=label
    )
    logs = write_demonstrations(turns, track)
    rules = folder / PROTOCOL
    if not rules.exists():
        rules.write_text(text, encoding="utf-8")
    next_command = f"fieldloop check {folder} --protocol {rules}"
    return SimulatedLogs(str(folder), len(logs), sum(path.stat().st_size for path in logs), str(rules), next_command)


def write_planned_demonstrations(workspace: Workspace, folder: Path, *, seed: int = 0) -> SimulatedLogs:
    """Write MCAP logs of the demonstrations that the plan in force still lacks, as operators would collect them.

    Arguments:
        folder: the folder to write the logs to
        seed: seed of the simulated floor; use the seed of the first demonstrations
    """
    now = show_plan(workspace)
    if now.plan is None:
        raise Refused("No plan is in force. Make one first: fieldloop plan")
    accepted = {(p.stratum, p.kind): p.accepted for p in now.progress if not p.order}
    strata = [
        quota.stratum
        for quota in now.plan.quotas
        for _ in range(quota.demonstrations - accepted.get((quota.stratum, quota.kind), 0))
    ]
    if not strata:
        raise Refused("The plan in force is complete. Make the next one: fieldloop plan")
    floor, rules = Floor(seed), workspace.protocol()
    turns = alternate_operators(
        floor, strata, folder, floor.list_operators(), start_ns=workspace.clock() - len(strata) * BETWEEN_NS,
        session=now.plan.id, protocol=rules.label,
    )  # fmt: skip
    logs = write_demonstrations(turns, workspace.track)
    size = sum(path.stat().st_size for path in logs)
    return SimulatedLogs(str(folder), len(logs), size, rules.label, f"fieldloop ingest {folder}")


def simulate_production(
    workspace: Workspace, policy: str = "", *, episodes: int = 400, days: float = 14.0, seed: int = 0
) -> SimulatedAttempts:
    """Simulate production for some days up to now; the rollout decides which policy makes each attempt.

    Arguments:
        policy: the policy version to run (default: the rollout, else the version in production)
        episodes: number of attempts
        days: how long production lasts, up to now
        seed: seed of the simulated floor; use the seed of the demonstrations
    """
    exposures = require_latest_deployment(workspace).exposures
    return simulate_attempts(
        workspace, _make_task_router(workspace, policy), exposures, Stage.PRODUCTION, episodes, days, seed
    )


def simulate_laboratory_trials(
    workspace: Workspace, policy: str, *, episodes: int = 100, seed: int = 0
) -> SimulatedAttempts:
    """Run a policy in the simulated laboratory, as you would before a rollout.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        episodes: number of attempts
        seed: seed of the simulated floor; use the seed of the demonstrations
    """
    version = find_policy(workspace, policy)
    engine = load_engine(workspace, version)
    return simulate_attempts(
        workspace, lambda _task: (engine, version.id), Floor(seed).make_lab_mix(), Stage.LAB, episodes, 1.0, seed
    )


def simulate_attempts(
    workspace: Workspace,
    arms: Callable[[str], tuple[Engine, str]],
    exposures: tuple[Exposure, ...],
    stage: Stage,
    episodes: int,
    days: float,
    seed: int,
) -> SimulatedAttempts:
    """Run attempts spread over the days up to now, and record their outcomes."""
    refuse_too_large_amount("episodes", episodes)
    refuse_too_large_amount("days", days, read_most_days())
    end, step_ns = workspace.clock(), int(days * NS_PER_DAY / episodes)
    strata = draw_strata(exposures, episodes, Floor(seed).make_random_generator("traffic", stage.value, end))
    times = [end - (episodes - i) * step_ns for i in range(episodes)]
    ended = run_attempts(
        workspace, arms, strata, stage=stage, times_ns=times, seed=seed, what=f"{stage.value} attempts"
    )
    record_outcomes(workspace, ended)
    versions = sorted({o.policy for o in ended})
    won = [o for o in ended if o.succeeded]
    tally = [(v, sum(o.policy == v for o in won), sum(o.policy == v for o in ended)) for v in versions]
    good, held = len(won), sum(o.interventions for o in ended)
    return SimulatedAttempts(stage, len(ended), good, held, tuple(tally))


def _make_task_router(workspace: Workspace, policy: str) -> Callable[[str], tuple[Engine, str]]:
    """Route a task by the rollout under way; without one, to the named policy or the one in production."""
    engines: dict[str, Engine] = {}

    def engine(version: PolicyVersion) -> tuple[Engine, str]:
        if version.id not in engines:
            engines[version.id] = load_engine(workspace, version)
        return engines[version.id], version.id

    rollout, usual = find_rollout_in_progress(workspace), policy or find_version_in_production(workspace)
    if policy or rollout is None:
        if not usual:
            raise Refused("No version is in production. Name the policy, or start a rollout: fieldloop rollout start")
        version = find_policy(workspace, usual)
        return lambda _task: engine(version)
    candidate = find_policy(workspace, rollout.candidate)
    incumbent = find_policy(workspace, rollout.incumbent) if rollout.incumbent else candidate
    return lambda task: engine(candidate if choose_candidate_or_incumbent(task, rollout) == "candidate" else incumbent)
