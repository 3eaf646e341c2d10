"""Labels from and for other tools: Label Studio, ELAN, Praat and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

from fieldloop.annotate.interchange import (
    Span,
    write_csv,
    write_elan,
    write_label_studio,
)
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.data.find_episode import find_episode, name_episodes
from fieldloop.loop.work.atomic_files import make_folder, write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode


class Target(StrEnum):
    """A format of another tool."""

    LABEL_STUDIO = "labelstudio"
    ELAN = "elan"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: files, episodes, labels, and what the format does not keep.

    `hidden` counts the kinds of labels, episode by episode, of which some were left out: you may not see them yet.
    """

    files: tuple[str, ...]
    episodes: int
    annotations: int
    not_kept: tuple[str, ...]
    hidden: int = 0


NOT_KEPT = {
    Target.CSV: (),
    Target.LABEL_STUDIO: ("times between frames", "object", "values", "blob", "verified_by", "error"),
    Target.ELAN: ("times below a millisecond", "confidence", "object", "values", "blob", "verified_by", "error"),
}


def export_labels(
    workspace: Workspace,
    episode: tuple[str, ...] = (),
    *,
    to: Target,
    out: Path,
    author: tuple[str, ...] = (),
    fps: float | None = None,
) -> Exported:
    """Write labels of episodes for another tool: Label Studio, ELAN or a table.

    Label Studio and CSV give one file, ELAN a folder with a file for each episode. The result states what the format
    does not keep. An episode whose name another one has is named LOG/NAME, or by its id. Labels that you may not see
    before you submit your own are left out.

    Arguments:
        episode: names or ids of episodes (default: all with labels)
        to: labelstudio, elan or csv
        out: the file to write, or for ELAN the folder
        author: only labels of these authors, such as anna or machine:signals
        fps: frames per second of the video; Label Studio needs it
    """
    if to is Target.LABEL_STUDIO and fps is None:
        raise Refused("Label Studio counts frames. State the frame rate of its video with --fps, such as --fps 30.")
    chosen = [find_episode(workspace, name) for name in episode]
    where = ({"episode": [e.id for e in chosen]} if chosen else {}) | ({"author": list(author)} if author else {})
    stored = workspace.store.find(Annotation, where)
    found, places = select_visible_labels(workspace, stored, workspace.actor.id)
    kept = set(found) if places else set()
    hidden = {(one.episode, one.kind) for one in stored if places and one not in kept}
    if not found:
        _refuse_empty_export(workspace, author, len(hidden))
    ids = dict.fromkeys(a.episode for a in found)
    episodes = {e.id: e for e in chosen or workspace.store.find(Episode, {"id": list(ids)})}
    names = name_episodes(workspace, (episodes[key] for key in ids))
    if to is Target.ELAN:  # names no episode inside, so the file is named like it
        names = {key: key if "/" in name else name for key, name in names.items()}
    spans = [_make_span(a, episodes[a.episode], names[a.episode]) for a in found]
    files = _write(spans, to, out, fps)
    return Exported(files, len(ids), len(spans), NOT_KEPT[to], len(hidden))


def _refuse_empty_export(workspace: Workspace, authors: Sequence[str], hidden: int) -> NoReturn:
    """State why there is nothing to write: labels are hidden, an author is unknown, or there are none yet."""
    known = sorted(str(name) for (name,) in workspace.store.views.list_distinct(Annotation, ("author",), {}))
    if unknown := [name for name in authors if name not in known]:
        raise UnknownName("author of labels", unknown[0], known, ", ".join(known) or "none has labels yet")
    if hidden:
        raise Refused(
            "You label these episodes independently, so labels of others are hidden until you hand in yours. Nothing "
            "was written. Your tasks: fieldloop annotate tasks"
        )
    raise BadInput("None of these episodes has labels yet, so nothing was written.")


def _make_span(annotation: Annotation, episode: Episode, name: str) -> Span:
    return Span(
        name, annotation.label, annotation.start_ns - episode.start_ns, annotation.end_ns - episode.start_ns,
        annotation.author, annotation.kind, object=annotation.object, confidence=annotation.confidence,
        verified_by=annotation.verified_by, values=annotation.values, blob=annotation.blob, error=annotation.error,
        error_unit=annotation.error_unit,
    )  # fmt: skip


def _write(spans: Sequence[Span], to: Target, out: Path, fps: float | None) -> tuple[str, ...]:
    if to is Target.CSV:
        write_atomically(out, write_csv(spans), "table")
        return (str(out),)
    if to is Target.LABEL_STUDIO:
        write_atomically(out, write_label_studio(spans, fps or 0.0), "labels")
        return (str(out),)
    make_folder(out)
    by_episode: dict[str, list[Span]] = {}
    for span in spans:
        by_episode.setdefault(span.episode, []).append(span)
    files = []
    for name, several in by_episode.items():
        file = out / f"{name}.eaf"
        write_atomically(file, write_elan(several), "labels")
        files.append(str(file))
    return tuple(files)
