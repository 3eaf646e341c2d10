"""Injuries that the checks of motion must notice."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.stream import DEG_PER_RAD, NS_PER_S, Stream
from fieldloop.testing.injuries.injury import STEP_NS, Injury, change_episode, change_stamps, change_values
from fieldloop.testing.synthetic import replace_streams

WAIT_NS = 10 * NS_PER_S


def add_joint_jump(case: Case) -> Case:
    """Move one joint far away for one sample."""

    def move_one_sample(values: NDArray[Any]) -> None:
        values[500, 2] += 1.0

    return change_values(case, "joints", move_one_sample)


def shift_joint_beyond_limit(case: Case) -> Case:
    """Shift one joint by more than a full turn beyond its limit, as a wrong zero does."""

    def shift_column(values: NDArray[Any]) -> None:
        values[:, 3] += 7.0

    return change_values(case, "joints", shift_column)


def wrap_joint_angle(case: Case) -> Case:
    """Report one joint's angle a whole turn off for half a second."""

    def add_whole_turn(values: NDArray[Any]) -> None:
        values[500:560, 2] -= np.sign(values[500, 2]) * 2 * np.pi

    return change_values(case, "joints", add_whole_turn)


def write_velocities_in_degrees(case: Case) -> Case:
    """Write the velocities in degrees per second, but label them as radians."""

    def convert_to_degrees(values: NDArray[Any]) -> None:
        values *= DEG_PER_RAD

    return change_values(case, "joints/velocity", convert_to_degrees)


def scale_joint_motion(case: Case) -> Case:
    """Scale the joints' motion by five, with commands and velocities."""

    def scale_values(values: NDArray[Any]) -> None:
        values[:, :6] *= 5.0

    for name in ("joints", "joints/velocity", "action"):
        case = change_values(case, name, scale_values)
    return case


def saturate_velocity(case: Case) -> Case:
    """Hold one velocity at its maximum for a second of the motion."""

    def hold_maximum(values: NDArray[Any]) -> None:
        values[500:620, 1] = values[:, 1].max()

    return change_values(case, "joints/velocity", hold_maximum)


def add_joint_tremor(case: Case) -> Case:
    """Add a tremor of a fiftieth of a radian at 8 Hz to the arm and its commands."""

    def add_oscillation(values: NDArray[Any]) -> None:
        at_s = np.arange(len(values)) / 120.0
        values[180:900, :6] += 0.02 * np.sin(2 * np.pi * 8.0 * at_s[180:900])[:, None]

    return change_values(change_values(case, "joints", add_oscillation), "action", add_oscillation)


def add_standstill(case: Case, *, at_start: bool) -> Case:
    """Add ten seconds of stillness at the start or at the end."""
    streams: dict[str, Stream | None] = {}
    for name, stream in case.recording.streams.items():
        if stream.values is None:
            continue
        rate = stream.hz or 1.0
        more = round(rate * WAIT_NS / NS_PER_S)
        rest = stream.values[:1] if at_start else stream.values[-1:]
        noise = np.random.default_rng(1).normal(0.0, 1e-6, (more, rest.shape[1]))
        parts = (rest + noise, stream.values) if at_start else (stream.values, rest + noise)
        streams[name] = replace(
            stream, values=np.concatenate(parts), clocks=_extend_clocks(stream, more, at_start=at_start)
        )
    pictures = {name: None for name, stream in case.recording.streams.items() if stream.values is None}
    longer = replace(case, recording=replace_streams(case.recording, {**streams, **pictures}), _kept={})
    start_ns, end_ns = case.episode.start_ns, case.episode.end_ns
    facts = {"start_ns": start_ns - WAIT_NS} if at_start else {"end_ns": end_ns + WAIT_NS}
    return change_episode(longer, **facts)


def _extend_clocks(stream: Stream, added_samples: int, *, at_start: bool) -> dict[Any, NDArray[np.int64]]:
    steps = np.round(np.arange(1, added_samples + 1) * WAIT_NS / added_samples).astype(np.int64)
    return {
        kind: np.concatenate([times[0] - steps[::-1], times] if at_start else [times, times[-1] + steps])
        for kind, times in stream.clocks.items()
    }


def shift_commands_earlier(case: Case) -> Case:
    """Shift the commands 0.8 s earlier."""
    return change_stamps(case, "action", lambda times: times - 800 * STEP_NS)


def replace_commands_by_state(case: Case) -> Case:
    """Replace the commands by the joint positions."""
    joints = case.recording.streams["joints"].values
    assert joints is not None
    own = joints  # bound here: type checkers forget an assertion inside a closure

    def copy_positions(values: NDArray[Any]) -> None:
        values[:, :6] = own

    return change_values(case, "action", copy_positions)


def freeze_joint_command(case: Case) -> Case:
    """Hold the command of one joint constant."""

    def freeze_column(values: NDArray[Any]) -> None:
        values[:, 2] = 0.1

    return change_values(case, "action", freeze_column)


def shift_joint_zero(case: Case) -> Case:
    """Shift one joint by half a radian against its commands."""

    def shift_column(values: NDArray[Any]) -> None:
        values[:, 1] += 0.5

    return change_values(case, "joints", shift_column)


CAMERAS_LEFT_OUT = "the cameras were left out, and the protocol requires one"
INJURIES: dict[str, Injury] = {
    "motion.joint_limit": Injury(
        shift_joint_beyond_limit, {"motion.command_error": "the commands still know where the zero is"}
    ),
    "motion.teleport": Injury(add_joint_jump),
    "motion.angle_wrap": Injury(wrap_joint_angle),
    "motion.units": Injury(write_velocities_in_degrees),
    "motion.max_speed": Injury(scale_joint_motion),
    "motion.saturated": Injury(saturate_velocity),
    "motion.roughness": Injury(add_joint_tremor),
    "motion.idle_head": Injury(
        lambda case: add_standstill(case, at_start=True), {"integrity.required_streams": CAMERAS_LEFT_OUT}
    ),
    "motion.idle_tail": Injury(
        lambda case: add_standstill(case, at_start=False), {"integrity.required_streams": CAMERAS_LEFT_OUT}
    ),
    "motion.action_follows_state": Injury(shift_commands_earlier),
    "motion.action_copies_state": Injury(replace_commands_by_state),
    "motion.constant_action": Injury(freeze_joint_command),
    "motion.command_error": Injury(shift_joint_zero),
}
