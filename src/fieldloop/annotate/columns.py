"""Which columns of a recording are arms, fingers and their commands: by kind, by name, else by shape."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.annotate.motion import MIN_SAMPLES, Floats
from fieldloop.model.episode import Recording
from fieldloop.model.stream import Stream, StreamKind

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
FINGER_WORDS = frozenset(
    ("gripper", "grip", "finger", "fingers", "jaw", "claw", "hand", "thumb", "index", "middle", "ring", "pinky")
) | {"little"}
RATES = frozenset(("vel", "velocity", "qvel", "effort", "torque", "force", "current", "acc", "acceleration"))
SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}
PLACE = 3
"""A pose's first columns are its place."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column with its valid samples; `side` is 'left', 'right' or ''."""

    stream: str
    index: int
    name: str
    side: str
    times_ns: NDArray[np.int64]
    values: Floats


@dataclass(frozen=True, slots=True)
class Sorted:
    """The columns of a recording by what they are; `by_shape` where fingers were recognised without a name."""

    arms: tuple[Column, ...]
    fingers: tuple[Column, ...]
    commands: tuple[Column, ...]
    efforts: tuple[Column, ...]
    by_shape: bool = False


def split_words(name: str) -> list[str]:
    """Split a column's name into its words.

    >>> split_words("kLeftHandPinky"), split_words("robot0_gripper_qpos")
    (['k', 'left', 'hand', 'pinky'], ['robot', '0', 'gripper', 'qpos'])
    """
    return [word.lower() for word in WORD.findall(name)]


def find_side(name: str) -> str:
    """Return the side that a name states.

    >>> find_side("kRightElbow"), find_side("l_gripper"), find_side("elbow")
    ('right', 'left', '')
    """
    return next((SIDES[word] for word in split_words(name) if word in SIDES), "")


def sort_columns(recording: Recording, numbers: Mapping[str, float]) -> Sorted:
    """Sort the columns of a recording into arms, fingers, commands to fingers, and efforts of fingers."""
    states = [c for s in recording.streams.values() if _is_state(s) for c in _list_columns(s)]
    actions = [s for s in recording.streams.values() if s.kind is StreamKind.ACTION and s.values is not None]
    efforts = tuple(
        c
        for s in recording.streams.values()
        if s.kind is StreamKind.GRIPPER and RATES & {"effort", "force"} & set(split_words(s.name))
        for c in _list_columns(s)
    )
    named = [c for c in states if _is_finger(recording.streams[c.stream], c)]
    commands = tuple(c for s in actions for c in _list_columns(s) if _is_command_to_fingers(c))
    if named:
        arms = _choose_arms(recording, [c for c in states if c not in named])
        return Sorted(tuple(arms), tuple(named), commands, efforts)
    if any(np.ptp(c.values) > 0 for c in commands):
        fingers, asked = _find_commanded_fingers(states, commands, actions)
        arms = _choose_arms(recording, [c for c in states if c not in fingers])
        return Sorted(tuple(arms), tuple(fingers), tuple(asked), efforts)
    fingers, switched = _find_fingers_by_shape(states, actions, numbers)
    arms = _choose_arms(recording, [c for c in states if c not in fingers])
    return Sorted(tuple(arms), tuple(fingers), tuple(switched), efforts, by_shape=bool(fingers))


def _is_state(stream: Stream) -> bool:
    kinds = (StreamKind.JOINT_POSITION, StreamKind.GRIPPER, StreamKind.HAND_POSE, StreamKind.POSE)
    return stream.kind in kinds and stream.values is not None and not RATES & set(split_words(stream.name))


def _is_finger(stream: Stream, column: Column) -> bool:
    if stream.kind in (StreamKind.GRIPPER, StreamKind.HAND_POSE):
        return True
    return stream.kind is StreamKind.JOINT_POSITION and bool(FINGER_WORDS & set(split_words(column.name)))


def _is_command_to_fingers(column: Column) -> bool:
    words = set(split_words(column.name))
    return bool(FINGER_WORDS & words) and not RATES & words


def _choose_arms(recording: Recording, states: Iterable[Column]) -> list[Column]:
    """Return joints; without any, the place of each pose."""
    joints = [c for c in states if recording.streams[c.stream].kind is StreamKind.JOINT_POSITION]
    poses = [c for c in states if recording.streams[c.stream].kind is StreamKind.POSE and c.index < PLACE]
    return joints or poses


