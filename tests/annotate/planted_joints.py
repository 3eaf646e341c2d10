"""Picks in joint space whose phases are known: a stranger's row of joints with fingers of any unit and direction."""

import numpy as np
from tests.annotate.staged_pick import START_NS, edges, fingers, place

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

JOINT_NAMES = tuple(f"joint_{k}" for k in range(6))
COARSE = ("approach", "grasp", "transport", "release", "retract")


def coarse_edges():
    """When each phase that joints can separate begins, and when the last ends, in seconds."""
    e = edges()
    return np.array([e[0], e[2], e[3], e[6], e[7], e[8]])


def joints(t, seed=0):
    """Six joints that move as the tool does, by an unknown linear map."""
    return place(t, edges()) @ np.random.default_rng(seed).normal(size=(3, 6))


def opening(t):
    """How far the fingers are open, 0 to 1, with a change on the way."""
    return fingers(t, edges()) / 0.08


def stream(name, t, values, columns=(), kind=StreamKind.JOINT_POSITION, unit=""):
    stamps = START_NS + np.round(t * NS_PER_S).astype(np.int64)
    return Stream(name, kind, unit, {ClockKind.LOG: stamps}, np.asarray(values, float), columns=tuple(columns))


def recorded(*streams):
    return Recording(Episode("e1", "e1", "planted"), {s.name: s for s in streams})


def times(hz=30.0, end_s=None):
    return np.arange(0, edges()[-1] + 2.2 if end_s is None else end_s, 1 / hz)


def pick(hz=30.0, scale=1.0, jaw=1.0, offset=0.0, noise=0.0, seed=0, names=(*JOINT_NAMES, "gripper"), end_s=None):
    """One pick in one row; `jaw` scales the fingers and gives their direction."""
    t, rng = times(hz, end_s), np.random.default_rng(seed)
    values = np.column_stack([scale * joints(t, seed), jaw * opening(t) + offset])
    values = values + rng.normal(0, 1, values.shape) * noise * np.ptp(values, axis=0)
    return recorded(stream("observation.state", t, values, names))


def read_edges(proposal, kind="phase"):
    """Labels and edges of proposed spans, in seconds."""
    spans = [a for a in proposal.annotations if a.kind == kind]
    return [a.label for a in spans], np.array([[a.start_ns - START_NS, a.end_ns - START_NS] for a in spans]) / NS_PER_S
