"""Propose labels of episodes from their signals."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldloop.annotate import (
    Proposal,
    find_change_points,
    propose_labels,
)
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.annotate.usable_episodes import find_usable_episodes
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.work.reopen import Reopened, reopen_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.note import Note
from fieldloop.model.stream import NS_PER_S

MACHINE = "machine:signals"
WRITTEN_TOGETHER = 20
"""Episodes whose proposals are written at once; an interruption loses fewer."""


@dataclass(frozen=True, slots=True)
class ProposedKind:
    """How many spans of a label were proposed in how many episodes, and their confidence where it was measured."""

    kind: str
    label: str
    spans: int
    episodes: int
    mean_confidence: float | None = None
    least_confidence: float | None = None


@dataclass(frozen=True, slots=True)
class NotProposed:
    """What could not be proposed, in how many episodes, and one of them."""

    reason: Note
    episodes: int
    example: str


@dataclass(frozen=True, slots=True)
class SnapPoint:
    """A moment at which signals change, in seconds from the start of the episode; strength is 0 to 1."""

    at_s: float
    what: str
    strength: float
    side: str = ""


@dataclass(frozen=True, slots=True)
class Annotated:
    """How many episodes got phases, which other labels were proposed, and why others were not.

    `annotations` counts phases. `cannot_tell` are the episodes without any phase; `left_out` are all reasons, those of
    episodes with phases included.
    """

    author: str
    episodes: int
    annotations: int
    cannot_tell: tuple[tuple[str, Note], ...] = ()
    labels: tuple[ProposedKind, ...] = ()
    left_out: tuple[NotProposed, ...] = ()


def propose_annotations(
    workspace: Workspace, episode: tuple[str, ...] = (), *, again: bool = False, every: bool = False
) -> Annotated:
    """Propose phases and other labels from signals, each with its confidence, for accepted episodes that have none.

    Episodes that a fix would make acceptable are included. Labels are proposed only where signals show them: phases,
    picks and places, contacts, repeated grasps, grasp types and results. The first call locks the taxonomy's version,
    which needs a complete audit or an override.

    Arguments:
        episode: only these episodes (names or ids)
        again: propose again for episodes that have proposals
        every: also episodes that were not accepted
    """
    chosen = [find_episode(workspace, e) for e in episode]
    chosen = chosen or (workspace.store.find(Episode, IN_USE) if every else find_usable_episodes(workspace))
    before = _find_kinds_proposed(workspace, chosen)
    if not again:
        chosen = [e for e in chosen if e.id not in before]
    words = {task: find_taxonomy(workspace, task) for task in dict.fromkeys(e.task for e in chosen)}
    for taxonomy in dict.fromkeys(words.values()):
        lock_taxonomy(workspace, taxonomy)
    made: dict[str, Proposal] = {}
    waiting: list[EpisodeAnnotated] = []
    try:
        for recording in workspace.track(Reopened(workspace, chosen), "proposing labels", len(chosen)):
            name, taxonomy = recording.episode.id, words[recording.episode.task]
            made[name] = propose_labels(recording, author=MACHINE, known=taxonomy)
            waiting += _list_events(name, made[name], before.get(name, ()))
            if len(made) % WRITTEN_TOGETHER == 0 and waiting:
                workspace.write(*waiting)
                waiting.clear()
    finally:  # an interruption or a log that is gone keeps what was proposed
        if waiting:
            workspace.write(*waiting)
    return _summarise_proposals({e.id: e.name for e in chosen}, made)


def _find_kinds_proposed(workspace: Workspace, episodes: Sequence[Episode]) -> dict[str, list[str]]:
    """Return the kinds of labels that were proposed before, by episode."""
    before: dict[str, list[str]] = defaultdict(list)
    where = {"episode": [e.id for e in episodes], "author": MACHINE}
    for span in workspace.store.find(Annotation, where) if episodes else ():
        before[span.episode].append(span.kind)
    return before


def _list_events(episode: str, proposal: Proposal, before: Sequence[str]) -> list[EpisodeAnnotated]:
    """Return one event a kind; kinds that were proposed before and are not any longer become empty."""
    kinds = dict.fromkeys([*(a.kind for a in proposal.annotations), *before])
    return [
        EpisodeAnnotated(episode, kind, MACHINE, tuple(a for a in proposal.annotations if a.kind == kind))
        for kind in kinds
    ]


def _summarise_proposals(names: Mapping[str, str], made: Mapping[str, Proposal]) -> Annotated:
    phases = {name: [a for a in proposal.annotations if a.kind == PHASE] for name, proposal in made.items()}
    without = [(name, made[name].cannot_tell) for name, spans in phases.items() if not spans]
    spans: dict[tuple[str, str], list[Annotation]] = defaultdict(list)
    reasons: dict[Note, list[str]] = defaultdict(list)
    for name, proposal in made.items():
        for a in proposal.annotations:
            spans[a.kind, a.label].append(a)
        for reason in proposal.cannot_tell:
            reasons[reason].append(name)
    return Annotated(
        MACHINE,
        len(made) - len(without),
        sum(map(len, phases.values())),
        tuple((name, notes[0]) for name, notes in without if notes),
        tuple(_summarise_label(*named, found) for named, found in spans.items()),
        tuple(
            NotProposed(reason, len(found), names[found[0]])
            for reason, found in sorted(reasons.items(), key=lambda each: -len(each[1]))
        ),
    )


def _summarise_label(kind: str, label: str, spans: Sequence[Annotation]) -> ProposedKind:
    stated = [a.confidence for a in spans if a.confidence is not None]
    mean = sum(stated) / len(stated) if stated else None
    return ProposedKind(kind, label, len(spans), len({a.episode for a in spans}), mean, min(stated, default=None))


def list_change_points(workspace: Workspace, episode: str) -> tuple[SnapPoint, ...]:
    """List the moments at which the signals of an episode change, for boundaries to snap to; nothing is stored.

    Arguments:
        episode: name or id
    """
    known = find_episode(workspace, episode)
    return tuple(
        SnapPoint((point.at_ns - known.start_ns) / NS_PER_S, point.what, point.strength, point.side)
        for point in find_change_points(reopen_episode(workspace, known))
    )
