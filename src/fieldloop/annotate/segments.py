"""What is wrong with the labels of one kind in one episode; nothing here repairs them."""

import math
from collections.abc import Iterator, Sequence

from fieldloop.model.annotation import Annotation
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Overlap, Taxonomy

POSE_VALUES = 7
VERIFIED_KINDS = ("pose", "contact", "mask", "reward")
"""Kinds that are measured rather than seen: each span states who verified it, and the error that this found."""
UNIT_LENGTH_TOLERANCE = 1e-3
"""How far the length of a written quaternion may be from 1: four digits are usual."""


def find_segment_problems(
    spans: Sequence[Annotation], kind: str, taxonomy: Taxonomy, start_ns: int, end_ns: int
) -> list[Note]:
    """Return what is wrong with spans of one kind and one author in an episode of this extent; [] is good."""
    problems = [
        problem
        for span in spans
        for problem in (*_find_time_problems(span, start_ns, end_ns), *_find_content_problems(span, kind, taxonomy))
    ]
    if taxonomy.get_overlap(kind) is not Overlap.FREE:
        problems += _find_overlaps(spans, kind, taxonomy, start_ns)
    return problems


def _find_time_problems(span: Annotation, start_ns: int, end_ns: int) -> Iterator[Note]:
    start_s, end_s = _convert_to_s(span.start_ns - start_ns), _convert_to_s(span.end_ns - start_ns)
    if span.end_ns <= span.start_ns:
        yield note("annotate.reversed", label=span.label, start_s=start_s, end_s=end_s)
    if span.start_ns < start_ns or span.end_ns > end_ns:
        lasts_s = _convert_to_s(end_ns - start_ns)
        yield note("annotate.outside_episode", label=span.label, start_s=start_s, end_s=end_s, lasts_s=lasts_s)


def _find_content_problems(span: Annotation, kind: str, taxonomy: Taxonomy) -> Iterator[Note]:
    if taxonomy.find_label(kind, span.label) is None:
        known = tuple(label.name for label in taxonomy.get_labels(kind))
        yield note("annotate.unknown_label", label=span.label, kind=kind, taxonomy=taxonomy.version_name, known=known)
    if kind == "object" and not span.object:
        yield note("annotate.no_identity", label=span.label)
    if kind == "pose" and not _is_pose(span.values):
        yield note("annotate.no_pose", label=span.label, values=len(span.values))
    if kind == "mask" and not span.blob:
        yield note("annotate.no_mask", label=span.label)
    if kind == "reward" and len(span.values) != 1:
        yield note("annotate.no_reward", label=span.label, values=len(span.values))
    if kind in VERIFIED_KINDS and not (span.verified_by and span.error is not None and span.error_unit):
        yield note("annotate.not_verified", label=span.label, kind=kind)
    if span.confidence is not None and not 0 <= span.confidence <= 1:
        yield note("annotate.confidence_not_a_share", label=span.label, confidence=span.confidence)
    if span.error is not None and span.error < 0:
        yield note("annotate.negative_error", label=span.label, error=span.error)


def _is_pose(values: Sequence[float]) -> bool:
    if len(values) != POSE_VALUES:
        return False
    return abs(math.hypot(*values[3:]) - 1) <= UNIT_LENGTH_TOLERANCE


def _find_overlaps(spans: Sequence[Annotation], kind: str, taxonomy: Taxonomy, start_ns: int) -> Iterator[Note]:
    """Compare each span with all that began before it and have not ended."""
    nested = taxonomy.get_overlap(kind) is Overlap.PARTS
    still_open: list[Annotation] = []
    for span in sorted(spans, key=lambda each: (each.start_ns, -each.end_ns)):
        still_open = [other for other in still_open if other.end_ns > span.start_ns]
        for other in still_open:
            if not (nested and _is_nested(span, other, kind, taxonomy)):
                yield note(
                    "annotate.overlap", label=span.label, other=other.label,
                    start_s=_convert_to_s(span.start_ns - start_ns), end_s=_convert_to_s(other.end_ns - start_ns),
                )  # fmt: skip
        still_open.append(span)


def _is_nested(span: Annotation, other: Annotation, kind: str, taxonomy: Taxonomy) -> bool:
    """Whether one of two spans is a part of the other's label and lies within it."""
    return any(
        _is_part_of(part.label, whole.label, kind, taxonomy)
        and whole.start_ns <= part.start_ns
        and part.end_ns <= whole.end_ns
        for part, whole in ((span, other), (other, span))
    )


def _is_part_of(name: str, whole: str, kind: str, taxonomy: Taxonomy) -> bool:
    """Follow parts upwards; a circle, which lint refuses, ends after as many steps as there are labels."""
    for _ in taxonomy.labels:
        found = taxonomy.find_label(kind, name)
        if found is None or not found.part_of:
            return False
        if found.part_of == whole:
            return True
        name = found.part_of
    return False


def _convert_to_s(duration_ns: int) -> float:
    return duration_ns / NS_PER_S
