"""What episodes can be compared by: their labels, their style of motion, their length. Nothing is judged here."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.many import Batch
from fieldloop.model.episode import OBJECT_FACTORS, Episode
from fieldloop.model.stream import NS_PER_S

Floats = NDArray[np.float64]
STYLE = "speed"
"""The imprint whose numbers say how somebody moves, whatever the length of the episode."""

NS_PER_DAY = 86_400 * NS_PER_S
SHORTEST_S = 0.001


def label(episode: Episode, over: str) -> str:
    """Return an episode's label of one kind; '' where its log does not say."""
    match over:
        case "task" | "operator" | "session" | "site" | "robot":
            return str(getattr(episode, over))
        case "outcome":
            return {True: "succeeded", False: "failed", None: ""}[episode.succeeded]
        case "object":
            return episode.handled
        case _:
            return episode.stratum.level(over) or ""


def factors(episodes: Sequence[Episode]) -> tuple[str, ...]:
    """Return the factors of the environment that any episode speaks of, what was handled left out."""
    named = {c.factor for e in episodes for c in e.stratum.conditions}
    return tuple(sorted(named - set(OBJECT_FACTORS)))


def by_task(batch: Batch) -> dict[str, list[Episode]]:
    """Group episodes by what was done: only attempts at one task can be held against each other."""
    tasks: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        tasks[episode.task].append(episode)
    return dict(sorted(tasks.items()))


def sittings(episodes: Sequence[Episode]) -> dict[str, list[Episode]]:
    """Group episodes by session, or by day where they name none, in the order of time; empty without real times."""
    starts = {e.start_ns for e in episodes}
    groups: dict[str, list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda e: e.start_ns):
        day = np.datetime64(episode.start_ns, "ns").astype("datetime64[D]") if episode.start_ns >= NS_PER_DAY else ""
        groups[episode.session or str(day)].append(episode)
    return dict(groups) if len(starts) > 1 and "" not in groups else {}


def length_s(episode: Episode) -> float:
    """Return how long an episode is, never nothing."""
    return max((episode.end_ns - episode.start_ns) / NS_PER_S, SHORTEST_S)


def style(batch: Batch, episodes: Sequence[Episode]) -> Mapping[str, Floats]:
    """Return each style feature as a column over these episodes, NaN where it could not be taken."""
    columns: dict[str, Floats] = {}
    for row, episode in enumerate(episodes):
        for name, value in batch.imprint(episode.id).under(STYLE):
            if value.size == 1:
                columns.setdefault(name, np.full(len(episodes), np.nan))[row] = float(value.reshape(-1)[0])
    return dict(sorted(columns.items()))


def listed(names: Sequence[str], most: int = 5) -> str:
    """Write some names, and that there are more."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")
