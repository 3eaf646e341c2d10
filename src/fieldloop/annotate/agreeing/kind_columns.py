"""Annotations of one kind as columns: one set of segments for each author, over shared codes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.annotation import Annotation
from fieldloop.model.taxonomy import OVERLAPS, Overlap
from fieldloop.stats.segments import Segments
from fieldloop.stats.segments.segment_arrays import Ints

OVERLAPPING = frozenset(kind for kind, overlap in OVERLAPS.items() if overlap is Overlap.FREE)
"""Kinds whose spans may overlap: there, each object (or label) has a timeline of its own in its episode."""
NESTED = frozenset(kind for kind, overlap in OVERLAPS.items() if overlap is Overlap.PARTS)
"""Kinds whose spans may lie within others: the parts are compared apart from what they are parts of."""
PARTS = "{} parts"
EVENTS = ("recovery", "failure", "contact")
"""Kinds that most episodes lack: an author who labelled an episode otherwise, and uses the kind at all, saw none."""


@dataclass(frozen=True, slots=True, eq=False)
class KindColumns:
    """All that authors labelled of one kind; label 0 is none. `owner` is the episode of each timeline."""

    kind: str
    authors: tuple[str, ...]
    episodes: tuple[str, ...]
    labels: tuple[str, ...]
    owner: Ints
    segments: tuple[Segments, ...]
    overlaps: bool
    seen: NDArray[np.bool_]
    """Authors × episodes: who judged which episode, also where the judgement was that there is nothing."""

    @property
    def timelines(self) -> int:
        """How many timelines there are: one for each episode, or for each object in it."""
        return len(self.owner)


def split_nested_parts(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Give spans that lie within another of their author and kind a kind of their own, where a kind has parts.

    >>> from fieldloop.model.annotation import Annotation as A
    >>> spans = [A("e", "action", "pick", 0, 9, "ann"), A("e", "action", "grasp", 2, 4, "ann")]
    >>> [span.kind for span in split_nested_parts(spans)]
    ['action', 'action parts']
    """
    made = [a for a in annotations if a.kind not in NESTED]
    if len(made) == len(annotations):
        return made
    lines: dict[tuple[str, str, str], list[Annotation]] = {}
    for a in annotations:
        if a.kind in NESTED:
            lines.setdefault((a.author, a.episode, a.kind), []).append(a)
    for several in lines.values():
        around: list[int] = []
        for a in sorted(several, key=lambda a: (a.start_ns, -a.end_ns)):
            around = [end for end in around if end > a.start_ns and end >= a.end_ns]
            kind = a.kind
            for _ in around:
                kind = PARTS.format(kind)
            made.append(replace(a, kind=kind))
            around.append(a.end_ns)
    return made


def collect_columns(
    annotations: Sequence[Annotation], kind: str, authors: Sequence[str], overlapping: Collection[str] = OVERLAPPING
) -> KindColumns:
    """Turn the annotations of one kind into columns; spans of one author that overlap or are reversed are refused.

    Of kinds that may overlap, each object (or label) has a timeline of its own, and only its own spans may not overlap.
    """
    overlaps = kind in overlapping
    chosen = [a for a in annotations if a.kind == kind]
    episodes, episode = encode([a.episode for a in chosen])
    labels, label = encode([a.label for a in chosen])
    tracks = encode([a.object or a.label for a in chosen])[1] if overlaps else np.zeros(len(chosen), np.int64)
    width = int(tracks.max(initial=0)) + 1
    lines, line = np.unique(episode * width + tracks, return_inverse=True)
    owner = lines // width
    of = {author: n for n, author in enumerate(authors)}
    author_of = np.fromiter((of[a.author] for a in chosen), np.int64, len(chosen))
    start, end = (np.fromiter(each, np.int64, len(chosen)) for each in (
        (a.start_ns for a in chosen), (a.end_ns for a in chosen)
    ))  # fmt: skip
    segments = []
    for n, author in enumerate(authors):
        own = author_of == n
        held = Segments.of(line[own], label[own] + 1, start[own], end[own])
        _refuse_impossible(held, [episodes[k] for k in owner], ("", *labels), author)
        lasting = held.end > held.start
        segments.append(Segments(*(getattr(held, name)[lasting] for name in Segments.__slots__)))
    seen = np.zeros((len(authors), len(episodes)), bool)
    seen[author_of, episode] = True
    if kind in EVENTS:
        _add_judged(seen, annotations, of, episodes)
    uses_kind = np.array([len(held) > 0 for held in segments])
    return KindColumns(
        kind, tuple(authors), tuple(episodes), ("", *labels), owner, tuple(segments), overlaps,
        seen & uses_kind[:, None],
    )  # fmt: skip


def encode(values: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct values in order, and the place of each value among them.

    >>> encode(["b", "a", "b"])
    (['a', 'b'], array([1, 0, 1]))
    """
    known = sorted(set(values))
    place = {value: n for n, value in enumerate(known)}
    return known, np.fromiter(map(place.__getitem__, values), np.int64, len(values))


def _add_judged(
    seen: NDArray[np.bool_], annotations: Sequence[Annotation], authors: Mapping[str, int], episodes: Sequence[str]
) -> None:
    """Mark the episodes that an author labelled in any way."""
    place = {episode: n for n, episode in enumerate(episodes)}
    for author, episode in {(a.author, a.episode) for a in annotations if a.episode in place}:
        seen[authors[author], place[episode]] = True


def _refuse_impossible(held: Segments, episodes: Sequence[str], labels: Sequence[str], author: str) -> None:
    if len(wrong := np.flatnonzero(held.end < held.start)):
        at = wrong[0]
        raise BadInput(f"{author}: {labels[held.label[at]]!r} of {episodes[held.episode[at]]} ends before it begins.")
    if (late := held.find_first_overlap()) is not None:
        ours, before = labels[held.label[late]], labels[held.label[late - 1]]
        raise BadInput(
            f"{author}: {ours!r} of {episodes[held.episode[late]]} begins before {before!r} has ended. "
            "Spans of one kind and one author may not overlap."
        )
