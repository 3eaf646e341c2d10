"""Is the split honest: nothing on both sides, and both sides alike?"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.corpus.near import near_groups
from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import factors, label, listed
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement

TRAIN = "train"
HELD_OUT = ("operator", "object", "site")
"""What people hold out on purpose, to see how a policy does with others."""

POINTS = 100.0
DRAWS = 2000


@check(
    "corpus.split_leaks",
    unit="groups",
    needs=("episodes", "split"),
    advice="Split anew by whole sessions; `fieldloop release` does.",
)
def split_leaks(batch: Batch) -> Iterator[Measurement]:
    """How many sessions, and groups of nearly the same episode, lie on both sides of the split?

    Frames of one session look alike, so a model could recite in validation what it saw in training.
    """
    sessions: dict[str, set[str]] = defaultdict(set)
    for episode in batch.episodes:
        if episode.session and episode.id in batch.split:
            sessions[episode.session].add(batch.split[episode.id])
    if sessions:
        yield _leaks("session", [name for name, sides in sorted(sessions.items()) if len(sides) > 1])
    else:
        yield Measurement("session", float("nan"), cannot_tell="The episodes name no session.")
    near = [g[0].name for g in near_groups(batch) if len({batch.split.get(e.id, "") for e in g} - {""}) > 1]
    yield _leaks("nearly the same", near)


def _leaks(subject: str, names: Sequence[str]) -> Measurement:
    return Measurement(subject, float(len(names)), f"({listed(names)})" if names else "")


@check(
    "corpus.split_representative",
    unit="points",
    needs=("episodes", "split"),
    advice="Split anew by strata, or collect sessions that mix them; `fieldloop release` splits by strata.",
)
def split_representative(batch: Batch) -> Iterator[Measurement]:
    """How far are the sides of the split apart in what they show?

    For each kind of label (task, object, operator, site, outcome, every factor of the environment): the share of one
    side that would have to change to match the other. Of that, a random split of this size would give some by chance;
    the lower bound has it taken off, corrected for the number of kinds.
    """
    sides: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        if batch.split.get(episode.id):
            sides[batch.split[episode.id]].append(episode)
    if TRAIN not in sides or len(sides) < 2:  # noqa: PLR2004 - a split has two sides
        return
    kinds = ("task", "object", "operator", "site", "outcome", *factors(batch.episodes))
    varied = [kind for kind in kinds if len({label(e, kind) for e in batch.episodes}) > 1]
    others = [name for name in sorted(sides) if name != TRAIN]
    confidence = batch.parameter("corpus.split_representative", "confidence")
    level = 1.0 - (1.0 - confidence) / max(len(varied) * len(others), 1)
    for side in others:
        for kind in varied:
            subject = kind if len(others) == 1 else f"{kind}, {side}"
            yield _distance(
                subject, [label(e, kind) for e in sides[TRAIN]], [label(e, kind) for e in sides[side]], level
            )
    if not varied:
        yield Measurement("", 0.0, "(all episodes are of one kind)")


def _distance(subject: str, train: Sequence[str], other: Sequence[str], level: float) -> Measurement:
    here, there = Counter(other), Counter(train)
    if subject.partition(",")[0] in HELD_OUT and not here.keys() & there.keys():
        kept = f"No {subject} is on both sides: the validation is on what was never trained on."
        return Measurement(subject, float("nan"), cannot_tell=kept)
    names = sorted({*here, *there})
    ours, theirs = np.asarray([here[n] for n in names]), np.asarray([there[n] for n in names])
    far = POINTS * float(_apart(ours, theirs))
    draws = np.random.default_rng(0).multivariate_hypergeometric(ours + theirs, len(other), DRAWS)
    by_chance = POINTS * float(np.quantile(_apart(draws, ours + theirs - draws), level))
    gap = ours / len(other) - theirs / len(train)
    at = int(np.argmax(np.abs(gap)))
    place = f"({names[at] or 'not said'}: {ours[at] / len(other):.0%} against {theirs[at] / len(train):.0%} in train)"
    return Measurement(subject, far, place, low=max(far - by_chance, 0.0), high=far)


def _apart(ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Half the sum of differences between shares: what would have to change."""
    own, other = (side / np.maximum(side.sum(axis=-1, keepdims=True), 1) for side in (ours, theirs))
    return np.asarray(np.abs(own - other).sum(axis=-1) / 2.0)
