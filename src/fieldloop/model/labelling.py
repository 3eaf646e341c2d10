"""Labels that people save: every revision is kept, and only a submitted one counts."""

from dataclasses import dataclass

from fieldloop.model.annotation import Annotation

ADJUDICATED = "adjudicated"
"""The author of labels that a lead decided; `verified_by` of each names who."""
MACHINE_PREFIX = "machine:"


@dataclass(frozen=True, slots=True)
class SavedLabels:
    """One revision of one person's labels of one kind in one episode; none is ever overwritten.

    `from_revision` is the revision that an undo went back to. `task` is the task under which it was submitted.
    """

    episode: str
    kind: str
    author: str
    revision: int
    submitted: bool
    saved_ns: int
    taxonomy: str = ""
    annotations: tuple[Annotation, ...] = ()
    task: str = ""
    from_revision: int | None = None
