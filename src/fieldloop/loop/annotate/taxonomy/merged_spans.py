"""Give spans new names; spans that touch and get the same name become one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fieldloop.model.annotation import Annotation


def rename_spans(spans: Sequence[Annotation], renamed: Mapping[tuple[str, str], str]) -> tuple[Annotation, ...]:
    """Return spans with their new names, in order of time; only spans that were renamed are joined.

    >>> spans = [Annotation("e", "phase", name, at, at + 1, "anna") for at, name in enumerate(("down", "close", "up"))]
    >>> both = {("phase", "down"): "grasp", ("phase", "close"): "grasp"}
    >>> [(span.label, span.start_ns, span.end_ns) for span in rename_spans(spans, both)]
    [('grasp', 0, 2), ('up', 2, 3)]
    """
    made: list[Annotation] = []
    changed: list[bool] = []
    for span in sorted(spans, key=lambda one: (one.start_ns, one.end_ns)):
        name = renamed.get((span.kind, span.label))
        now = span if name is None else replace(span, label=name)
        if made and name is not None and changed[-1] and _is_continued(made[-1], now):
            made[-1] = replace(made[-1], end_ns=now.end_ns)
            continue
        made.append(now)
        changed.append(name is not None)
    return tuple(made)


def _is_continued(before: Annotation, after: Annotation) -> bool:
    """Whether two spans differ only in their times, and the second begins where the first ends."""
    same = replace(after, start_ns=before.start_ns, end_ns=before.end_ns) == before
    return same and before.end_ns == after.start_ns
