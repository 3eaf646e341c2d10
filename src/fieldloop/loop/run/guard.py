"""Show a policy's guard limits, and replay its guard on a recorded episode."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import Refused
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.run.policies import find_policy, load_engine
from fieldloop.loop.work.reopen import reopen_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Recording
from fieldloop.model.policy import Observation
from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.serve.engine import Engine
from fieldloop_robot.guard import RULES, UNITS, Answer, GuardLimits, GuardState, Reading, step

NEEDED = ("joints", "action", "force")


@dataclass(frozen=True, slots=True)
class GuardLimit:
    """One limit that a policy carries to the robot."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Guarded:
    """The limits inside a policy's bundle, and the rules that enforce them. Not the certified safety function."""

    policy: str
    fingerprint: str
    limits: tuple[GuardLimit, ...]
    rules: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """The guard's answers at every step of a recorded episode."""

    episode: str
    policy: str
    steps: int
    allowed: int
    confidence: float | None
    first_refused_s: float | None
    reasons: tuple[tuple[str, int], ...]


def show_guard_limits(workspace: Workspace, policy: str) -> Guarded:
    """Show the guard limits that a policy carries to the robot, and the rules that enforce them.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
    """
    limits = _read_guard_limits(load_engine(workspace, find_policy(workspace, policy)))
    shown = tuple(GuardLimit(name, float(getattr(limits, name)), unit) for name, unit in UNITS.items())
    return Guarded(policy, limits.fingerprint, shown, tuple((rule.name, rule.answer.value) for rule in RULES))


def replay_guard(workspace: Workspace, episode: str, *, policy: str) -> Replay:
    """Replay a policy's guard at every step of a recorded episode.

    Arguments:
        episode: the episode's id, or a unique beginning of it
        policy: the policy whose guard is replayed: id, a unique beginning of it, or name
    """
    recording = reopen_episode(workspace, find_episode(workspace, episode))
    if missing := [name for name in NEEDED if name not in recording.streams]:
        raise Refused(f"The guard needs {', '.join(NEEDED)}; this episode lacks {', '.join(missing)}.")
    engine = load_engine(workspace, find_policy(workspace, policy))
    limits, confidence = _read_guard_limits(engine), _compute_confidence(engine, recording)
    state, reasons, first, allowed = GuardState(), Counter[str](), None, 0
    commands = recording.streams["action"].times_ns
    for at_ns in commands:
        state, verdict = step(state, limits, _make_guard_reading(recording, int(at_ns), confidence))
        allowed += verdict.answer is Answer.ALLOW
        reasons.update(verdict.rules)
        if verdict.answer is not Answer.ALLOW and first is None:
            first = float(at_ns - commands[0]) / NS_PER_S
    return Replay(recording.episode.id, policy, len(commands), allowed, confidence, first, tuple(reasons.most_common()))


def _read_guard_limits(engine: Engine) -> GuardLimits:
    return GuardLimits.from_json(engine.bundle.guard, engine.bundle.guard_fingerprint)


def _make_guard_reading(recording: Recording, at_ns: int, confidence: float | None) -> Reading:
    observed_ns, joints = _find_latest_values(recording.streams["joints"], at_ns)
    _, force = _find_latest_values(recording.streams["force"], at_ns)
    _, command = _find_latest_values(recording.streams["action"], at_ns)
    return Reading(at_ns, observed_ns, confidence, command, joints, command[: len(joints)], force[:3])


def _find_latest_values(stream: Stream, at_ns: int) -> tuple[int, NDArray[np.float64]]:
    assert stream.values is not None, "signals hold values"
    index = max(int(np.searchsorted(stream.times_ns, at_ns, "right")) - 1, 0)
    return int(stream.times_ns[index]), np.atleast_1d(stream.values[index])


def _compute_confidence(engine: Engine, recording: Recording) -> float | None:
    """Return the policy's confidence for the first frame of the episode."""
    wanted = {i.name for i in engine.bundle.inputs}
    if absent := wanted - recording.streams.keys():
        raise Refused(f"The policy needs {', '.join(sorted(absent))}, which this episode lacks.")
    streams = [recording.streams[name] for name in wanted]
    pictures = {s.name: next(iter(s.pictures.frames([0]))) for s in streams if s.pictures is not None}
    signals = {s.name: np.asarray(s.values[0], np.float64) for s in streams if s.values is not None}
    return engine.act(Observation(recording.episode.start_ns, pictures, signals)).confidence