def _list_columns(stream: Stream) -> Iterator[Column]:
    values = np.asarray(stream.values)
    if values.dtype.kind not in "fiub" or len(values) != len(stream):
        return
    values = values.reshape(len(values), -1).astype(float) if len(values) else np.zeros((0, 0))
    fine = np.isfinite(values).all(axis=1)
    times, values = stream.times_ns[fine], values[fine]
    if len(times) < MIN_SAMPLES:
        return
    rising = np.concatenate([[True], times[1:] > np.maximum.accumulate(times)[:-1]])
    times, values = times[rising], values[rising]
    if len(times) < MIN_SAMPLES:
        return
    for index in range(values.shape[1]):
        name = stream.columns[index] if index < len(stream.columns) else ""
        yield Column(stream.name, index, name, find_side(name) or find_side(stream.name), times, values[:, index])


def _find_commanded_fingers(
    states: list[Column], commands: Iterable[Column], actions: list[Stream]
) -> tuple[list[Column], list[Column]]:
    """Return the states in the places of commands that are named as a gripper's; without any, the commands."""
    moving = [c for c in commands if np.ptp(c.values) > 0]
    commanded = [c for s in actions for c in _list_columns(s)]
    paired = [c for c in states for s in moving if c.index == s.index and _is_as_wide(c, s, states, commanded)]
    felt = [c for c in paired if np.ptp(c.values) > 0]
    return (felt, moving) if felt else (moving, [])


def _find_fingers_by_shape(
    states: list[Column], actions: list[Stream], numbers: Mapping[str, float]
) -> tuple[list[Column], list[Column]]:
    """Return fingers and their commands by shape: switched commands first, then a last column that moves in steps."""
    commanded = [c for s in actions for c in _list_columns(s)]
    switched = [c for c in commanded if is_switched(c.values, numbers)]
    paired = [c for c in states for s in switched if c.index == s.index and _is_as_wide(c, s, states, commanded)]
    moving = [c for c in paired if np.ptp(c.values) > 0]
    if moving:
        return moving, switched
    last = [c for c in states if c.index in _list_last_places(c, states, numbers) and is_stepping(c.values, numbers)]
    if last:
        return last, switched
    ends = [c for c in switched if c.index in _list_last_places(c, commanded, numbers)]
    if ends:
        return ends, []
    return [
        c for c in commanded if c.index in _list_last_places(c, commanded, numbers) and is_stepping(c.values, numbers)
    ], []


def _is_as_wide(state: Column, command: Column, states: list[Column], commanded: list[Column]) -> bool:
    return sum(c.stream == state.stream for c in states) == sum(c.stream == command.stream for c in commanded)


def _list_last_places(column: Column, columns: list[Column], numbers: Mapping[str, float]) -> tuple[int, ...]:
    width = sum(c.stream == column.stream for c in columns)
    if not numbers["row_least"] <= width <= numbers["row_most"]:
        return ()
    both = width >= numbers["row_of_two_arms"] and width % 2 == 0
    return (width // 2 - 1, width - 1) if both else (width - 1,)


def is_switched(values: Floats, numbers: Mapping[str, float]) -> bool:
    """Report whether a command has two levels only and changes seldom: an open-or-close command.

    >>> numbers = {"switch_play": 0.01, "switch_most": 0.1}
    >>> [is_switched(v, numbers) for v in (np.repeat([1.0, -1.0, 1.0], 20), np.linspace(0, 1, 60), np.ones(60))]
    [True, False, False]
    """
    low, high = float(values.min()), float(values.max())
    if high <= low:
        return False
    play = numbers["switch_play"] * (high - low)
    at_end = (values - low <= play) | (high - values <= play)
    changes = int(np.count_nonzero(np.diff(values > (low + high) / 2)))
    return bool(at_end.all()) and changes <= max(1.0, numbers["switch_most"] * len(values))


def is_stepping(values: Floats, numbers: Mapping[str, float]) -> bool:
    """Report whether a column goes most of its way in a small share of the time and rests otherwise, as fingers do.

    >>> from fieldloop.annotate.measures import load_proposal_measures
    >>> numbers = load_proposal_measures()
    >>> [is_stepping(v, numbers) for v in (np.repeat([0.0, 1.0, 0.4], 20), np.linspace(0, 1, 60), np.ones(60))]
    [True, False, False]
    """
    if not np.ptp(values) > 0:
        return False
    run = int(numbers["noise_run"])
    even = np.convolve(values - values.mean(), np.full(run, 1 / run), "same")
    if np.std(even) < numbers["noise_kept"] * np.std(values):
        return False
    steps = np.abs(np.diff(values))
    steps = np.where(steps > numbers["noise_steps"] * np.median(steps), steps, 0.0)
    largest = np.sort(steps)[::-1].cumsum()
    if largest[-1] < numbers["step_least"] * np.ptp(values):
        return False
    needed = int(np.searchsorted(largest, numbers["step_way"] * largest[-1])) + 1
    return needed <= max(numbers["step_time"] * len(values), 2.0)
