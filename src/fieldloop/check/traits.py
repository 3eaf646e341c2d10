"""Traits by which episodes are compared: labels, style of motion and length."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.model.episode import OBJECT_FACTORS, Episode
from fieldloop.model.stream import NS_PER_DAY, NS_PER_S

Floats = NDArray[np.float64]
STYLE = "speed"
"""The imprint with features of motion that do not depend on the length of the episode."""

SHORTEST_S = 0.001  # a length has a logarithm


def read_label(episode: Episode, label_kind: str) -> str:
    """Return an episode's label of one kind; '' where its log does not state it."""
    match label_kind:
        case "task" | "operator" | "session" | "site" | "robot":
            return str(getattr(episode, label_kind))
        case "outcome":
            return {True: "succeeded", False: "failed", None: ""}[episode.succeeded]
        case "object":
            return episode.handled
        case _:
            return episode.stratum.level(label_kind) or ""


def list_factors(episodes: Sequence[Episode]) -> tuple[str, ...]:
    """Return the factors of the environment that any episode states, without those of the item handled."""
    named = {c.factor for e in episodes for c in e.stratum.conditions}
    return tuple(sorted(named - set(OBJECT_FACTORS)))


def group_by_task(batch: Batch) -> dict[str, list[Episode]]:
    """Group episodes by task: only attempts at one task can be compared."""
    tasks: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        tasks[episode.task].append(episode)
    return dict(sorted(tasks.items()))


def group_by_session(episodes: Sequence[Episode]) -> dict[str, list[Episode]]:
    """Group episodes by session, or by day where they name none, in the order of time; empty without real times."""
    starts = {e.start_ns for e in episodes}
    groups: dict[str, list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda e: e.start_ns):
        day = np.datetime64(episode.start_ns, "ns").astype("datetime64[D]") if episode.start_ns >= NS_PER_DAY else ""
        groups[episode.session or str(day)].append(episode)
    return dict(groups) if len(starts) > 1 and "" not in groups else {}


def measure_length_s(episode: Episode) -> float:
    """Return an episode's length in seconds, always above zero."""
    return max((episode.end_ns - episode.start_ns) / NS_PER_S, SHORTEST_S)


def collect_style_features(batch: Batch, episodes: Sequence[Episode]) -> Mapping[str, Floats]:
    """Return each style feature as a column over these episodes, NaN where it is missing."""
    columns: dict[str, Floats] = {}
    for row, episode in enumerate(episodes):
        for name, value in batch.find_imprint(episode.id).list_arrays_under(STYLE):
            if value.size == 1:
                columns.setdefault(name, np.full(len(episodes), np.nan))[row] = float(value.reshape(-1)[0])
    return dict(sorted(columns.items()))
