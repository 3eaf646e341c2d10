"""Injuries that the checks of motion must notice."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.stream import DEG_PER_RAD, NS_PER_S, Stream
from fieldloop.testing.injuries.injury import STEP_NS, Injury, change_episode, change_stamps, change_values
from fieldloop.testing.synthetic import with_streams

WAIT_NS = 10 * NS_PER_S


def jump(case: Case) -> Case:
    """Move one joint far away for one sample."""

    def away(values: NDArray[Any]) -> None:
        values[500, 2] += 1.0

    return change_values(case, "joints", away)


def overwind(case: Case) -> Case:
    """Shift one joint by more than a full turn beyond its limit, as a wrong zero does."""

    def turn(values: NDArray[Any]) -> None:
        values[:, 3] += 7.0

    return change_values(case, "joints", turn)


def wrap(case: Case) -> Case:
    """Report one joint's angle a whole turn off for half a second."""

    def off(values: NDArray[Any]) -> None:
        values[500:560, 2] -= np.sign(values[500, 2]) * 2 * np.pi

    return change_values(case, "joints", off)


def mix_units(case: Case) -> Case:
    """Write the velocities in degrees per second, but label them as radians."""

    def degrees(values: NDArray[Any]) -> None:
        values *= DEG_PER_RAD

    return change_values(case, "joints/velocity", degrees)


def hurry(case: Case) -> Case:
    """Scale the joints' motion by five, with commands and velocities."""

    def farther(values: NDArray[Any]) -> None:
        values[:, :6] *= 5.0

    for name in ("joints", "joints/velocity", "action"):
        case = change_values(case, name, farther)
    return case


def saturate(case: Case) -> Case:
    """Hold one velocity at its maximum for a second of the motion."""

    def stuck(values: NDArray[Any]) -> None:
        values[500:620, 1] = values[:, 1].max()

    return change_values(case, "joints/velocity", stuck)


def tremble(case: Case) -> Case:
    """Add a tremor of a fiftieth of a radian at 8 Hz to the arm and its commands."""

    def shake(values: NDArray[Any]) -> None:
        at_s = np.arange(len(values)) / 120.0
        values[180:900, :6] += 0.02 * np.sin(2 * np.pi * 8.0 * at_s[180:900])[:, None]

    return change_values(change_values(case, "joints", shake), "action", shake)


def wait(case: Case, *, before: bool) -> Case:
    """Add ten seconds of stillness at the start or at the end."""
    streams: dict[str, Stream | None] = {}
    for name, stream in case.recording.streams.items():
        if stream.values is None:
            continue
        rate = stream.hz or 1.0
        more = round(rate * WAIT_NS / NS_PER_S)
        rest = stream.values[:1] if before else stream.values[-1:]
        noise = np.random.default_rng(1).normal(0.0, 1e-6, (more, rest.shape[1]))
        parts = (rest + noise, stream.values) if before else (stream.values, rest + noise)
        streams[name] = replace(
            stream, values=np.concatenate(parts), clocks=_extended_clocks(stream, more, before=before)
        )
    pictures = {name: None for name, stream in case.recording.streams.items() if stream.values is None}
    longer = replace(case, recording=with_streams(case.recording, {**streams, **pictures}), _kept={})
    start_ns, end_ns = case.episode.start_ns, case.episode.end_ns
    facts = {"start_ns": start_ns - WAIT_NS} if before else {"end_ns": end_ns + WAIT_NS}
    return change_episode(longer, **facts)


def _extended_clocks(stream: Stream, more: int, *, before: bool) -> dict[Any, NDArray[np.int64]]:
    steps = np.round(np.arange(1, more + 1) * WAIT_NS / more).astype(np.int64)
    return {
        kind: np.concatenate([times[0] - steps[::-1], times] if before else [times, times[-1] + steps])
        for kind, times in stream.clocks.items()
    }


def delay_arm(case: Case) -> Case:
    """Shift the commands 0.8 s earlier."""
    return change_stamps(case, "action", lambda times: times - 800 * STEP_NS)


def copy_state(case: Case) -> Case:
    """Replace the commands by the joint positions."""
    joints = case.recording.streams["joints"].values
    assert joints is not None
    own = joints  # bound here: type checkers forget an assertion inside a closure

    def copied(values: NDArray[Any]) -> None:
        values[:, :6] = own

    return change_values(case, "action", copied)


def forget_command(case: Case) -> Case:
    """Hold the command of one joint constant."""

    def fixed(values: NDArray[Any]) -> None:
        values[:, 2] = 0.1

    return change_values(case, "action", fixed)


def shift_zero(case: Case) -> Case:
    """Shift one joint by half a radian against its commands."""

    def away(values: NDArray[Any]) -> None:
        values[:, 1] += 0.5

    return change_values(case, "joints", away)


CAMERAS_LEFT_OUT = "the cameras were left out, and the protocol requires one"
INJURIES: dict[str, Injury] = {
    "motion.joint_limit": Injury(overwind, {"motion.command_error": "the commands still know where the zero is"}),
    "motion.teleport": Injury(jump),
    "motion.angle_wrap": Injury(wrap),
    "motion.units": Injury(mix_units),
    "motion.max_speed": Injury(hurry),
    "motion.saturated": Injury(saturate),
    "motion.roughness": Injury(tremble),
    "motion.idle_head": Injury(lambda case: wait(case, before=True), {"integrity.required_streams": CAMERAS_LEFT_OUT}),
    "motion.idle_tail": Injury(lambda case: wait(case, before=False), {"integrity.required_streams": CAMERAS_LEFT_OUT}),
    "motion.action_follows_state": Injury(delay_arm),
    "motion.action_copies_state": Injury(copy_state),
    "motion.constant_action": Injury(forget_command),
    "motion.command_error": Injury(shift_zero),
}
