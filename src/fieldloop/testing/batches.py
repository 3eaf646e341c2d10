"""Healthy batches made of facts, measurements and imprints alone, without recordings."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Batch
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.model.identity import compute_content_id
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import NO_SUBJECT, Subject
from fieldloop.model.stream import NS_PER_DAY, NS_PER_S
from fieldloop.protocol import CollectionProtocol, parse_protocol
from fieldloop.testing.synthetic import PROTOCOL, START_NS

ASKED = """
[balance.outcome]
shares = { succeeded = 0.75, failed = 0.25 }

[balance.lighting]
shares = { bright = 0.5, dim = 0.5 }

[balance.approach_deg]
shares = { "0-25" = 0.5, "25-60" = 0.5 }

[task.cover_x_m]
value = [0.3, 0.6]

[task.cover_y_m]
value = [-0.2, 0.2]

[task.cover_yaw_deg]
value = [-90.0, 90.0]
"""
VIEW = (48, 64)
"""Rows and columns of a small picture."""

STYLE = {"mean_rad_s": 0.5, "peak_rad_s": 1.2, "pause_share": 0.1, "peaks_per_s": 1.5, "directness": 0.8}
MEASURED = {"timing.longest_gap": 0.2, "timing.jitter": 0.5}
"""Checks of one episode for which a synthetic episode has a value, with its typical value."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many sessions, how many episodes each, and how many people take turns."""

    sessions: int = 16
    each: int = 12
    operators: int = 4


def get_batch_protocol() -> CollectionProtocol:
    """Return the protocol under which every check of a healthy batch has an answer."""
    return parse_protocol(PROTOCOL + ASKED, "synthetic batch")


def make_healthy_batch(shape: Shape | None = None, *, seed: int = 0) -> Batch:
    """Make a healthy batch: operators take turns by session, conditions alternate within a session."""
    shape = shape or Shape()
    random = np.random.default_rng(seed)
    episodes = tuple(e for session in range(shape.sessions) for e in _make_session(session, shape, random))
    count = len(episodes)
    numbered = tuple(
        replace(e, facts=(("dataset", "set"), ("dataset_episodes", str(count)), ("episode_index", str(i))))
        for i, e in enumerate(episodes)
    )
    return Batch(
        numbered,
        protocol=get_batch_protocol(),
        measured={e.id: _make_measurements(e, random) for e in numbered},
        imprints={e.id: Imprint(_make_imprint_arrays(e, random) | _make_camera_view(e)) for e in numbered},
        split={e.id: "validation" if _get_session_number(e) < shape.operators else "train" for e in numbered},
        calibrations=(_make_calibration(0, 0.0), _make_calibration(shape.sessions // 2, 0.001)),
        annotations={e.id: (Annotation(e.id, "phase", "grasp", e.start_ns, e.end_ns, "anna"),) for e in numbered},
    )


def _get_session_number(episode: Episode) -> int:
    return int(episode.session.removeprefix("session-"))


def _make_session(session: int, shape: Shape, random: np.random.Generator) -> tuple[Episode, ...]:
    failed = set(random.permutation(shape.each)[: shape.each // 4].tolist())
    return tuple(_make_episode(session, i, shape, random, failed=i in failed) for i in range(shape.each))


def _make_episode(session: int, index: int, shape: Shape, random: np.random.Generator, *, failed: bool) -> Episode:
    start = START_NS + session * NS_PER_DAY + index * 60 * NS_PER_S
    stratum = Stratum.of(
        lighting=("bright", "dim")[index % 2], bin=("front", "back")[index // 2 % 2], object=f"sku-{index // 4 % 3}"
    )
    return Episode(
        id=compute_content_id([f"{session}/{index}/{random.integers(2**60)}".encode()]), name=f"made-{session}-{index}",
        format="synthetic", task="pick", robot="arm-1", site="lab", operator=f"operator-{session % shape.operators}",
        session=f"session-{session}", protocol="default v1", stratum=stratum, start_ns=start,
        end_ns=start + int(10 * NS_PER_S * np.exp(random.normal(0.0, 0.1))), simulated=True, succeeded=not failed,
        failure="slip" if failed else "",
    )  # fmt: skip


def _make_measurements(episode: Episode, random: np.random.Generator) -> tuple[Measured, ...]:
    made = [
        Measured(name, (Measurement(Subject("joints"), typical * _draw_random_factor(random)),))
        for name, typical in MEASURED.items()
    ]
    if episode.succeeded:
        made.append(Measured("throughput.cycle_time", (Measurement(NO_SUBJECT, _draw_random_factor(random)),)))
    return tuple(made)


def _make_imprint_arrays(episode: Episode, random: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    tilt = np.radians(random.uniform(10.0, 40.0))
    turn, yaw = random.uniform(-np.pi, np.pi), random.uniform(-np.pi / 2, np.pi / 2)
    side = np.sin(tilt)
    bright = 110.0 if episode.stratum.level("lighting") == "bright" else 70.0
    arrays = {
        "approach/tool": np.asarray([side * np.cos(turn), side * np.sin(turn), -np.cos(tilt)]),
        "grasp/tool/tool": np.asarray(
            [random.uniform(0.3, 0.6), random.uniform(-0.2, 0.2), 0.1, 0, 0, np.sin(yaw / 2), np.cos(yaw / 2)]
        ),
        "way/joints": np.cumsum(random.normal(0.0, 0.05, (32, 6)), axis=0),
        "light/camera/overhead": np.asarray([bright + random.normal(0.0, 5.0)]),
    }
    arrays |= {f"speed/{name}": np.asarray([typical * _draw_random_factor(random)]) for name, typical in STYLE.items()}
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def _make_camera_view(episode: Episode) -> dict[str, NDArray[Any]]:
    """Let a fixed camera see the same wall in the first episode of each session; comparing all would be slow."""
    if not episode.name.endswith("-0"):
        return {}
    grain = np.random.default_rng(_get_session_number(episode)).normal(0.0, 1.0, VIEW)
    picture = np.clip(_draw_wall() + grain, 0, 255).round().astype(np.uint8)
    return {"view/camera/overhead/picture": picture, "view/camera/overhead/stays": np.asarray([0.9], np.float32)}


@cache
def _draw_wall() -> NDArray[np.float64]:
    """Draw patches of 4 × 4 pixels, their rims softened."""
    patches = np.random.default_rng(0).uniform(40.0, 200.0, (VIEW[0] // 4, VIEW[1] // 4)).repeat(4, 0).repeat(4, 1)
    return np.asarray((patches + np.roll(patches, 1, 0) + np.roll(patches, 1, 1) + np.roll(patches, 1, (0, 1))) / 4)


def _draw_random_factor(random: np.random.Generator) -> float:
    return float(np.exp(random.normal(0.0, 0.15)))


def _make_calibration(day: int, shift_m: float) -> Calibration:
    pose = tuple(tuple(float(r == c) + (shift_m if (r, c) == (0, 3) else 0.0) for c in range(4)) for r in range(4))
    return Calibration(
        f"calibration_{day}", "hand_eye", "arm-1", "camera/overhead", "base", "camera", pose, "park", 0.5, 0.1, 20,
        Status.PASSED, valid_from_ns=START_NS + day * NS_PER_DAY - NS_PER_S,
    )  # fmt: skip
