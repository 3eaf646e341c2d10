"""Whether two authors' labels of one episode differ beyond the limits, and why."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fieldloop.annotate.agreement import compare_authors
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import Annotation
from fieldloop.model.note import Note, note


@dataclass(frozen=True, slots=True)
class DisputeLimits:
    """How far two authors may differ; two people who both keep the tolerance differ by at most twice of it."""

    min_kappa: float
    max_boundary_frames: float
    tolerance_frames: float
    frame_hz: float


def find_disputes(first: Sequence[Annotation], second: Sequence[Annotation], limits: DisputeLimits) -> list[Note]:
    """Return why the labels of one kind by two authors differ beyond the limits; [] where they agree."""
    if not first and not second:
        return []
    if not first or not second:
        return [note("annotate.only_one_labelled", author=(first or second)[0].author, spans=len(first or second))]
    return list(_judge(compare_authors(first, second, limits.frame_hz), limits))


def _judge(measured: Agreement, limits: DisputeLimits) -> Iterator[Note]:
    """A kappa that is not defined, because both used one label throughout, disputes nothing."""
    if not math.isnan(measured.kappa) and measured.kappa <= limits.min_kappa:
        yield note("annotate.low_kappa", kappa=measured.kappa, limit=limits.min_kappa)
    if measured.unmatched:
        yield note("annotate.unmatched_boundaries", boundaries=measured.unmatched)
    if measured.boundary_frames > limits.max_boundary_frames:
        yield note("annotate.far_on_average", apart_frames=measured.boundary_frames, limit=limits.max_boundary_frames)
    most = 2 * limits.tolerance_frames
    if measured.worst_frames is not None and measured.worst_frames > most:
        yield note(
            "annotate.far_at_a_boundary", boundary=measured.worst_boundary, apart_frames=measured.worst_frames,
            limit=most,
        )  # fmt: skip
