"""Labels from and for other tools: Label Studio, ELAN, Praat and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from fieldloop.annotate import Source, classify_author, find_segment_problems
from fieldloop.annotate.interchange import (
    FileLabels,
    FrameBase,
    Reading,
    Span,
    Unit,
    make_annotations,
    read_labels,
    write_csv,
    write_elan,
    write_label_studio,
)
from fieldloop.errors import BadInput, Refused
from fieldloop.ingest.readers.lerobot.labels import is_lerobot_folder
from fieldloop.loop.annotate.people import choose_author
from fieldloop.loop.annotate.save import require_usable_episode
from fieldloop.loop.annotate.submission import expect_saved_labels, list_import_events
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.data.find_episode import find_episode, name_episodes
from fieldloop.loop.work.atomic_files import make_folder, write_atomically
from fieldloop.loop.work.label_files import read_dataset_labels, read_label_text
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_count
from fieldloop.text_files import read_text

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


@dataclass(frozen=True, slots=True)
class ImportedLabels:
    """What a file of another tool brought."""

    format: str
    annotators: tuple[str, ...]
    episodes: int
    annotations: int


def is_foreign_file(file: Path) -> bool:
    """Is it a file or dataset of another tool, or a table of our own with several kinds of labels?"""
    if file.suffix.lower() != CSV:
        return file.suffix.lower() not in TABLES
    header = (read_text(file).split("\n", 1)[0] if file.is_file() else "").strip().split(",")
    return "kind" in header and not {"result", "failure"} & set(header)


def import_foreign_labels(
    workspace: Workspace, file: Path, renamed: dict[str, str], fps: float | None, frames_from: FrameBase | None
) -> ImportedLabels:
    """Import labels of all kinds from a file of another tool; one wrong label refuses the whole file.

    ELAN and Praat name no episode, so the file must be named like it.
    """
    settings = workspace.operations["agree"]
    read = (
        read_dataset_labels(file)
        if is_lerobot_folder(file)
        else read_labels(
            read_label_text(file, settings.number("max_file_mb")), file.name, Reading(frames_from=frames_from)
        )
    )
    hz = _choose_rate(read, fps, settings.number("frame_hz"))
    episodes = {name: find_episode(workspace, name or file.stem) for name in {span.episode for span in read.spans}}
    words = {task: find_taxonomy(workspace, task) for task in {known.task for known in episodes.values()}}
    by_place: dict[tuple[str, str, str], list[Annotation]] = {}
    rows: dict[tuple[str, str, str], str] = {}
    wrong: list[str] = []
    for span in read.spans:
        known = episodes[span.episode]
        author = _choose_author(span, read.format, workspace)
        made = _place_in_episode(replace(span, author=author), known, read.unit, hz, words[known.task], renamed)
        by_place.setdefault((known.id, made.kind, made.author), []).append(made)
        rows.setdefault((known.id, made.kind, made.author), f"{file.name}, {span.place}" if span.place else file.name)
    by_id = {known.id: known for known in episodes.values()}
    for (episode, kind, author), several in by_place.items():
        known = by_id[episode]
        require_usable_episode(workspace, known)
        taxonomy = words[known.task]
        require_kind(taxonomy, kind)
        problems = find_segment_problems(several, kind, taxonomy, known.start_ns, known.end_ns)
        wrong += [f"{known.name}, {author}: {write_sentence(problem)}" for problem in problems]
    if wrong:
        more = f"\n… and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        listed = "\n".join(wrong[:MOST_WRONG])
        raise BadInput(
            f"{file.name}: nothing was imported, {format_count(len(wrong))} labels are wrong.\n{listed}{more}"
        )
    for known in by_id.values():
        lock_taxonomy(workspace, find_taxonomy(workspace, known.task))
    locks = expect_saved_labels(workspace, list(by_place))
    slack_ns = NS_PER_S / hz if read.unit is Unit.FRAMES else 0.0
    changed = {
        place: several for place, several in by_place.items() if not _is_kept(workspace, place, several, slack_ns)
    }
    workspace.write(
        *(
            event
            for (episode, kind, author), several in changed.items()
            for event in list_import_events(
                workspace,
                by_id[episode],
                kind,
                author,
                tuple(sorted(several, key=lambda a: (a.start_ns, -a.end_ns))),
                words[by_id[episode].task].version_name,
                rows[episode, kind, author],
            )
        ),
        expect=locks,
    )
    authors = tuple(sorted({author for _, _, author in by_place}))
    return ImportedLabels(read.format, authors, len(by_id), len(read.spans))


def _is_kept(workspace: Workspace, place: tuple[str, str, str], read: Sequence[Annotation], slack_ns: float) -> bool:
    """Whether an author's labels say the same already; a tool that counts frames moved them by less than a frame."""
    kept = workspace.store.find(Annotation, dict(zip(("episode", "kind", "author"), place, strict=True)))
    pairs = [sorted(several, key=lambda one: (one.start_ns, -one.end_ns)) for several in (kept, read)]
    if not slack_ns:
        return pairs[0] == pairs[1]
    return len(kept) == len(read) and all(
        a.label == b.label and abs(a.start_ns - b.start_ns) < slack_ns and abs(a.end_ns - b.end_ns) < slack_ns
        for a, b in zip(*pairs, strict=True)
    )


def _place_in_episode(
    span: Span, episode: Episode, unit: Unit, hz: float, words: Taxonomy, renamed: dict[str, str]
) -> Annotation:
    """Turn a span into an annotation; ends that rounding put up to a frame outside move to the episode's end."""
    unit_ns = NS_PER_S / hz if unit is Unit.FRAMES else 1.0
    (made,) = make_annotations([span], unit_ns, episode.start_ns)
    slack = FRAME_SLACK * NS_PER_S / hz
    end = episode.end_ns if 0 < made.end_ns - episode.end_ns <= slack else made.end_ns
    known = words.find_label(made.kind, renamed.get(made.label, made.label))
    label = known.name if known else renamed.get(made.label, made.label)
    return Annotation(
        episode.id, made.kind, label, made.start_ns, end, made.author, made.verified_by, made.confidence, made.object,
        made.values, made.blob, made.error, made.error_unit,
    )  # fmt: skip


def _choose_author(span: Span, source: str, workspace: Workspace) -> str:
    """Return who made a label; a dataset does not state it, so its labels are proposals that people correct."""
    if source == LEROBOT:
        return DATASET_AUTHOR
    if classify_author(span.author) is not Source.PERSON:
        raise BadInput(f"{span.place}: {span.author!r} is not a person. Export the labels of people only.")
    return choose_author(span.author, workspace.actor)


def _choose_rate(read: FileLabels, fps: float | None, usual_hz: float) -> float:
    if fps is not None and not 0 < fps < NS_PER_S:
        raise BadInput(f"--fps {fps} is not a valid frame rate.")
    if fps is None and read.fps is None and read.unit is Unit.FRAMES:
        raise Refused(
            f"{read.name} counts frames and does not state their rate. State the rate of its video with --fps."
        )
    return fps or read.fps or usual_hz


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
