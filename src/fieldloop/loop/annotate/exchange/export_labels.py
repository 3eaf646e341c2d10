"""Labels from and for other tools: Label Studio, ELAN, Praat and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from fieldloop.annotate.interchange import (
    Span,
    write_csv,
    write_elan,
    write_label_studio,
)
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.data.find_episode import find_episode, name_episodes
from fieldloop.loop.work.atomic_files import make_folder, write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode

MOST_WRONG = 5
CSV = ".csv"
TABLES = (".parquet", ".jsonl")
"""Endings of tables, which may state results beside labels and are read elsewhere."""
LEROBOT, DATASET_AUTHOR = "LeRobot", "machine:lerobot"
FRAME_SLACK = 1.0
"""How many frames a label may reach beyond its episode, as tools round to frames."""


class Target(StrEnum):
    """A format of another tool."""

    LABEL_STUDIO = "labelstudio"
    ELAN = "elan"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: files, episodes, labels, and what the format does not keep."""

    files: tuple[str, ...]
    episodes: int
    annotations: int
    not_kept: tuple[str, ...]


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
    found, _ = select_visible_labels(workspace, workspace.store.find(Annotation, where), workspace.actor.id)
    if not found:
        raise BadInput("None of these episodes has labels yet, so nothing was written.")
    ids = dict.fromkeys(a.episode for a in found)
    episodes = {e.id: e for e in chosen or workspace.store.find(Episode, {"id": list(ids)})}
    names = name_episodes(workspace, (episodes[key] for key in ids))
    if to is Target.ELAN:  # names no episode inside, so the file is named like it
        names = {key: key if "/" in name else name for key, name in names.items()}
    spans = [_make_span(a, episodes[a.episode], names[a.episode]) for a in found]
    files = _write(spans, to, out, fps)
    return Exported(files, len(ids), len(spans), NOT_KEPT[to])


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
