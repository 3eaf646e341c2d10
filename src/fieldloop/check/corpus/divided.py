"""Checks of a split: no leakage between the parts, and similar contents."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.corpus.near import group_near_duplicates
from fieldloop.check.naming import MOST_NAMED, note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.traits import list_factors, read_label
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Subject, note
from fieldloop.model.unit import POINTS

TRAIN = "train"
HELD_OUT = ("operator", "object", "site")
"""Labels that may be held out on purpose, to test generalisation."""

DRAWS = 2000  # random splits: they give the 95 % quantile to about half a percent


@check(
    "corpus.split_leaks",
    unit="groups",
    needs=("episodes", "split"),
)
def count_leaks_across_split(batch: Batch) -> Iterator[Measurement]:
    """How many sessions, and groups of nearly the same episode, lie on both sides of the split?

    Frames of one session look alike, so a model could score in validation by remembering its training data.
    """
    sessions: dict[str, set[str]] = defaultdict(set)
    for episode in batch.episodes:
        if episode.session and episode.id in batch.split:
            sessions[episode.session].add(batch.split[episode.id])
    if sessions:
        yield _count_split_leaks("session", [name for name, sides in sorted(sessions.items()) if len(sides) > 1])
    else:
        yield Measurement(Subject(aspect="session"), UNKNOWN, cannot_tell=note("check.no_sessions"))
    near = [g[0].name for g in group_near_duplicates(batch) if len({batch.split.get(e.id, "") for e in g} - {""}) > 1]
    yield _count_split_leaks("nearly the same", near)


def _count_split_leaks(subject: str, leaking_names: Sequence[str]) -> Measurement:
    return Measurement(Subject(aspect=subject), float(len(leaking_names)), note_listed_names(leaking_names, MOST_NAMED))


@check(
    "corpus.split_representative",
    unit="points",
    needs=("episodes", "split"),
)
def compare_labels_of_split_parts(batch: Batch) -> Iterator[Measurement]:
    """How different are the parts of the split in their labels?

    For each kind of label (task, object, operator, site, outcome, every factor of the environment): the value is the
    share of one part that would have to change to match the other. A random split of this size differs by chance too;
    the lower bound subtracts that difference, corrected for the number of kinds.
    """
    sides: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        if batch.split.get(episode.id):
            sides[batch.split[episode.id]].append(episode)
    if TRAIN not in sides or len(sides) < 2:  # noqa: PLR2004 - a split has two sides
        return
    kinds = ("task", "object", "operator", "site", "outcome", *list_factors(batch.episodes))
    varied = [kind for kind in kinds if len({read_label(e, kind) for e in batch.episodes}) > 1]
    others = [name for name in sorted(sides) if name != TRAIN]
    confidence = batch.read_parameter("corpus.split_representative", "confidence")
    level = 1.0 - (1.0 - confidence) / max(len(varied) * len(others), 1)
    for side in others:
        for kind in varied:
            about = Subject(aspect=kind if len(others) == 1 else f"{kind}, {side}")
            yield _measure_label_distance(
                about,
                kind,
                [read_label(e, kind) for e in sides[TRAIN]],
                [read_label(e, kind) for e in sides[side]],
                level,
            )
    if not varied:
        yield Measurement(NO_SUBJECT, 0.0, note("check.one_kind"))


def _measure_label_distance(
    subject: Subject, label_kind: str, train_labels: Sequence[str], other_labels: Sequence[str], confidence_level: float
) -> Measurement:
    here, there = Counter(other_labels), Counter(train_labels)
    if label_kind in HELD_OUT and not here.keys() & there.keys():
        return Measurement(subject, UNKNOWN, cannot_tell=note("check.held_out", kind=label_kind))
    names = sorted({*here, *there})
    ours, theirs = np.asarray([here[n] for n in names]), np.asarray([there[n] for n in names])
    far = POINTS * float(_compute_total_variation_distance(ours, theirs))
    draws = np.random.default_rng(0).multivariate_hypergeometric(ours + theirs, len(other_labels), DRAWS)
    by_chance = POINTS * float(
        np.quantile(_compute_total_variation_distance(draws, ours + theirs - draws), confidence_level)
    )
    gap = ours / len(other_labels) - theirs / len(train_labels)
    at = int(np.argmax(np.abs(gap)))
    share, in_train = float(ours[at]) / len(other_labels), float(theirs[at]) / len(train_labels)
    place = note("check.split_differs", level=names[at] or "(not stated)", share=share, in_train=in_train)
    return Measurement(subject, far, place, low=max(far - by_chance, 0.0), high=far)


def _compute_total_variation_distance(
    first_counts: NDArray[np.int64], second_counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return half the sum of differences between shares: the share that would have to change."""
    our_shares, other = (
        side / np.maximum(side.sum(axis=-1, keepdims=True), 1) for side in (first_counts, second_counts)
    )
    return np.asarray(np.abs(our_shares - other).sum(axis=-1) / 2.0)
