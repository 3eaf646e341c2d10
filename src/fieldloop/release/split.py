"""Split episodes for training and validation: nothing related on both sides, and both sides alike."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnknownName
from fieldloop.model.episode import Episode
from fieldloop.model.stream import NS_PER_DAY

Floats = NDArray[np.float64]
STARTS = 6
"""The search begins anew this often from other orders; the best end counts."""

MOST_SWAPPED = 400
"""Beyond so many groups single moves come as near as swaps, which cost their square."""


def split_episodes(
    episodes: Sequence[Episode],
    validation_share: float,
    seed: int,
    kinds_apart: Sequence[str] = ("session",),
    ids_together: Iterable[Collection[str]] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids for training and for validation, sorted; what cannot be split trains.

    No session is on both sides: its frames look alike, and a model could recite what it should predict. `kinds_apart`
    may add "operator" and "object", for validation on people and things never trained on; `ids_together` lists ids that
    belong
    on one side, such as near-duplicates. Within these groups, tasks, strata, objects, operators, sites and outcomes
    get as near to their share on either side as a search finds.
    """
    groups = _group_episodes(episodes, kinds_apart, ids_together)
    order = sorted(groups, key=lambda name: hashlib.sha256(f"{seed}/{name}".encode()).digest())
    if len(order) < 2 or validation_share <= 0.0:  # noqa: PLR2004 - one group has one side
        return tuple(sorted(e.id for e in episodes)), ()
    counts = _count_labels([groups[name] for name in order], [kind for kind in KINDS if kind not in kinds_apart])
    chosen = _search_split(counts, validation_share, np.random.default_rng(seed))
    inside = {e.id for name, chose in zip(order, chosen, strict=True) if chose for e in groups[name]}
    train = tuple(sorted({e.id for e in episodes} - inside))
    return train, tuple(sorted(inside))


def identify_session(episode: Episode) -> str:
    """Return the session of an episode; one that names none is taken to share it with that robot, operator and day."""
    day = episode.start_ns // NS_PER_DAY
    return episode.session or f"{episode.site}/{episode.robot}/{episode.operator}/{day}"


KINDS: Mapping[str, Callable[[Episode], str]] = {
    "task": lambda e: e.task,
    "stratum": lambda e: str(e.stratum),
    "object": lambda e: e.handled,
    "operator": lambda e: e.operator,
    "site": lambda e: e.site,
    "outcome": lambda e: str(e.succeeded),
}
"""What both sides should have alike; each factor of the stratum comes in addition."""

APART: Mapping[str, Callable[[Episode], str]] = {
    "session": identify_session,
    "operator": lambda e: e.operator,
    "object": lambda e: e.handled,
}
"""What may be kept from being on both sides."""


def _group_episodes(
    episodes: Sequence[Episode], kinds_apart: Sequence[str], ids_together: Iterable[Collection[str]]
) -> dict[str, list[Episode]]:
    """Join whatever may not be parted, directly or by way of others; a group is named after its first member."""
    for kind in kinds_apart:
        if kind not in APART:
            raise UnknownName("thing to keep apart", kind, APART)
    joined = _Joined()
    for episode in episodes:
        for kind in kinds_apart:
            if value := APART[kind](episode):
                joined.join_names(f"episode {episode.id}", f"{kind} {value}")
    for ids in ids_together:
        for one, other in pairwise(ids):
            joined.join_names(f"episode {one}", f"episode {other}")
    groups: dict[str, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda e: e.id):
        groups.setdefault(joined.find_representative(f"episode {episode.id}"), []).append(episode)
    return groups


class _Joined:
    """Names that belong together, directly or by way of others; the first in order stands for all."""

    def __init__(self) -> None:
        self._towards: dict[str, str] = {}

    def find_representative(self, name: str) -> str:
        """Return the name that stands for this one."""
        while self._towards.setdefault(name, name) != name:
            self._towards[name] = self._towards[self._towards[name]]
            name = self._towards[name]
        return name

    def join_names(self, first_name: str, second_name: str) -> None:
        """Say that two belong together."""
        first, second = sorted((self.find_representative(first_name), self.find_representative(second_name)))
        self._towards[second] = first


def _count_labels(groups: Sequence[Sequence[Episode]], kinds: Sequence[str]) -> Floats:
    """A row a group, a column a label of any kind, the first for all episodes: how many each has."""
    columns: dict[tuple[str, str], int] = {("", ""): 0}
    cells: list[tuple[int, int]] = []
    for row, members in enumerate(groups):
        for episode in members:
            labels = [("", ""), *((kind, KINDS[kind](episode)) for kind in kinds)]
            labels += [(c.factor, c.level) for c in episode.stratum.conditions]
            cells += [(row, columns.setdefault(one, len(columns))) for one in labels]
    counts = np.zeros((len(groups), len(columns)))
    np.add.at(counts, tuple(np.asarray(cells).T), 1.0)
    return counts


def _search_split(label_counts: Floats, validation_share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Move and swap groups while that brings every label nearer to its share; the best of several starts.

    Neither side may be empty: a small validation set is better than none, and training needs episodes.
    """
    goal = validation_share * label_counts.sum(axis=0)
    weight = 1.0 / (goal + 1.0)
    best: tuple[float, NDArray[np.bool_]] | None = None
    for _ in range(STARTS):
        chosen = generator.random(len(label_counts)) < validation_share
        if not chosen.any() or chosen.all():
            chosen[:] = False
            chosen[int(generator.integers(len(label_counts)))] = True
        _improve_split(chosen, label_counts, goal, weight)
        miss = float(((label_counts[chosen].sum(axis=0) - goal) ** 2) @ weight)
        if best is None or miss < best[0] - 1e-9:
            best = (miss, chosen)
    assert best is not None  # there is at least one start
    return best[1]


def _improve_split(chosen: NDArray[np.bool_], label_counts: Floats, goal: Floats, weight: Floats) -> None:
    """Make the best move, else the best swap, as long as one helps; every one lowers the miss, so it ends."""
    squared_size = (label_counts**2) @ weight
    while True:
        off = label_counts[chosen].sum(axis=0) - goal
        pull = 2.0 * (label_counts * weight) @ off
        gain = np.where(
            chosen, squared_size - pull, squared_size + pull
        )  # what the miss changes by when a group changes sides
        if chosen.sum() == 1:
            gain[chosen] = np.inf
        if chosen.sum() == len(chosen) - 1:
            gain[~chosen] = np.inf
        at = int(np.argmin(gain))
        if gain[at] < -1e-9:  # noqa: PLR2004 - less is rounding
            chosen[at] = not chosen[at]
            continue
        if len(label_counts) > MOST_SWAPPED:
            return
        inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        change = squared_size[inside] - pull[inside]
        both = change[:, None] + (squared_size + pull)[outside][None, :]
        both -= 2.0 * (label_counts[inside] * weight) @ label_counts[outside].T
        out, into = np.unravel_index(int(np.argmin(both)), both.shape)
        if both[out, into] >= -1e-9:  # noqa: PLR2004 - less is rounding
            return
        chosen[inside[out]], chosen[outside[into]] = False, True
