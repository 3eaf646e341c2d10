"""A small dataset of which everything is known: every value by a formula, every picture by its mark."""

from dataclasses import dataclass

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.testing.barcode import MarkedPictures

START_NS = 1_767_225_600_000_000_000
FPS = 20
LENGTHS = (9, 1, 14, 6, 11)
CAMERAS = ("camera/front", "camera/wrist", "depth/front")
SIZE = (64, 48)
KEYS = {
    "joints": "observation.state",
    "action": "action",
    "gripper/closed": "observation.gripper.closed",
    "ticks": "observation.ticks",
    "übung": "observation.übung",
    "camera/front": "observation.images.front",
    "camera/wrist": "observation.images.wrist",
    "depth/front": "observation.images.depth.front",
}


@dataclass(frozen=True, slots=True)
class Truth:
    """What an episode must read as, wherever it is read."""

    recording: Recording
    values: dict[str, np.ndarray]
    stamps_ns: np.ndarray
    tasks: list[str]


def truths(lengths=LENGTHS) -> list[Truth]:
    """Return the episodes; cameras are late by less than half a frame, so each row shows the picture of its number."""
    return [_truth(number, length) for number, length in enumerate(lengths)]


def _truth(number: int, length: int) -> Truth:
    random = np.random.default_rng(number)
    grid = START_NS + number * 60 * 10**9 + np.arange(length) * (10**9 // FPS) + random.integers(0, 2_000_000, length)
    late = [grid, *(grid + random.integers(0, 4_000_000, length) for _ in CAMERAS[1:])]
    values = {
        "joints": random.normal(size=(length, 6)).astype(np.float32),
        "action": random.normal(size=(length, 3)),
        "gripper/closed": random.integers(0, 2, (length, 1)).astype(bool),
        "ticks": random.integers(-(2**62), 2**62, (length, 2)),
        "übung": random.normal(size=(length, 2)) * 1e9,
    }
    kinds = dict.fromkeys(values, StreamKind.OTHER) | {"joints": StreamKind.JOINT_POSITION, "action": StreamKind.ACTION}
    streams = [
        Stream(name, kinds[name], "rad", {ClockKind.HEADER: grid}, v, nominal_hz=FPS, frame_id=f"{name}_link")
        for name, v in values.items()
    ]
    for i, name in enumerate(CAMERAS):
        depth = name.startswith("depth")
        kind, unit = (StreamKind.DEPTH, "m") if depth else (StreamKind.RGB, "8-bit")
        source = MarkedPictures(i, number, length, SIZE, depth)
        clocks = {ClockKind.HEADER: late[i]}
        streams.append(Stream(name, kind, unit, clocks, pictures=source, nominal_hz=FPS, serial=f"SN-{i}"))
    tasks = [f"aufgabe {number % 2} – größer", "wipe"] if number % 3 == 0 else [f"aufgabe {number % 2} – größer"]
    facts = (("lux", f"{100 + number}"), *((("tasks", " | ".join(tasks)),) if len(tasks) > 1 else ()))
    episode = Episode(
        compute_content_id([str(number).encode()]), f"take-{number}", "planted", tasks[0], robot="arm-7", site="köln",
        operator=f"operator-{number % 2}", session="s1", stratum=Stratum.of(lighting="dim"), succeeded=number % 2 == 0,
        start_ns=int(grid[0]), end_ns=int(grid[-1]), facts=facts,
    )  # fmt: skip
    stored = values | {"action": values["action"].astype(np.float32)}  # commands are rounded, the rest is not
    return Truth(Recording(episode, {s.name: s for s in streams}), stored, np.stack(late, axis=1), tasks)
