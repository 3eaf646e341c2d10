"""The work of people who label: saved revisions, tasks, calibration sets, qualifications, spot checks, decisions."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.annotation import Annotation
from fieldloop.model.finding import Status
from fieldloop.model.note import Note

ADJUDICATED = "adjudicated"
"""The author of labels that a lead decided; `verified_by` of each names who."""
MACHINE_PREFIX = "machine:"


@dataclass(frozen=True, slots=True)
class SavedLabels:
    """One revision of one person's labels of one kind in one episode; none is ever overwritten.

    `from_revision` is the revision that an undo went back to. `task` is the task under which it was submitted.
    `reaction_ms` is the reaction time by which the annotation page moved boundaries back that were set while playing.
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
    reaction_ms: float | None = None


class TaskReason(StrEnum):
    """Why a task of annotation exists."""

    LABEL = "label"
    DOUBLE = "double"
    """One of two tasks on the same episode, done independently."""
    CALIBRATION = "calibration"
    """Shared by all annotators, to qualify."""
    CHANGED_TAXONOMY = "changed_taxonomy"
    REPEAT = "repeat"
    """A spot check found the labels wrong."""
    ADJUDICATE = "adjudicate"
    """Two people differ beyond the limits: a lead decides."""
    SUSPECT = "suspect"
    """The labels differ from a confident proposal: a lead decides."""
    SPOT_CHECK = "spot_check"


LEAD_REASONS = frozenset({TaskReason.ADJUDICATE, TaskReason.SUSPECT, TaskReason.SPOT_CHECK})
"""Tasks that a lead does."""
INDEPENDENT = frozenset({TaskReason.DOUBLE, TaskReason.CALIBRATION})
"""Tasks for which labels of others, and proposals, stay hidden until they are done."""


class TaskState(StrEnum):
    """How far a task is; a lease that has ended makes it open again."""

    OPEN = "open"
    LEASED = "leased"
    DONE = "done"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class LabelTask:
    """One person's work on one episode: some kinds of labels, or a decision of the lead.

    `annotator` is the person that it is dealt to, '' for the first who takes it. `pair` joins tasks on one episode that
    are done independently. `about` is the annotator whose labels a spot check or a suspicion is about.
    """

    id: str
    episode: str
    kinds: tuple[str, ...]
    reason: TaskReason
    dealt_ns: int
    taxonomy: str
    state: TaskState = TaskState.OPEN
    annotator: str = ""
    pair: str = ""
    taken_by: str = ""
    lease_until_ns: int | None = None
    done_ns: int | None = None
    about: str = ""
    because: tuple[Note, ...] = ()

    def is_held_by(self, person: str, at_ns: int) -> bool:
        """Whether a person holds a valid lease."""
        return self.taken_by == person and self.has_lease(at_ns)

    def has_lease(self, at_ns: int) -> bool:
        """Whether anyone holds a valid lease."""
        return self.state is TaskState.LEASED and self.lease_until_ns is not None and at_ns < self.lease_until_ns

    def is_free(self, at_ns: int) -> bool:
        """Whether it can be taken: open, or its lease has ended."""
        return self.state is TaskState.OPEN or (self.state is TaskState.LEASED and not self.has_lease(at_ns))


@dataclass(frozen=True, slots=True)
class CalibrationSet:
    """Episodes that every annotator labels before normal tasks, with the labels that are right."""

    id: str
    kind: str
    episodes: tuple[str, ...]
    gold: tuple[Annotation, ...]
    made_ns: int
    taxonomy: str


@dataclass(frozen=True, slots=True)
class Qualification:
    """How an annotator did on a calibration set, beside the limits of that time.

    `later_frames` is the median of how much later than the right ones the boundaries lie; below 0 is earlier.
    """

    annotator: str
    calibration: str
    status: Status
    kappa: float | None
    boundary_frames: float | None
    episodes: int
    at_ns: int
    worst_boundary: str = ""
    later_frames: float | None = None
    min_kappa: float | None = None
    max_boundary_frames: float | None = None


@dataclass(frozen=True, slots=True)
class SpotCheck:
    """A lead's verdict on one annotator's labels of an episode.

    `apart_frames` is how far, at most, the boundaries lie from the lead's own labels, where the lead made some.
    """

    id: str
    episode: str
    kinds: tuple[str, ...]
    annotator: str
    lead: str
    good: bool
    at_ns: int
    comment: str = ""
    apart_frames: float | None = None


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A decision between authors: the labels of one kind in one episode that count from now on.

    `taken` names the author whose labels were taken as they are, '' where the lead drew others.
    """

    id: str
    episode: str
    kind: str
    decided_by: str
    between: tuple[str, ...]
    taken: str
    at_ns: int
    comment: str = ""


@dataclass(frozen=True, slots=True)
class TaxonomyMigration:
    """A change of taxonomy carried over to the labels: names that were replaced, and what is labelled again.

    `renamed` are kind, earlier label and new label. `again` are the episodes and kinds that are labelled again.
    """

    older: str
    newer: str
    renamed: tuple[tuple[str, str, str], ...]
    spans: int
    again: tuple[tuple[str, str], ...]
