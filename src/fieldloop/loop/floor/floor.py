"""Run the simulated floor for a workspace: write demonstrations as logs and attempts as outcomes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fieldloop.evaluate.results import name_outcome
from fieldloop.loop.collect.synchronisation import record_offset
from fieldloop.loop.work.atomic_files import make_folder
from fieldloop.loop.work.run_on import run_each
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.condition import Stratum
from fieldloop.model.identity import make_ulid
from fieldloop.model.policy import FailureClass, Outcome, Stage, Step
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.trial import Trial, TrialPlan
from fieldloop.release.writers.mcap import Compression, write_whole_log
from fieldloop.serve.engine import Engine
from fieldloop.simulate.arm.clocks import get_max_offsets_ms
from fieldloop.simulate.arm.compression import JPEG_QUALITY
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.physics import FIVE
from fieldloop.simulate.arm.rollout import Attempt
from fieldloop.simulate.arm.scene import USUAL_YAW_RAD, Setup, compute_place_in_bin
from fieldloop_robot.guard import Answer, GuardLimits, GuardState, Reading, step

JUDGE = "simulated floor"
BETWEEN_NS = 45 * NS_PER_S
"""From one start to the next: a demonstration, then a reset of the scene."""
FROM_JITTER = "simulated: three times the jitter that the floor gives the device"
WORTH_A_POOL = 200
"""From this many attempts on, starting processes on all cores takes less time than it saves."""
AS_CAMERAS_SEND = Compression(quality=JPEG_QUALITY, depth="millimetres")


@dataclass(frozen=True, slots=True)
class Turn:
    """One demonstration to make: the floor, the conditions, the operator, the time, and the folder of its log."""

    seed: int
    index: int
    stratum: Stratum
    operator: str
    start_ns: int
    facts: Mapping[str, str]
    folder: Path


def verify_clocks(workspace: Workspace, floor: Floor, site: str) -> None:
    """Record the clocks of a site's robot as verified, as a team does before collecting; nothing is measured."""
    for stream, offset_ms in get_max_offsets_ms().items():
        record_offset(workspace, stream, floor.get_robot(site).id, offset_ms, FROM_JITTER)


def alternate_operators(
    floor: Floor, strata: Sequence[Stratum], folder: Path, people: Sequence[str], *, start_ns: int, **facts: str
) -> list[Turn]:
    """Return the turns of one sitting, operators alternating; `facts` are session, protocol, provider …"""
    stated = {"task": "pick"} | {key: value for key, value in facts.items() if value}
    return [
        Turn(floor.seed, i, s, people[i % len(people)], start_ns + i * BETWEEN_NS, stated, folder)
        for i, s in enumerate(strata)
    ]


def write_demonstrations(turns: Sequence[Turn], track: Track = track_silently) -> list[Path]:
    """Simulate demonstrations and write their logs."""
    for folder in {turn.folder for turn in turns}:
        make_folder(folder)
    return list(track(run_each(demonstrate, turns), "demonstrating", len(turns)))


def demonstrate(turn: Turn) -> Path:
    """Simulate one demonstration and write its log."""
    floor = Floor(turn.seed)
    session = turn.facts.get("session", "")
    name = f"{turn.stratum.level('site')}-{session[-6:] or 'demo'}-{turn.index:04d}"
    shown = floor.demonstrate(
        turn.stratum, turn.operator, floor.make_random_generator("demonstration", session, turn.index), turn.start_ns,
        {"name": name, **turn.facts},
    )  # fmt: skip
    path = turn.folder / f"{name}.mcap"
    write_whole_log(shown.recording, path, AS_CAMERAS_SEND)
    return path


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt to make: which version, under which conditions, when, and by which random numbers."""

    version: str
    stratum: Stratum
    at_ns: int
    stage: Stage
    chance: tuple[str | int, ...]
    setup: Setup = field(default_factory=Setup)
    scenario: str = ""
    outcome: str = ""
    steps: tuple[str, ...] = ()


def run_trials(
    workspace: Workspace, engines: Mapping[str, Engine], plan: TrialPlan, trials: Sequence[Trial], *, seed: int
) -> list[Outcome]:
    """Make trials of a plan on the simulated floor, in its order.

    Every look has its own random numbers, and all arms meet the same scenes.
    """
    now = workspace.clock()

    def setup(trial: Trial) -> Setup:
        u, v = trial.get_parameter("u"), trial.get_parameter("v")
        position = compute_place_in_bin(u, v) if u is not None and v is not None else None
        turn = trial.get_parameter("turn")
        return Setup(
            position=position,
            yaw_rad=None if turn is None else turn * USUAL_YAW_RAD,
            distractors=int(trial.get_parameter("distractors") or 0),
            gripper_hidden=trial.get_parameter("gripper_hidden") or 0.0,
            camera_hidden=trial.get_parameter("camera_hidden") or 0.0,
            joint_left_rad=trial.get_parameter("joint_left_rad"),
        )

    tries = [
        Try(
            trial.policy, trial.stratum, now - (len(plan.trials) - trial.order) * BETWEEN_NS, Stage.GATE,
            ("gate", plan.policy, plan.look, trial.scene), setup(trial), trial.scenario,
            name_outcome(plan, trial.order), plan.steps,
        )
        for trial in trials
    ]  # fmt: skip
    return _run_tries(workspace, engines, tries, seed, "gate trials")


def run_attempts(
    workspace: Workspace,
    arms: Callable[[str], tuple[Engine, str]],
    strata: Sequence[Stratum],
    *,
    stage: Stage,
    times_ns: Iterable[int],
    seed: int,
    what: str,
) -> list[Outcome]:
    """Run one attempt per stratum; `arms` returns the engine and the policy version for a task's id."""
    engines, tries = dict[str, Engine](), []
    for index, (stratum, at_ns) in enumerate(zip(strata, times_ns, strict=True)):
        engine, version = arms(f"task-{at_ns}-{index}")
        engines[version] = engine
        tries.append(Try(version, stratum, at_ns, stage, (stage.value, at_ns, index)))
    return _run_tries(workspace, engines, tries, seed, what)


