"""Questions about a dataset as a whole."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from fieldloop.check.episode.integrity import list_defects
from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S

ROBUST_SD = 1.4826  # a normal distribution's standard deviation over its median absolute deviation
SHORTEST_S = 0.001
MOST_NAMED = 5
BY_NAME = ("hdf5",)
"""Formats whose episodes are looked up by name."""


@check(
    "corpus.defects",
    unit="defects",
    needs=("episodes",),
    advice="Put it right before anybody trains on it.",
    place_says_it=True,
)
def defects(batch: Batch) -> Iterator[Measurement]:
    """Where do the dataset's files and its own description disagree?"""
    if batch.defects:
        yield from list_defects(batch.defects)
    else:
        yield Measurement("", 0.0)


@check(
    "corpus.duplicates",
    unit="episodes",
    needs=("episodes",),
    advice="Keep one of each; a copy in the validation set makes it lie.",
)
def duplicates(batch: Batch) -> Iterator[Measurement]:
    """How many episodes are exact copies of another?"""
    first: dict[str, str] = {}
    copies = []
    for episode in batch.episodes:
        if episode.id in first:
            copies.append(f"{episode.name} of {first[episode.id]}")
        first.setdefault(episode.id, episode.name)
    more = " …" if len(copies) > MOST_NAMED else ""
    yield Measurement("", float(len(copies)), f"({', '.join(copies[:MOST_NAMED])}{more})" if copies else "")


@check(
    "corpus.index_gaps",
    unit="missing indices",
    needs=("episodes",),
    advice="Number the episodes from 0 without a gap, or fetch the missing ones.",
)
def index_gaps(batch: Batch) -> Iterator[Measurement]:
    """How many episode indices are missing between 0 and the last that the dataset lists?

    Asked of formats that look an episode up by its position; where it is looked up by name, a gap harms nobody.
    """
    held: dict[str, set[int]] = defaultdict(set)
    listed: Counter[str] = Counter()
    for episode in batch.episodes:
        dataset, index = episode.fact("dataset"), episode.fact("episode_index")
        if dataset is not None and index is not None and index.isdigit() and not episode.format.startswith(BY_NAME):
            held[dataset].add(int(index))
            total = episode.fact("dataset_episodes") or "0"
            listed[dataset] = max(listed[dataset], int(index) + 1, int(total) if total.isdigit() else 0)
    for dataset, indices in sorted(held.items()):
        missing = listed[dataset] - len(indices)
        yield Measurement(dataset, float(missing), f"of {listed[dataset]}" if missing else "")


@check(
    "corpus.length_outliers",
    unit="episodes",
    needs=("episodes",),
    advice="Look at these: two attempts in one, one that never began, or one cut short.",
)
def length_outliers(batch: Batch) -> Iterator[Measurement]:
    """How many episodes are far longer or shorter than the others of their task?

    Told by the logarithm of their lengths, because twice as long is as unusual as half as long.
    """
    tasks: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        tasks[episode.task].append(episode)
    fewest, most_sd, least_spread = (
        batch.parameter("corpus.length_outliers", name) for name in ("min_episodes", "robust_sd", "least_spread")
    )
    for task, episodes in sorted(tasks.items()):
        if len(episodes) >= fewest:
            yield _outliers(task, episodes, most_sd, least_spread)


def _outliers(task: str, episodes: list[Episode], most_sd: float, least_spread: float) -> Measurement:
    lengths = np.asarray([max((e.end_ns - e.start_ns) / NS_PER_S, SHORTEST_S) for e in episodes])
    logs = np.log(lengths)
    middle = float(np.median(logs))
    spread = max(ROBUST_SD * float(np.median(np.abs(logs - middle))), least_spread)
    far = np.flatnonzero(np.abs(logs - middle) > most_sd * spread)
    named = [f"{episodes[i].name} {lengths[i]:.1f} s" for i in far[:MOST_NAMED]]
    more = " …" if len(far) > MOST_NAMED else ""
    place = f"({', '.join(named)}{more}; typical {np.exp(middle):.1f} s)" if named else ""
    return Measurement(task, float(len(far)), place)
