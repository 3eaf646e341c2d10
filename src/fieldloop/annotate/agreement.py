"""Agreement of two authors on the phases of the same episodes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import Annotation
from fieldloop.model.stream import NS_PER_S
from fieldloop.stats.kappa import compute_cohens_kappa

NOTHING = ""
"""The label of a frame that an author left out."""
Boundary = tuple[str, str]
"""A kind of boundary: from one label to the next."""


def compare_authors(first: Iterable[Annotation], second: Iterable[Annotation], frame_hz: float) -> Agreement:
    """Compare two authors on the episodes that both annotated: kappa over frames, boundaries in frames.

    A frame that only one of them labelled counts as disagreement. A boundary of one kind (from label to label) is
    matched with the other author's of the same kind, in order, so that the distances add up to least; those left over
    are `unmatched`. Kappa is NaN where both used one and the same label throughout: nothing could have disagreed.
    """
    if not 0 < frame_hz < NS_PER_S:
        raise BadInput(f"frame_hz = {frame_hz!r} is not a valid frame rate.")
    ours, theirs = _group_by_episode(first), _group_by_episode(second)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise BadInput("The two authors have no annotated episode in common.")
    pairs: Counter[tuple[str, str]] = Counter()
    distances: dict[Boundary, list[int]] = {}
    unmatched = 0
    for episode in shared:
        pairs.update(_pair_frame_labels(ours[episode], theirs[episode], NS_PER_S / frame_hz))
        matched, left_over = match_boundaries(ours[episode], theirs[episode])
        for kind, apart in matched.items():
            distances.setdefault(kind, []).extend(apart)
        unmatched += left_over
    every = [one for apart in distances.values() for one in apart]
    frames = float(np.mean(every)) * frame_hz / NS_PER_S if every else float("nan")
    means = {kind: float(np.mean(apart)) * frame_hz / NS_PER_S for kind, apart in sorted(distances.items()) if apart}
    worst = max(means, key=lambda kind: means[kind], default=None)
    return Agreement(
        (_name_authors(ours), _name_authors(theirs)), len(shared), compute_cohens_kappa(pairs), frames, unmatched,
        worst_boundary="" if worst is None else " → ".join(label or "nothing" for label in worst),
        worst_frames=None if worst is None else means[worst],
    )  # fmt: skip


def measure_lateness(first: Sequence[Annotation], second: Sequence[Annotation], frame_hz: float) -> float | None:
    """Return by how many frames the first author's boundaries typically lie later; None where none is of one kind.

    It is the median, so the obvious ends of an episode do not hide a habit. Kinds of boundaries that one author drew
    more often than the other are left out.
    """
    ours, theirs = _group_by_episode(first), _group_by_episode(second)
    later: list[int] = []
    for episode in ours.keys() & theirs.keys():
        own, other = _list_boundaries(ours[episode]), _list_boundaries(theirs[episode])
        for kind in own.keys() & other.keys():
            if len(own[kind]) == len(other[kind]):
                pairs = zip(sorted(own[kind]), sorted(other[kind]), strict=True)
                later += [a - b for a, b in pairs]
    return float(np.median(later)) * frame_hz / NS_PER_S if later else None


def match_boundaries(
    first: Sequence[Annotation], second: Sequence[Annotation]
) -> tuple[dict[Boundary, list[int]], int]:
    """Return the distances (ns) of boundaries that both authors drew, by kind, and how many only one of them drew."""
    ours, theirs = _list_boundaries(first), _list_boundaries(second)
    distances: dict[Boundary, list[int]] = {}
    unmatched = 0
    for kind in sorted(ours.keys() | theirs.keys()):
        a, b = sorted(ours.get(kind, [])), sorted(theirs.get(kind, []))
        distances[kind] = _pair_nearest_in_order(*((a, b) if len(a) <= len(b) else (b, a)))
        unmatched += abs(len(a) - len(b))
    return distances, unmatched


def _pair_nearest_in_order(fewer_times: list[int], more_times: list[int]) -> list[int]:
    """Pair each of the few with one of the many, in order, with the least sum of distances."""
    rows, spare = len(fewer_times), len(more_times) - len(fewer_times)
    best = np.zeros((rows + 1, spare + 1))  # rows paired so far × many skipped so far
    for i in range(1, rows + 1):
        for s in range(spare + 1):
            taken = best[i - 1, s] + abs(fewer_times[i - 1] - more_times[i - 1 + s])
            best[i, s] = min(taken, best[i, s - 1]) if s else taken
    distances, s = [], spare
    for i in range(rows, 0, -1):
        while s and best[i, s] == best[i, s - 1]:
            s -= 1
        distances.append(abs(fewer_times[i - 1] - more_times[i - 1 + s]))
    return distances[::-1]


def _list_boundaries(annotations: Sequence[Annotation]) -> dict[Boundary, list[int]]:
    times_ns: dict[Boundary, list[int]] = {}
    ordered = sorted(annotations, key=lambda a: (a.start_ns, a.end_ns))
    times_ns.setdefault((NOTHING, ordered[0].label), []).append(ordered[0].start_ns)
    for before, after in pairwise(ordered):
        if before.end_ns >= after.start_ns:
            times_ns.setdefault((before.label, after.label), []).append(after.start_ns)
        else:
            times_ns.setdefault((before.label, NOTHING), []).append(before.end_ns)
            times_ns.setdefault((NOTHING, after.label), []).append(after.start_ns)
    times_ns.setdefault((ordered[-1].label, NOTHING), []).append(ordered[-1].end_ns)
    return times_ns


def _pair_frame_labels(
    first: Sequence[Annotation], second: Sequence[Annotation], period_ns: float
) -> Iterable[tuple[str, str]]:
    """Yield both labels of every frame that at least one author labelled; frames are sampled at their middle."""
    everything = [*first, *second]
    begin, end = min(a.start_ns for a in everything), max(a.end_ns for a in everything)
    middles = begin + (np.arange(round((end - begin) / period_ns)) + 0.5) * period_ns
    ours, theirs = _label_frames(first, middles), _label_frames(second, middles)
    return ((a, b) for a, b in zip(ours, theirs, strict=True) if a or b)


def _label_frames(annotations: Sequence[Annotation], times_ns: np.ndarray) -> list[str]:
    labels = [NOTHING] * len(times_ns)
    for a in sorted(annotations, key=lambda a: a.start_ns):
        low, high = np.searchsorted(times_ns, (a.start_ns, a.end_ns))
        labels[low:high] = [a.label] * int(high - low)
    return labels


def _group_by_episode(annotations: Iterable[Annotation]) -> dict[str, list[Annotation]]:
    by_episode: dict[str, list[Annotation]] = {}
    for annotation in annotations:
        if annotation.end_ns < annotation.start_ns:
            raise BadInput(f"{annotation.label!r} of {annotation.episode} ends before it begins.")
        by_episode.setdefault(annotation.episode, []).append(annotation)
    return by_episode


def _name_authors(annotations: dict[str, list[Annotation]]) -> str:
    return ", ".join(sorted({a.author for spans in annotations.values() for a in spans}))
