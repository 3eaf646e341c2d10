"""Propose phases of episodes, and compare two authors."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.annotate import compare_authors, load_shipped_taxonomy, propose_phases
from fieldloop.errors import BadInput
from fieldloop.loop.annotate.in_force import find_taxonomy
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.ship.taxonomy_lock import lock_taxonomy
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.fix import FixKind
from fieldloop.release import select_fixes

FRAME_HZ = 30.0
"""Frames per second in which boundaries are counted, unless given."""
MACHINE = "machine:signals"


@dataclass(frozen=True, slots=True)
class Annotated:
    """How many episodes got phases, and why the others did not."""

    author: str
    episodes: int
    annotations: int
    cannot_tell: tuple[tuple[str, str], ...] = ()


def propose_annotations(workspace: Workspace, episode: tuple[str, ...] = (), *, again: bool = False) -> Annotated:
    """Propose phases for accepted episodes that have none, including episodes that a fix would make acceptable.

    The first call locks the taxonomy's version, which needs a complete audit or an override.

    Arguments:
        episode: only these episodes (names or ids)
        again: propose again for episodes that have proposals
    """
    chosen = [find_episode(workspace, e) for e in episode] or _find_episodes_to_annotate(workspace)
    if not again:
        chosen = [e for e in chosen if not workspace.store.count(Annotation, {"episode": e.id, "author": MACHINE})]
    if chosen:
        lock_taxonomy(workspace, find_taxonomy(workspace))
    events, refused = [], []
    for recording in workspace.track(Reopened(workspace, chosen), "proposing phases", len(chosen)):
        spans, reason = propose_phases(recording, load_shipped_taxonomy(), author=MACHINE)
        if spans:
            events.append(EpisodeAnnotated(recording.episode.id, PHASE, MACHINE, tuple(spans)))
        else:
            refused.append((recording.episode.id, reason))
    if events:
        workspace.write(*events)
    return Annotated(MACHINE, len(events), sum(len(e.annotations) for e in events), tuple(refused))


def _find_episodes_to_annotate(workspace: Workspace) -> list[Episode]:
    """Return the episodes that passed, and those that a release can fix."""
    failed = workspace.store.find(Episode, {"status": Status.FAILED})
    reports = workspace.store.find(EpisodeReport, {"episode": [e.id for e in failed]}) if failed else []
    last = {r.episode: r for r in reports}
    mendable = [e for e in failed if e.id in last and select_fixes(last[e.id], FixKind) is not None]
    return [*workspace.store.find(Episode, {"status": Status.PASSED}), *mendable]


def measure_agreement(workspace: Workspace, first: str, second: str, *, frame_hz: float = FRAME_HZ) -> Agreement:
    """Measure how well two authors agree on the phases of the episodes that both annotated.

    Arguments:
        first: one author
        second: the other author
        frame_hz: frame rate in which differences between boundaries are counted
    """
    spans = {author: workspace.store.find(Annotation, {"author": author, "kind": PHASE}) for author in (first, second)}
    measured = measure_span_agreement(spans[first], spans[second], frame_hz)
    if measured is None:
        raise BadInput(f"{first} and {second} have no annotated episode in common.")
    return measured


def measure_span_agreement(
    first: Sequence[Annotation], second: Sequence[Annotation], frame_hz: float = FRAME_HZ
) -> Agreement | None:
    """Measure how far the spans of two authors agree on the episodes that both annotated; None without any."""
    shared = {span.episode for span in first} & {span.episode for span in second}
    if not shared:
        return None
    ours, theirs = ([span for span in spans if span.episode in shared] for spans in (first, second))
    return compare_authors(ours, theirs, frame_hz)