def run_paired_scenes(
    workspace: Workspace, engines: Mapping[str, Engine], scenes: Mapping[str, Stratum], *, seed: int
) -> list[Outcome]:
    """Let every engine meet the same scenes, by name: the versions alternate, and each begins every other scene."""
    names, now = list(scenes), workspace.clock()
    start_ns = now - len(names) * len(engines) * BETWEEN_NS
    tries = []
    for scene, name in enumerate(names):
        order = list(engines)[:: 1 if scene % 2 == 0 else -1]
        for turn, version in enumerate(order):
            at_ns = start_ns + (scene * len(engines) + turn) * BETWEEN_NS
            chance = ("compared", name)  # without the version: the scene and everything random in it are the same
            tries.append(Try(version, scenes[name], at_ns, Stage.LAB, chance, scenario=name))
    return _run_tries(workspace, engines, tries, seed, "scenes that both versions meet")


def _run_tries(
    workspace: Workspace, engines: Mapping[str, Engine], tries: Sequence[Try], seed: int, what: str
) -> list[Outcome]:
    """Run attempts on all cores, in order; a few are not worth the start of another process."""
    run = run_each(partial(_run_try, seed, engines), tries, workers=None if len(tries) >= WORTH_A_POOL else 1)
    return list(workspace.track(run, what, len(tries)))


def _run_try(seed: int, engines: Mapping[str, Engine], wanted: Try) -> Outcome:
    """Run one attempt; one that the guard stops at the start is an intervention, never a success."""
    floor, engine = Floor(seed), engines[wanted.version]
    chance = floor.make_random_generator(*wanted.chance)
    tried = floor.attempt_pick(engine, wanted.stratum, chance, wanted.at_ns, wanted.setup)
    stopped = _is_stopped_by_guard(engine, tried, wanted.at_ns)
    site = wanted.stratum.level("site") or ""
    return Outcome(
        id=wanted.outcome or f"outcome_{make_ulid(wanted.at_ns, int(chance.integers(2**62)))}",
        policy=wanted.version,
        stratum=wanted.stratum,
        stage=wanted.stage,
        site=site,
        robot=f"arm-{site}-1",
        at_ns=wanted.at_ns,
        succeeded=tried.succeeded and not stopped,
        judged_by=JUDGE,
        failure=FailureClass.OTHER if stopped and tried.succeeded else tried.failure,
        scenario=wanted.scenario,
        cycle_s=tried.cycle_s,
        confidence=tried.confidence,
        latency_ms=tried.latency_ms,
        interventions=int(stopped),
        steps=_list_steps(wanted.steps, tried, stopped=stopped),
    )


def _list_steps(rubric: Sequence[str], tried: Attempt, *, stopped: bool) -> tuple[Step, ...]:
    """List the steps of an attempt by the rubric of its plan; the floor knows the five shipped steps only."""
    if len(rubric) != FIVE or tried.verdict is None:
        return ()
    done = 0 if stopped else tried.verdict.count_done_steps()
    return tuple(Step(name, place < done) for place, name in enumerate(rubric[: done + 1]))


def _is_stopped_by_guard(engine: Engine, tried: Attempt, at_ns: int) -> bool:
    """Does the guard stop it before anything moves? It sees only the confidence and the action then."""
    limits = GuardLimits.from_json(engine.bundle.guard, engine.bundle.guard_fingerprint)
    reading = Reading(at_ns, at_ns, tried.confidence, tried.action.values, (), (), 0.0)
    return step(GuardState(), limits, reading)[1].answer is not Answer.ALLOW
