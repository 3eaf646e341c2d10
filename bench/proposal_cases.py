"""Episodes whose phases are known: the simulated floor's own truth, and hand-made labels of public datasets."""

import csv
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.harness import Missing
from fieldloop.ingest import open_log
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.simulate.arm.controller import plan_pick_path
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.operators import choose_grasp_and_style, get_operator_habit
from fieldloop.simulate.arm.physics import simulate_pick
from fieldloop.simulate.arm.recording import Demonstration, record_attempt
from fieldloop.testing.shared import find_shared_data

HERE = Path(__file__).parent
HAND = HERE / "hand_labels"
LABELS, PASSES, WITHOUT, RESULTS, PUBLIC = (
    HAND / f"{name}.csv" for name in ("phases", "passes", "without_pick", "results", "sets")
)
SETS = {
    "lerobot-v21-g1": "lerobot-v21-g1",
    "lerobot-v20-gr1": "lerobot-v20-gr1",
    "hdf5-robomimic": "hdf5-robomimic/robomimic_mh/dummy_data/lift_image.hdf5",
    "rlds-octo-bridge": "rlds-octo-bridge",
    "hdf5-robomimic-mg": "hdf5-robomimic/robomimic_mg/dummy_data/can_low_dim.hdf5",
    "hdf5-robomimic-ph": "hdf5-robomimic/robomimic_ph/dummy_data/lift_low_dim.hdf5",
    "adroit-relocate": "hdf5-d4rl-adroit-human/d4rl_adroit_relocate/dummy_data/relocate-human-v1.hdf5",
}
DEVELOPMENT, LOOKED_AT, HOLD_OUT = "development", "looked at", "hold-out"
PUBLIC_SETS = "FIELDLOOP_PUBLIC_SETS"
"""Environment variable: a folder with the public sets of `hand_labels/sets.csv`, each in a folder of its name."""
FLOOR_HZ = 30.0
COARSE = {"pre-grasp": "approach", "lift": "transport", "place": "transport"}
"""Parts that joints alone cannot separate, and what they are a part of."""
ABOVE_M = 0.06
TIERS, BINS = ("high", "medium", "long_tail"), ("front", "back", "side")

Span = tuple[str, float, float]
"""A label from a time to a time, in seconds from the start of the case."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A recording, its true phases in seconds from `start_ns`, its frame rate, its set and its split."""

    recording: Recording
    start_ns: int
    hz: float
    truth: tuple[Span, ...]
    source: str
    split: str
    demonstration: Demonstration | None = None
    camera: str = ""


