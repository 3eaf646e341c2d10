"""The labels of one episode, as the annotation page opens them: the taxonomy, all lanes, and one's own draft."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.annotate import Source, classify_author
from fieldloop.loop.annotate.people import choose_author, require_lead
from fieldloop.loop.annotate.qualified import is_known_lead
from fieldloop.loop.annotate.revisions import find_newest_revisions, find_revisions
from fieldloop.loop.annotate.tasks import UNFINISHED, TaskShown, describe_tasks
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.visible import is_hidden, select_visible_labels
from fieldloop.loop.annotate.written_segments import Segment, make_segment
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import ADJUDICATED, LabelTask
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.release import compute_labels_id


@dataclass(frozen=True, slots=True)
class Lane:
    """One author's labels of one kind; `source` is machine, person or adjudicated.

    `seen` is the fingerprint of these very labels, for `annotate adjudicate --take AUTHOR --seen FINGERPRINT`.
    """

    author: str
    kind: str
    source: str
    segments: tuple[Segment, ...]
    seen: str = ""


@dataclass(frozen=True, slots=True)
class OwnLabels:
    """The newest revision of one's own labels of one kind; `revision` is what the next save states."""

    kind: str
    revision: int
    submitted: bool
    saved_ns: int
    taxonomy: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class EpisodeLabels:
    """The labels of one episode.

    `lanes` are the labels that count and proposals. `own` are one's own newest revisions, drafts included. `hidden`
    names the kinds whose lanes of others are not shown before one's own are submitted. `tasks` are one's own unfinished
    tasks on it; a `lead` may decide between authors.
    """

    episode: str
    name: str
    lasts_s: float
    author: str
    taxonomy: Taxonomy
    lanes: tuple[Lane, ...]
    own: tuple[OwnLabels, ...]
    hidden: tuple[str, ...] = ()
    tasks: tuple[TaskShown, ...] = ()
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision of someone's labels; `from_revision` is the one that an undo went back to."""

    kind: str
    author: str
    revision: int
    submitted: bool
    saved_ns: int
    segments: int
    taxonomy: str
    from_revision: int | None = None


def show_episode_labels(workspace: Workspace, episode: str, *, author: str = "") -> EpisodeLabels:
    """Show the labels of one episode: every author's lanes, proposals, your drafts, and the taxonomy with its keys.

    Labels of others stay hidden where the episode is annotated twice independently, until yours are submitted.

    Arguments:
        episode: the episode's name or id
        author: whose view (default: yours); only engineers may name another person
    """
    known = find_episode(workspace, episode)
    person = choose_author(author, workspace.actor)
    spans = workspace.store.find(Annotation, {"episode": known.id})
    visible, hidden = select_visible_labels(workspace, spans, person)
    return EpisodeLabels(
        known.id,
        known.name,
        (known.end_ns - known.start_ns) / NS_PER_S,
        person,
        find_taxonomy(workspace, known.task),
        _make_lanes(visible, known),
        _list_own(workspace, known, person),
        tuple(sorted({kind for _, kind in hidden})),
        _list_own_tasks(workspace, known, person),
        is_known_lead(workspace, person),
    )


def list_label_revisions(
    workspace: Workspace, episode: str, *, kind: str = "", author: str = ""
) -> tuple[Revision, ...]:
    """List the revisions of a person's labels of one episode, oldest first; `annotate undo` goes back to one.

    Arguments:
        episode: the episode's name or id
        kind: only this kind of labels
        author: whose labels (default: yours); only engineers may name another person, and leads `adjudicated`
    """
    known = find_episode(workspace, episode)
    decided = author == ADJUDICATED  # drafts of decisions, which `annotate decision --to` takes up
    if decided:
        require_lead(workspace, "list the drafts of a decision")
    person = author if decided else choose_author(author, workspace.actor)
    return tuple(
        Revision(
            one.kind, one.author, one.revision, one.submitted, one.saved_ns, len(one.annotations), one.taxonomy,
            one.from_revision,
        )
        for one in find_revisions(workspace, known.id, person, kind)
        if not (decided and is_hidden(workspace, known.id, one.kind))
    )  # fmt: skip


def _list_own_tasks(workspace: Workspace, episode: Episode, person: str) -> tuple[TaskShown, ...]:
    found = workspace.store.find(LabelTask, {"episode": episode.id, "state": list(UNFINISHED)})
    own = [task for task in found if person in (task.annotator, task.taken_by)]
    return tuple(describe_tasks(workspace, own, workspace.clock()))


def _make_lanes(spans: Sequence[Annotation], episode: Episode) -> tuple[Lane, ...]:
    lanes: dict[tuple[str, str], list[Annotation]] = {}
    for span in spans:
        lanes.setdefault((span.kind, span.author), []).append(span)
    names = {Source.MACHINE: "machine", Source.PERSON: "person", Source.ADJUDICATED: "adjudicated"}
    return tuple(
        Lane(
            author, kind, names[classify_author(author)], tuple(make_segment(s, episode.start_ns) for s in held),
            compute_labels_id(held),
        )
        for (kind, author), held in lanes.items()
    )  # fmt: skip


def _list_own(workspace: Workspace, episode: Episode, person: str) -> tuple[OwnLabels, ...]:
    newest = find_newest_revisions(workspace, episode.id, person)
    return tuple(
        OwnLabels(
            one.kind, one.revision, one.submitted, one.saved_ns, one.taxonomy,
            tuple(make_segment(span, episode.start_ns) for span in one.annotations),
        )
        for _, one in sorted(newest.items())
    )  # fmt: skip
