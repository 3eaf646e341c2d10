"""Phases annotated so far: by whom, how far authors agree, and which accepted episodes still wait."""

from dataclasses import dataclass

from fieldloop.loop.annotate.compare.annotators import compare_people_quickly
from fieldloop.loop.annotate.exchange.import_labels import write_label_template
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.home.labelling import LabellingQueue, read_labelling_queue
from fieldloop.loop.workspace import Workspace
from fieldloop.model.agreement import AgreementReport
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status

MOST_EPISODES = 20


@dataclass(frozen=True, slots=True)
class AnnotationsShown:
    """Every phase, oldest first; `episodes` are the first accepted ones with phases, `waiting` counts those without.

    `agreement` is that of people on phases, as `agree --kind phase` judges it, without gamma; None where no two people
    labelled the same episode.
    """

    phases: tuple[Annotation, ...]
    episodes: tuple[Episode, ...]
    accepted: int
    waiting: int
    agreement: AgreementReport | None
    template: str = ""
    """An example of the table that `annotate import` reads."""
    queue: LabellingQueue | None = None


def show_annotations(workspace: Workspace) -> AnnotationsShown:
    """Show the annotated phases, how well authors agree, and how many accepted episodes are not annotated."""
    phases, _ = select_visible_labels(workspace, workspace.store.find(Annotation, {"kind": "phase"}))
    accepted = {episode.id: episode for episode in workspace.store.find(Episode, {"status": Status.PASSED})}
    annotated = dict.fromkeys(span.episode for span in phases)
    shown = [accepted[name] for name in annotated if name in accepted][:MOST_EPISODES]
    waiting = sum(name not in annotated for name in accepted)
    return AnnotationsShown(
        phases, tuple(shown), len(accepted), waiting, compare_people_quickly(workspace, phases),
        write_label_template(workspace), read_labelling_queue(workspace, phases, accepted),
    )  # fmt: skip