def list_floor_cases(seed: int, count: int, split: str) -> Iterator[Known]:
    """Demonstrations of the floor, each in three forms: whole, without the tool's pose, and as a stranger's joints."""
    floor = Floor(seed=seed)
    sites, people = list(floor.sites), floor.list_operators()
    rng = np.random.default_rng(seed)
    for n in range(count):
        stratum = Stratum.of(site=sites[n % len(sites)], tier=TIERS[n % 3], bin=BINS[(n // 3) % 3], lighting="bright")
        person, chance = people[n % len(people)], floor.make_random_generator("phases", n)
        made = floor.demonstrate(stratum, person, chance, start_ns=10**18)
        start = made.truth.motion_ns
        truth = tuple((name, (a - start) / NS_PER_S, (b - start) / NS_PER_S) for name, a, b in made.truth.phases)
        whole = Recording(
            made.recording.episode, {k: s for k, s in made.recording.streams.items() if s.pictures is None}
        )
        joints = {k: s for k, s in whole.streams.items() if k in ("joints", "gripper", "gripper/effort")}
        coarse = merge_parts(truth)
        yield Known(whole, start, FLOOR_HZ, truth, "tool", split, made)
        yield Known(Recording(whole.episode, joints), start, FLOOR_HZ, coarse, "joints", split, made)
        yield Known(disguise(whole, rng), start, FLOOR_HZ, coarse, "strange", split, made)


def list_failing_cases(seed: int, count: int) -> Iterator[Known]:
    """Attempts with a grasp that was made worse: above the item, or with a quarter of the force."""
    floor = Floor(seed=seed)
    for n in range(count):
        rng = floor.make_random_generator("made to fail", n)
        scene = floor.draw_scene(Stratum.of(site="lab", tier=TIERS[n % 3], bin=BINS[n % 3], lighting="bright"), rng)
        people = floor.list_operators()
        grasp, style = choose_grasp_and_style(get_operator_habit(people[n % len(people)]), scene.item, rng)
        worse = replace(grasp, force_n=grasp.force_n / 4) if n % 2 else replace(grasp, z=grasp.z + ABOVE_M)
        verdict = simulate_pick(scene, plan_pick_path(worse, style, scene.site.bin_floor_m))
        made = record_attempt(scene, verdict, floor.rig, 10**18, rng, {})
        joints = {k: s for k, s in made.recording.streams.items() if k in ("joints", "gripper", "gripper/effort")}
        yield Known(
            Recording(made.recording.episode, joints), made.truth.motion_ns, FLOOR_HZ, (), "failing", HOLD_OUT, made
        )


def disguise(recording: Recording, rng: np.random.Generator) -> Recording:
    """Turn joints and gripper into one nameless stream at a low rate: unknown units, direction and noise."""
    joints, gripper = recording.streams["joints"], recording.streams["gripper"]
    begin = max(int(joints.times_ns[0]), int(gripper.times_ns[0]))
    end = min(int(joints.times_ns[-1]), int(gripper.times_ns[-1]))
    at = np.arange(begin, end, int(NS_PER_S / float(rng.choice([10, 20, 30, 50]))))
    angles = np.column_stack([np.interp(at, joints.times_ns, one) for one in np.asarray(joints.values).T])
    width = np.interp(at, gripper.times_ns, np.asarray(gripper.values)[:, 0])
    angles = angles + rng.normal(0, 1, angles.shape) * float(rng.choice([0, 5e-4, 2e-3]))
    width = width + rng.normal(0, 1, width.shape) * float(rng.choice([0, 2e-4, 1e-3]))
    scale, sign = float(rng.choice([1, 180 / np.pi, 1000 / np.pi])), float(rng.choice([-1, 1]))
    values = np.column_stack([scale * angles, sign * float(rng.choice([1, 12.5, 1250])) * width + rng.normal()])
    state = Stream("observation.state", StreamKind.JOINT_POSITION, "", {ClockKind.LOG: at}, values)
    return Recording(recording.episode, {state.name: state})


def read_rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file of hand-made labels."""
    with file.open(encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def list_labelled_cases(*splits: str) -> Iterator[Known]:
    """Public episodes of some splits (of all where none is named) with labels made by looking at the pictures."""
    rows: Mapping[str, dict[str, list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for row in read_rows(LABELS):
        if not splits or row["split"] in splits:
            rows[row["set"]][row["episode"]].append(row)
    for name, episodes in rows.items():
        for recording in open_public_set(name, episodes):
            yield _place_labels(recording, episodes[recording.episode.name], name)


def open_public_set(name: str, episodes: Collection[str]) -> Iterator[Recording]:
    """Open the named episodes of a public set."""
    folder, _, inside = SETS.get(name, name).partition("/")
    found = find_shared_data(folder) if name in SETS else _find_public_set(name)
    if found is None:
        raise Missing(f"the set {name} is not here; bench/hand_labels/sets.csv says where it comes from")
    for recording in open_log(found / inside).recordings:
        if recording.episode.name in episodes:
            yield recording


def _find_public_set(name: str) -> Path | None:
    root = os.environ.get(PUBLIC_SETS)
    folder = Path(root) / name if root else None
    return folder.resolve() if folder is not None and folder.is_dir() else None


def _place_labels(recording: Recording, rows: list[dict[str, str]], source: str) -> Known:
    camera = next(s for s in recording.streams.values() if s.pictures is not None)
    times = camera.times_ns
    hz = (len(times) - 1) / ((int(times[-1]) - int(times[0])) / NS_PER_S)
    truth = tuple((r["label"], float(r["start_frame"]) / hz, float(r["end_frame"]) / hz) for r in rows)
    return Known(recording, int(times[0]), hz, truth, source, rows[0]["split"], camera=camera.name)


def place_by_rows(case: Known) -> Known:
    """Place labels on the clock of the joints, where each picture was written with one sample of them.

    That leaves out the difference of both clocks: what remains is the error of the proposals.
    """
    joints = next(s for s in case.recording.streams.values() if s.kind is StreamKind.JOINT_POSITION)
    frames = case.recording.streams[case.camera]
    if len(joints) != len(frames):
        return case
    at = (joints.times_ns - joints.times_ns[0]) / NS_PER_S

    def move(edge: float) -> float:
        return float(np.interp(edge * case.hz, np.arange(len(at)), at))

    truth = tuple((label, move(begin), move(end)) for label, begin, end in case.truth)
    return replace(case, start_ns=int(joints.times_ns[0]), hz=(len(at) - 1) / float(at[-1]), truth=truth)


def merge_parts(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Join what joints cannot separate.

    >>> merge_parts((("approach", 0, 1), ("pre-grasp", 1, 2), ("grasp", 2, 3)))
    (('approach', 0, 2), ('grasp', 2, 3))
    """
    merged: list[Span] = []
    for label, begin, end in spans:
        whole = COARSE.get(label, label)
        if merged and merged[-1][0] == whole:
            merged[-1] = (whole, merged[-1][1], end)
        else:
            merged.append((whole, begin, end))
    return tuple(merged)
