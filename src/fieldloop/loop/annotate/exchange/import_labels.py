"""Import labels from other annotation tools: labels and results of episodes as a table, one row a label."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop.annotate.interchange import FrameBase
from fieldloop.errors import BadInput, ChangedMeanwhile
from fieldloop.loop.annotate.exchange.export_labels import import_foreign_labels, is_foreign_file
from fieldloop.loop.annotate.exchange.label_rows import COLUMNS, LabelReader, LabelRow
from fieldloop.loop.annotate.submission import expect_saved_labels, list_import_events
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.data.relabel import judge_changed_episodes
from fieldloop.loop.data.statements import apply_user_statements
from fieldloop.loop.work.example_tables import write_example_table, write_template
from fieldloop.loop.work.pasted import open_pasted_table
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode, Stated
from fieldloop.model.event import EpisodeRelabelled, Event
from fieldloop.store import Unchanged

TEMPLATE_EPISODES = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """What a table brought: annotators, episodes with labels, spans, and episodes with a result."""

    annotators: tuple[str, ...]
    episodes: int
    annotations: int
    results: int


def import_labels(
    workspace: Workspace,
    file: Path,
    *,
    label: tuple[str, ...] = (),
    fps: float | None = None,
    frames_from: FrameBase | None = None,
) -> Imported:
    """Import labels from another annotation tool: Label Studio, ELAN, Praat, or a CSV or Parquet table with results.

    Columns: episode, label, start_s, end_s (seconds from the episode's start), annotator, result, failure; further ones
    are kind (phase where it is empty), object, values, blob, confidence, verified_by, error, error_unit. A row states a
    label, a result (success, failure or unknown), or both. Labels of one kind replace the annotator's earlier ones of
    that episode. One wrong row refuses the whole table. A row without an annotator is yours. Only engineers may import
    labels that another person made.

    Arguments:
        file: the table; `fieldloop annotate template` writes an example
        label: your name for a label, such as reach=approach (repeatable)
        fps: frames per second of the video, where the file counts frames
        frames_from: number of the first frame in a file of Label Studio, 1 or 0
    """
    renamed = _parse_renamed_labels(workspace, label)
    while True:
        reader = LabelReader(workspace, renamed)  # a new one each time: it remembers episodes
        try:
            if is_foreign_file(file):
                brought = import_foreign_labels(workspace, file, renamed, fps, frames_from)
                return Imported(brought.annotators, brought.episodes, brought.annotations, 0)
            return _import_rows(workspace, reader, reader.read_file(file), file.name)
        except ChangedMeanwhile:  # another person saved labels of these episodes just now: read anew
            continue


def _import_rows(workspace: Workspace, reader: LabelReader, rows: Sequence[LabelRow], file_name: str) -> Imported:
    by_author: dict[tuple[str, str, str], list[Annotation]] = {}
    for row in rows:
        if row.span is not None:
            by_author.setdefault((row.episode.id, row.span.kind, row.annotator), []).append(row.span)
    results = [EpisodeRelabelled(new, old) for old, new in _apply_results(rows, file_name)]
    as_read = {row.episode.id: row.episode for row in rows}
    taxonomies = {episode: reader.get_taxonomy(as_read[episode]) for episode, _, _ in by_author}
    for words in dict.fromkeys(taxonomies.values()):
        lock_taxonomy(workspace, words)
    locks = expect_saved_labels(workspace, list(by_author))
    events: list[Event] = []
    for (episode, kind, author), spans in by_author.items():
        ordered = tuple(sorted(spans, key=lambda span: (span.start_ns, -span.end_ns)))
        version = taxonomies[episode].version_name
        events += list_import_events(workspace, as_read[episode], kind, author, ordered, version, file_name)
    workspace.write(
        *events,
        *(change for change in results if change.episode != change.before),
        expect=(Unchanged(Episode, tuple(as_read), tuple(as_read.values())), *locks),
    )
    judge_changed_episodes(workspace, [change.episode for change in results if change.episode != change.before])
    authors = tuple(sorted({row.annotator for row in rows}))
    return Imported(authors, len({e for e, _, _ in by_author}), sum(map(len, by_author.values())), len(results))


def paste_labels(workspace: Workspace, text: str, *, label: tuple[str, ...] = ()) -> Imported:
    """Import labels and results of episodes from the text of a CSV table, as a page or another program sends it.

    Arguments:
        text: the table with its header, as for `annotate import`
        label: your name for a label, such as reach=approach (repeatable)
    """
    with open_pasted_table(text, "pasted labels") as file:
        return import_labels(workspace, file, label=label)


def write_label_template(workspace: Workspace, *, out: Path | None = None) -> str:
    """Write an example table of labels with episodes of this workspace.

    Its example rows begin with "# ", so that `annotate import` does not read them. Add your own rows below them.

    Arguments:
        out: write the table to this new CSV file
    """
    known = workspace.store.find(Episode, IN_USE, newest=True, limit=TEMPLATE_EPISODES)
    names = [episode.name for episode in known] or ["episode-1"]
    words = find_taxonomy(workspace)
    labels = [label.name for label in words.get_labels(words.kinds[0])][:2]
    spans = [
        (name, label, f"{at}.0", f"{at + 1}.0", "anna", "", "") for name in names for at, label in enumerate(labels)
    ]
    results = [(names[0], "", "", "", "anna", "success", ""), (names[-1], "", "", "", "anna", "failure", "grasp")]
    text = write_example_table(COLUMNS, [*spans, *results[: len(names)]])
    if out is None:
        return text
    write_template(out, text)
    return f"Written to {out}. Add your rows, then run: fieldloop annotate import {out}"


def _parse_renamed_labels(workspace: Workspace, words: Sequence[str]) -> dict[str, str]:
    known = {label.name for label in find_taxonomy(workspace).labels}
    parts = [word.partition("=") for word in words]
    pairs = [(theirs.strip(), ours.strip()) for theirs, _, ours in parts]
    for word, (theirs, ours) in zip(words, pairs, strict=True):
        if not theirs or ours not in known:
            raise BadInput(f"{word!r}: write your name = one of {', '.join(sorted(known))}.")
    return dict(pairs)


def _apply_results(rows: Sequence[LabelRow], file: str) -> list[tuple[Episode, Episode]]:
    """Return each episode with a result before and after; annotators who contradict each other are refused."""
    by_episode: dict[str, LabelRow] = {}
    for row in rows:
        if not row.result:
            continue
        first = by_episode.setdefault(row.episode.id, row)
        if (first.result, first.failure) != (row.result, row.failure):
            raise BadInput(
                f"{file}, {row.place}: another result of {row.episode.name} than {first.place} states. "
                "Decide which result is right, and keep only that row. Nothing was imported."
            )
    changed = []
    for row in by_episode.values():
        stated = [Stated("succeeded", row.result, row.annotator)]
        stated += [Stated("failure", row.failure, row.annotator)] if row.failure else []
        changed.append((row.episode, apply_user_statements(row.episode, stated)))
    return changed
