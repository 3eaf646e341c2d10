"""From recordings and their phases to what a grasp learner needs: what was seen, and the grasp that followed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Recording
from fieldloop.model.release import StratumShare
from fieldloop.model.stream import NS_PER_S, Stream

CAMERA, DEPTH = "camera/overhead", "depth/overhead"
NEEDED = (CAMERA, DEPTH, "tool", "gripper", "gripper/effort")
ACTION_NAMES = ("x", "y", "z", "yaw", "width", "force")
BEFORE_NS = round(0.9 * NS_PER_S)  # part of the reference policy: its pictures come from this long before the approach
MARGIN_NS = round(0.06 * NS_PER_S)
"""Frames are taken from the second before the approach, and none so late that the arm may already move."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One demonstration: pictures (n × H × W × 3) and depths (n × h × w) before it, the grasp, and its weight."""

    episode: str
    pictures: NDArray[np.uint8]
    depths: NDArray[np.float32]
    grasp: Floats
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Gathered:
    """Samples, and why the other recordings gave none."""

    samples: tuple[Sample, ...]
    skipped: tuple[tuple[str, str], ...]


def gather_samples(
    recordings: Iterable[Recording],
    annotations: Iterable[Annotation],
    shares: Sequence[StratumShare] = (),
    frames: int = 1,
) -> Gathered:
    """Read one sample from every successful demonstration whose approach and grasp are annotated."""
    phases: dict[str, dict[str, Annotation]] = {}
    for annotation in annotations:
        if annotation.kind == "phase":
            phases.setdefault(annotation.episode, {})[annotation.label] = annotation
    samples, skipped = [], []
    for recording in recordings:
        sample_or_reason = _make_sample(
            recording, phases.get(recording.episode.id, {}), _get_sample_weight(recording, shares), frames
        )
        if isinstance(sample_or_reason, str):
            skipped.append((recording.episode.id, sample_or_reason))
        else:
            samples.append(sample_or_reason)
    return Gathered(tuple(samples), tuple(skipped))


def _get_sample_weight(recording: Recording, shares: Sequence[StratumShare]) -> float:
    stratum = recording.episode.stratum_with_site
    return next((share.weight for share in shares if share.stratum.covers(stratum)), 1.0)


def _make_sample(recording: Recording, phases: Mapping[str, Annotation], weight: float, frames: int) -> Sample | str:
    episode, streams = recording.episode, recording.streams
    if episode.succeeded is False:
        return "the demonstration failed"
    if missing := [name for name in NEEDED if name not in streams or not len(streams[name])]:
        return f"no stream {', '.join(missing)}"
    if missing := [label for label in ("approach", "grasp") if label not in phases]:
        return f"phase {' and '.join(missing)} not annotated"
    grasp = _measure_grasp(streams, phases["grasp"])
    if grasp is None:
        return "the grasp phase holds no sample of tool, gripper and effort"
    seen = _select_frames_before_approach(streams[CAMERA], streams[DEPTH], phases["approach"].start_ns, frames)
    if seen is None:
        return "a picture before the approach cannot be decoded"
    return Sample(episode.id, *seen, grasp, weight)


def _measure_grasp(streams: Mapping[str, Stream], phase: Annotation) -> Floats | None:
    """Where the tool stood while the fingers closed, how wide they were before, how hard they pressed after."""
    pose = _select_values_within(streams["tool"], phase.start_ns, phase.end_ns)
    opening = _select_values_within(streams["gripper"], phase.start_ns - MARGIN_NS, phase.end_ns)
    effort = _select_values_within(streams["gripper/effort"], phase.start_ns, phase.end_ns)
    if not (len(pose) and len(opening) and len(effort)):
        return None
    middle = pose[np.argmin(np.abs(pose[:, :3] - np.median(pose[:, :3], axis=0)).sum(axis=1))]
    across = tf.matrix_from_pose(middle)[:2, 1]  # the closing direction lies along the tool's y axis
    yaw = np.arctan2(-across[0], across[1])
    yaw = (yaw + np.pi / 2) % np.pi - np.pi / 2  # two fingers look alike turned half round
    grasp = np.array([*np.median(pose[:, :3], axis=0), yaw, opening.max(), np.percentile(effort, 90)])
    return grasp if np.isfinite(grasp).all() else None


def _select_values_within(stream: Stream, start_ns: int, end_ns: int) -> NDArray[Any]:
    assert stream.values is not None
    first = np.searchsorted(stream.times_ns, start_ns, side="left")
    last = np.searchsorted(stream.times_ns, end_ns, side="right")
    return np.asarray(stream.values[first:last], dtype=float)


def _select_frames_before_approach(
    camera: Stream, depth: Stream, approach_ns: int, frames: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32]] | None:
    """Return evenly spread pairs of picture and depth from the second before the approach; at least one pair."""
    assert camera.pictures is not None
    assert depth.pictures is not None
    at = depth.times_ns
    early = np.flatnonzero((at >= approach_ns - BEFORE_NS) & (at <= approach_ns - MARGIN_NS))
    if not len(early):
        early = np.array([int(np.argmin(np.abs(at - (approach_ns - MARGIN_NS))))])
    chosen = early[np.unique(np.linspace(0, len(early) - 1, frames).round().astype(int))]
    partners = np.array([int(np.argmin(np.abs(camera.times_ns - at[i]))) for i in chosen])
    wanted, place = np.unique(partners, return_inverse=True)  # a slow camera may be the partner of two depth frames
    frames_seen = list(camera.pictures.frames(wanted.tolist()))
    pictures = [frames_seen[i] for i in place]
    depths = list(depth.pictures.frames(chosen.tolist()))
    if any(array.size == 0 for array in (*pictures, *depths)):
        return None
    return np.stack(pictures).astype(np.uint8), np.stack(depths).astype(np.float32)
