"""Compare all authors: every kind, every pair, slices of episodes, single boundaries, labels and people."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fieldloop.annotate.agreeing.findings import find_patterns, merge_kinds
from fieldloop.annotate.agreeing.kind_columns import OVERLAPPING, KindColumns, collect_columns, split_nested_parts
from fieldloop.annotate.agreeing.pair import Pair, measure_pair
from fieldloop.annotate.agreeing.tables import describe_authors, list_boundaries_of_labels, list_confused_labels
from fieldloop.annotate.agreeing.vector import (
    AgreementLimits,
    draw_weights,
    judge_vector,
    make_vector,
    measure_disorders,
)
from fieldloop.errors import BadInput
from fieldloop.model.agreement import (
    AgreementFinding,
    AgreementReport,
    AgreementVector,
    AuthorAgreement,
    BoundaryAgreement,
    ConfusedLabels,
)
from fieldloop.model.annotation import KINDS, Annotation
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol.operations import Section

DEFAULT_MAX_BOUNDARY = 3.0


def compare_all_authors(
    annotations: Sequence[Annotation],
    frame_hz: float,
    limits: AgreementLimits,
    settings: Section,
    slices: Mapping[str, frozenset[str]] | None = None,
    *,
    overlapping: Collection[str] = OVERLAPPING,
    seed: int = 0,
) -> AgreementReport:
    """Compare all authors on the episodes that at least two of them labelled.

    Arguments:
        annotations: what all authors labelled; spans of one kind and one author may not overlap
        frame_hz: frame rate in which boundaries are counted
        limits: what the protocol demands
        settings: section `agree` of the operations
        slices: names of parts and their episodes, such as edge cases, or one condition
        overlapping: kinds of which spans of one author may overlap
        seed: seed of the draws behind intervals
    """
    if not 0 < frame_hz < NS_PER_S:
        raise BadInput(f"{frame_hz!r} is not a valid frame rate.")
    annotations = split_nested_parts(annotations)
    shared = _select_shared(annotations)
    authors = sorted({a.author for a in shared})
    if len(authors) < 2:  # noqa: PLR2004 - agreement takes two
        raise BadInput(
            "No two authors labelled the same episode with the same kind of label, so nothing can be compared."
        )
    parts = _Parts(frame_hz, limits, settings, slices or {}, np.random.default_rng(seed))
    for kind in sorted({a.kind for a in shared}, key=_get_kind_rank):
        parts.add_kind(collect_columns([a for a in annotations if a.author in authors], kind, authors, overlapping))
    return AgreementReport(
        tuple(authors), len({a.episode for a in shared}), frame_hz,
        tuple(parts.vectors), tuple(parts.pairs), tuple(parts.slices), tuple(parts.boundaries), tuple(parts.confused),
        tuple(parts.people), tuple(merge_kinds(parts.findings)), tuple(parts.remarks),
        limits.min_kappa, limits.max_boundary_frames,
    )  # fmt: skip


def _get_kind_rank(kind: str) -> tuple[int, str]:
    return (KINDS.index(kind) if kind in KINDS else len(KINDS), kind)


def _select_shared(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Keep what at least two authors labelled with the same kind."""
    first: dict[tuple[str, str], str] = {}
    places = [(a.episode, a.kind) for a in annotations]
    shared = {
        place for place, a in zip(places, annotations, strict=True) if first.setdefault(place, a.author) != a.author
    }
    return [a for place, a in zip(places, annotations, strict=True) if place in shared]


class _Parts:
    """The parts of a report, kind by kind."""

    def __init__(
        self, frame_hz: float, limits: AgreementLimits, settings: Section, slices: Mapping[str, frozenset[str]],
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self._frame_ns, self._limits, self._settings, self._slices, self._rng = (
            NS_PER_S / frame_hz, limits, settings, slices, rng,
        )  # fmt: skip
        self._gamma_rng = rng.spawn(1)[0]  # apart, so that intervals do not depend on how much gamma draws
        self.vectors: list[AgreementVector] = []
        self.pairs: list[AgreementVector] = []
        self.slices: list[AgreementVector] = []
        self.boundaries: list[BoundaryAgreement] = []
        self.confused: list[ConfusedLabels] = []
        self.people: list[AuthorAgreement] = []
        self.findings: list[AgreementFinding] = []
        self.remarks: list[Note] = []

    def add_kind(self, columns: KindColumns) -> None:
        """Measure and judge one kind of label."""
        near_ns = round(self._settings.number("match_within_s") * NS_PER_S)
        pairs = [
            measure_pair(columns, a, b, self._frame_ns, near_ns)
            for a, b in combinations(range(len(columns.authors)), 2)
            if (columns.seen[a] & columns.seen[b]).any()
        ]
        if not pairs:
            return
        everywhere = np.logical_or.reduce([pair.shared for pair in pairs])
        authors = sorted({author for pair in pairs for author in pair.authors})
        weights = draw_weights(everywhere, self._settings, self._rng)
        disorders = measure_disorders(columns, authors, everywhere, self._settings, self._gamma_rng)
        whole = self._judge(columns, make_vector(columns, pairs, weights, self._settings, disorders))
        self.vectors.append(whole)
        if disorders is None:
            self.remarks.append(note("agree.gamma_undefined", kind=columns.kind))
        if len(pairs) > 1:
            self.pairs += [self._judge_pair(columns, pair) for pair in pairs]
        self.slices += self._judge_slices(columns, pairs)
        self.boundaries += list_boundaries_of_labels(columns, pairs, weights, self._settings)
        self.confused += list_confused_labels(columns, pairs)
        self.people += describe_authors(columns, pairs)
        limit = DEFAULT_MAX_BOUNDARY if self._limits.max_boundary_frames is None else self._limits.max_boundary_frames
        self.findings += find_patterns(columns, pairs, limit, self._settings)

    def _judge_pair(self, columns: KindColumns, pair: Pair) -> AgreementVector:
        weights = draw_weights(pair.shared, self._settings, self._rng)
        disorders = measure_disorders(columns, pair.authors, pair.shared, self._settings, self._gamma_rng)
        return self._judge(columns, make_vector(columns, [pair], weights, self._settings, disorders))

    def _judge(self, columns: KindColumns, vector: AgreementVector) -> AgreementVector:
        """Judge by the limits; kappa of spans that overlap is undefined, so none is demanded."""
        limits = replace(self._limits, min_kappa=None) if columns.overlaps else self._limits
        return judge_vector(vector, limits, self._settings)

    def _judge_slices(self, columns: KindColumns, pairs: Sequence[Pair]) -> Iterator[AgreementVector]:
        for name, episodes in self._slices.items():
            used: NDArray[np.bool_] = np.array([episode in episodes for episode in columns.episodes])
            used &= np.logical_or.reduce([pair.shared for pair in pairs])
            if used.any():
                weights = draw_weights(used, self._settings, self._rng)
                made = make_vector(columns, pairs, weights, self._settings)
                yield replace(self._judge(columns, made), slice=name)
