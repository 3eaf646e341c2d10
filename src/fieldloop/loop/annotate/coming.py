"""What one write hands in, on top of what is stored: one file may bring both halves of a pair."""

from dataclasses import dataclass, field

from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.labelling import LabelTask, SavedLabels, TaskState
from fieldloop.model.labelling_event import LabelTaskMoved

Whose = tuple[str, str, str]
"""An episode, a kind and an author."""


@dataclass(frozen=True, slots=True)
class Coming:
    """A workspace as it will be after this write: the labels that it hands in, and the tasks that it moves."""

    workspace: Workspace
    spans: dict[Whose, tuple[Annotation, ...]] = field(default_factory=dict)
    tasks: dict[str, LabelTask] = field(default_factory=dict)

    def hand_in(self, made: SavedLabels) -> None:
        """Add labels that will count."""
        self.spans[made.episode, made.kind, made.author] = made.annotations

    def move(self, task: LabelTask) -> LabelTaskMoved:
        """Move a task, and return the event of it."""
        self.tasks[task.id] = task
        return LabelTaskMoved(task)

    def find_tasks(self, **where: str) -> list[LabelTask]:
        """Return tasks as they will be; `where` names fields that never change."""
        return [self.tasks.get(task.id, task) for task in self.workspace.store.find(LabelTask, where)]

    def is_done(self, task: LabelTask) -> bool:
        """Whether this write finishes a task already."""
        return self.tasks.get(task.id, task).state is TaskState.DONE

    def find_spans(self, episode: str, kind: str, author: str) -> list[Annotation]:
        """Return the labels of one kind that a person will have in an episode."""
        if (episode, kind, author) in self.spans:
            return list(self.spans[episode, kind, author])
        return self.workspace.store.find(Annotation, {"episode": episode, "kind": kind, "author": author})
