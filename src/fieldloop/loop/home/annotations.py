"""Phases annotated so far: by whom, how far authors agree, and which accepted episodes still wait."""

from dataclasses import dataclass
from itertools import combinations

from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.home.labelling import LabellingQueue, read_labelling_queue
from fieldloop.loop.ship.annotate import measure_span_agreement
from fieldloop.loop.ship.import_labels import write_label_template
from fieldloop.loop.workspace import Workspace
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status

MOST_EPISODES = 20
MIN_KAPPA = "annotation.min_kappa"


@dataclass(frozen=True, slots=True)
class AnnotationsShown:
    """Every phase, oldest first; `episodes` are the first accepted ones with phases, `waiting` counts those without.

    `verdicts` judge the kappa of each agreement; without a limit none can be judged.
    """

    phases: tuple[Annotation, ...]
    episodes: tuple[Episode, ...]
    accepted: int
    waiting: int
    agreements: tuple[Agreement, ...]
    min_kappa: float | None
    verdicts: tuple[Status, ...] = ()
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
    by_author: dict[str, list[Annotation]] = {}
    for span in phases:
        by_author.setdefault(span.author, []).append(span)
    pairs = combinations(sorted(by_author), 2)
    compared = (measure_span_agreement(by_author[first], by_author[second]) for first, second in pairs)
    agreements = [agreement for agreement in compared if agreement is not None]
    rules = workspace.protocol()
    limit = float(rules.setting(MIN_KAPPA)) if MIN_KAPPA in rules.settings else None
    verdicts = tuple(_judge_kappa(agreement.kappa, limit) for agreement in agreements)
    return AnnotationsShown(
        phases, tuple(shown), len(accepted), waiting, tuple(agreements), limit, verdicts,
        write_label_template(workspace), read_labelling_queue(workspace, phases, accepted),
    )  # fmt: skip


def _judge_kappa(kappa: float, limit: float | None) -> Status:
    """Require a kappa above the limit; a NaN does not pass."""
    if limit is None:
        return Status.CANNOT_TELL
    return Status.PASSED if kappa > limit else Status.FAILED
