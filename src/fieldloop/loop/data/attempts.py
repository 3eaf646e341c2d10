"""Whose labels do not count: attempts on a calibration set, and labels of annotators who failed one."""

from fieldloop.annotate import Attempts
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.labelling import CalibrationSet
from fieldloop.model.labelling_event import AnnotatorJudged, CalibrationSetChosen


def find_attempts(workspace: Workspace, until_seq: int | None = None) -> Attempts:
    """Return whose labels do not count now, or did not count at an earlier moment of the record."""
    sets = [r.event.calibration for r in workspace.store.events(CalibrationSetChosen) if _is_until(r.seq, until_seq)]
    if not sets:
        return Attempts()
    tasks = {episode.id: episode.task for episode in workspace.store.find(Episode)}
    in_force = {(tasks.get(one.episodes[0], ""), one.kind): one for one in sets}  # oldest first: the newest stays
    places = {one.id: place for place, one in in_force.items()}
    last = {
        (judged.calibration, judged.annotator): judged.status
        for recorded in workspace.store.events(AnnotatorJudged)
        if _is_until(recorded.seq, until_seq) and (judged := recorded.event.qualification).calibration in places
    }
    failed = {(places[key][0], annotator) for (key, annotator), status in last.items() if status is Status.FAILED}
    return Attempts(_find_right_authors(sets), frozenset(failed), tasks)


def _find_right_authors(sets: list[CalibrationSet]) -> dict[tuple[str, str], frozenset[str]]:
    right: dict[tuple[str, str], frozenset[str]] = {}
    for one in sets:
        for span in one.gold:
            place = span.episode, span.kind
            right[place] = right.get(place, frozenset()) | {span.author}
    return right


def _is_until(seq: int, until_seq: int | None) -> bool:
    return until_seq is None or seq <= until_seq
