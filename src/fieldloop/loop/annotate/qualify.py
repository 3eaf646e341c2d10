"""Calibration sets and qualification: every annotator labels the same episodes first."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.annotate import Source, classify_author
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.annotate.comparison import NOT_COMPARED
from fieldloop.loop.annotate.people import is_lead, require_lead
from fieldloop.loop.annotate.qualified import deal_calibration, find_calibration_sets
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.annotate.usable_episodes import require_usable_episode
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import ADJUDICATED, CalibrationSet, LabelTask, Qualification
from fieldloop.model.labelling_event import CalibrationSetChosen

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class CalibrationMade:
    """A new calibration set: its episodes by name, whose labels are right, and how many spans they have."""

    id: str
    kind: str
    episodes: tuple[str, ...]
    labels_of: tuple[str, ...]
    spans: int
    taxonomy: str


@dataclass(frozen=True, slots=True)
class Qualifications:
    """Verdicts on annotators, newest set of each task and kind first, and the tasks that were dealt now."""

    qualifications: tuple[Qualification, ...]
    dealt: tuple[LabelTask, ...] = ()


def choose_calibration_set(
    workspace: Workspace, episode: tuple[str, ...], *, kind: str = PHASE, labels_of: str = ""
) -> CalibrationMade:
    """Make a calibration set of episodes whose labels are right: adjudicated ones, else those of the lead.

    From now on annotators label these episodes before normal tasks. Everyone qualifies anew.

    Arguments:
        episode: the episodes (names or ids)
        kind: the kind of labels
        labels_of: whose labels are right where none were adjudicated (default: yours)
    """
    require_lead(workspace, "make a calibration set")
    chosen = {one.id: one for one in (find_episode(workspace, name) for name in episode)}
    least = int(workspace.operations["annotate"].number("min_calibration_episodes"))
    if len(chosen) < least:
        raise BadInput(
            f"A calibration set needs at least {least} episodes, not {len(chosen)} (annotate.min_calibration_episodes)."
        )
    if len(tasks := sorted({one.task for one in chosen.values()})) > 1:
        raise BadInput(
            f"These episodes are of several tasks: {', '.join(map(repr, tasks))}. Make a calibration set of each task."
        )
    if kind in NOT_COMPARED:
        raise BadInput(
            f"Labels of the kind {kind} may overlap, so labels of two people cannot be compared, and no one could "
            "qualify. Choose another kind, such as phase."
        )
    words = find_taxonomy(workspace, tasks[0])
    require_kind(words, kind)
    for one in chosen.values():
        require_usable_episode(workspace, one)
    fallback = labels_of or workspace.actor.id
    gold = [span for key in chosen for span in _find_gold(workspace, key, kind, fallback)]
    if missing := [one for key, one in chosen.items() if key not in {span.episode for span in gold}]:
        raise Refused(_explain_missing_gold(workspace, missing, kind, fallback))
    made = CalibrationSet(
        workspace.ids.new("calibration"), kind, tuple(chosen), tuple(gold), workspace.clock(), words.version_name
    )
    workspace.write(CalibrationSetChosen(made))
    authors = tuple(sorted({span.author for span in gold}))
    return CalibrationMade(
        made.id, kind, tuple(one.name for one in chosen.values()), authors, len(gold), made.taxonomy
    )  # fmt: skip


def qualify_annotator(workspace: Workspace, annotator: tuple[str, ...] = ()) -> Qualifications:
    """Show who qualifies on the calibration set; name annotators to deal them the set again.

    A lead sees every annotator's result, an annotator only the own one.

    Arguments:
        annotator: deal the calibration set to these people, even if they labelled it already
    """
    if not find_calibration_sets(workspace):
        raise Refused("No calibration set exists. A lead makes one: fieldloop annotate calibration EPISODE …")
    dealt: list[LabelTask] = []
    if annotator:
        require_lead(workspace, "deal a calibration set")
        for person in dict.fromkeys(name.strip() for name in annotator):
            dealt += deal_calibration(workspace, person, again=True)
    return Qualifications(tuple(_list_qualifications(workspace)), tuple(dealt))


def _list_qualifications(workspace: Workspace) -> Sequence[Qualification]:
    sets = [one.id for one in find_calibration_sets(workspace)]
    found = sorted(
        workspace.store.find(Qualification, {"calibration": sets}), key=lambda one: sets.index(one.calibration)
    )
    lead = is_lead(workspace.actor)
    return [result for result in found if lead or result.annotator == workspace.actor.id]


def _find_gold(workspace: Workspace, episode: str, kind: str, fallback: str) -> list[Annotation]:
    for author in (ADJUDICATED, fallback):
        if gold := workspace.store.find(Annotation, {"episode": episode, "kind": kind, "author": author}):
            return gold
    return []


def _explain_missing_gold(workspace: Workspace, missing: Sequence[Episode], kind: str, fallback: str) -> str:
    """Write which episodes have no labels that are right, and whose labels could be."""
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    named = (
        f"{', '.join(one.name for one in missing[:MOST_NAMED])}{more}: neither adjudicated nor labelled by {fallback}."
    )
    first = missing[0]
    authors = {span.author for span in workspace.store.find(Annotation, {"episode": first.id, "kind": kind})}
    people = sorted(author for author in authors if classify_author(author) is Source.PERSON)
    if not people:
        return f"{named} Label them first: fieldloop annotate save"
    option = "" if kind == PHASE else f" --kind {kind}"
    return (
        f"{named} {' and '.join(people)} labelled {first.name}. If these labels are right, add --labels-of "
        f"{people[0]}; or decide: fieldloop annotate adjudicate {first.name}{option} --take {people[0]}"
    )
