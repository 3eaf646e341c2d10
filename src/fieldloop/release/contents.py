"""Count what a release contains."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.release import Release
from fieldloop.model.release_contents import Bin, Counted, LabelCount, ReleaseContents
from fieldloop.model.stream import NS_PER_S

MOST_BINS = 20
OUTCOMES = {True: "succeeded", False: "failed", None: ""}
ORIGINS = {True: "simulated", False: "real", None: ""}
FACTORS: Mapping[str, Callable[[Episode], str]] = {
    "outcomes": lambda e: OUTCOMES[e.succeeded],
    "failures": lambda e: e.failure if e.succeeded is False else "",
    "origins": lambda e: ORIGINS[e.simulated],
    "sites": lambda e: e.site,
    "robots": lambda e: e.robot,
    "operators": lambda e: e.operator,
    "sessions": lambda e: e.session,
    "providers": lambda e: e.provider,
}


def count_contents(release: Release, episodes: Iterable[Episode], labels: Iterable[Annotation]) -> ReleaseContents:
    """Count the episodes of a release by factor, by duration and by label."""
    inside = set(release.episodes)
    found = [episode for episode in episodes if episode.id in inside]
    starts = [e.start_ns for e in found if e.start_ns]
    return ReleaseContents(
        len(found),
        len(inside) - len(found),
        min(starts, default=0),
        max(starts, default=0),
        {factor: _count(map(read, found)) for factor, read in FACTORS.items()},
        tuple(_count_durations(found)),
        tuple(_count_labels(label for label in labels if label.episode in inside)),
    )


def _count(names: Iterable[str]) -> tuple[Counted, ...]:
    return tuple(Counted(name, n) for name, n in Counter(names).most_common())


def _count_durations(episodes: Sequence[Episode]) -> Iterator[Bin]:
    """Bin as Freedman and Diaconis propose; fewer bins where many would be empty."""
    seconds = np.asarray([(e.end_ns - e.start_ns) / NS_PER_S for e in episodes if e.end_ns > e.start_ns])
    if not len(seconds):
        return
    edges = np.histogram_bin_edges(seconds, bins="fd")
    if len(edges) > MOST_BINS + 1:
        edges = np.linspace(float(seconds.min()), float(seconds.max()), MOST_BINS + 1)
    counts, edges = np.histogram(seconds, bins=edges)
    for low, high, episodes_in in zip(edges[:-1], edges[1:], counts, strict=True):
        yield Bin(float(low), float(high), int(episodes_in))


def _count_labels(labels: Iterable[Annotation]) -> Iterator[LabelCount]:
    groups: dict[tuple[str, str, str], list[Annotation]] = defaultdict(list)
    for label in labels:
        groups[label.kind, label.label, label.author].append(label)
    for (kind, name, author), spans in sorted(groups.items(), key=lambda one: (one[0][0], -len(one[1]), one[0])):
        seconds = sum(span.end_ns - span.start_ns for span in spans) / NS_PER_S
        yield LabelCount(kind, name, author, len(spans), len({span.episode for span in spans}), seconds)
