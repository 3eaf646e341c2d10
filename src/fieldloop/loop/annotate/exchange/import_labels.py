"""Import labels and results of episodes from tables and from files of other annotation tools."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop.annotate.interchange import FrameBase, Reading, StatedResult, Unit
from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.loop.annotate.coming import Coming, Whose
from fieldloop.loop.annotate.exchange.placed_labels import FAILURE, PlacedLabels, leave_out_made_labels, place_labels
from fieldloop.loop.annotate.submission import expect_saved_labels, list_what_follows, write_import
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.data.relabel import judge_changed_episodes
from fieldloop.loop.data.statements import apply_user_statements
from fieldloop.loop.work.example_tables import write_example_table, write_template
from fieldloop.loop.work.label_files import choose_rate, read_label_file
from fieldloop.loop.work.pasted import open_pasted_table
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode, Stated
from fieldloop.model.event import EpisodeRelabelled, Event
from fieldloop.store import Unchanged

COLUMNS = ("episode", "label", "start_s", "end_s", "annotator", "result", "failure")
TEMPLATE_EPISODES = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """What a table brought: annotators, episodes with labels, spans, and episodes with a result.

    `left_out` are rows that no person made: proposals (`machine:…`) and decided labels (`adjudicated`).
    """

    annotators: tuple[str, ...]
    episodes: int
    annotations: int
    results: int
    left_out: int = 0


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
    that episode. One wrong row refuses the whole table. Rows of machine:… and adjudicated are
    left out and counted. A row without an annotator is yours. Only engineers may import
    labels that another person made.

    Arguments:
        file: the table; `fieldloop annotate template` writes an example
        label: your name for a label, such as reach=approach (repeatable)
        fps: frames per second of the video, where the file counts frames
        frames_from: number of the first frame in a file of Label Studio, 1 or 0
    """
    renamed = _parse_renamed_labels(label)
    while True:
        try:
            return _import_file(workspace, file, renamed, fps, frames_from)
        except ChangedMeanwhile:  # another person saved labels of these episodes just now: read anew
            continue


def _import_file(
    workspace: Workspace, file: Path, renamed: Mapping[str, str], fps: float | None, frames_from: FrameBase | None
) -> Imported:
    settings, frame_hz = workspace.operations["annotate"], workspace.operations["agree"].number("frame_hz")
    early_s = settings.number("import_slack_frames") / (fps or frame_hz)
    reading = Reading(frames_from=frames_from, early_s=early_s, keep_wrong=True)
    whole = read_label_file(file, reading, workspace.operations["agree"].number("max_file_mb"))
    read, left_out = leave_out_made_labels(whole)
    if left_out and not (read.spans or read.results or read.wrong):
        raise BadInput(
            f"{read.name} holds only labels that no person made: proposals and decided labels are not imported."
        )
    hz = choose_rate([read], fps)
    if hz is None and read.unit is Unit.FRAMES:
        raise Refused(
            f"{read.name} counts frames and does not state their rate. State the rate of its video with --fps."
        )
    placed = place_labels(workspace, read, file, renamed, hz or frame_hz)
    results = [EpisodeRelabelled(new, old) for old, new in _apply_results(placed.results, file.name)]
    _write_all(workspace, placed, [change for change in results if change.episode != change.before])
    authors = {author for _, _, author in placed.spans} | {one.author for _, one in placed.results}
    labelled = {episode for episode, _, _ in placed.spans}
    return Imported(tuple(sorted(authors)), len(labelled), len(read.spans), len(results), left_out)


def _write_all(workspace: Workspace, placed: PlacedLabels, changed: Sequence[EpisodeRelabelled]) -> None:
    for words in dict.fromkeys(placed.get_taxonomy(episode) for episode, _, _ in placed.spans):
        lock_taxonomy(workspace, words)
    locks = expect_saved_labels(workspace, list(placed.spans))
    in_force = _find_labels_in_force(workspace, placed.spans)
    coming, events = Coming(workspace), list[Event]()
    handed_in = []
    for (episode, kind, author), several in placed.spans.items():
        if _is_kept(in_force.get((episode, kind, author), []), several, placed.frame_ns):
            continue
        ordered = tuple(sorted(several, key=lambda span: (span.start_ns, -span.end_ns)))
        version, place = placed.get_taxonomy(episode).version_name, placed.places[episode, kind, author]
        stored, made, task = write_import(coming, placed.episodes[episode], kind, author, ordered, version, place)
        events += stored
        handed_in += [(placed.episodes[episode], made, task)] if made else []
    events += [event for one in handed_in for event in list_what_follows(coming, *one)]
    episodes = placed.episodes
    workspace.write(*events, *changed, expect=(Unchanged(Episode, tuple(episodes), tuple(episodes.values())), *locks))
    judge_changed_episodes(workspace, [change.episode for change in changed])


def _find_labels_in_force(workspace: Workspace, places: Collection[Whose]) -> dict[Whose, list[Annotation]]:
    """Return the labels of these authors in these episodes; one read, for a file may hold thousands."""
    episodes, authors = (sorted({place[n] for place in places}) for n in (0, 2))
    in_force: dict[Whose, list[Annotation]] = {}
    for span in workspace.store.find(Annotation, {"episode": episodes, "author": authors}) if places else ():
        in_force.setdefault((span.episode, span.kind, span.author), []).append(span)
    return in_force


def _is_kept(kept: Sequence[Annotation], read: Sequence[Annotation], slack_ns: float) -> bool:
    """Whether an author's labels say the same already; a tool that counts frames moved them by less than a frame."""
    pairs = [sorted(several, key=lambda one: (one.start_ns, -one.end_ns)) for several in (kept, read)]
    if not slack_ns:
        return pairs[0] == pairs[1]
    return len(kept) == len(read) and all(
        a.label == b.label and abs(a.start_ns - b.start_ns) < slack_ns and abs(a.end_ns - b.end_ns) < slack_ns
        for a, b in zip(*pairs, strict=True)
    )


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
    mode = next((label.name for label in words.get_labels(FAILURE)), "")
    results = [(names[0], "", "", "", "anna", "success", ""), (names[-1], "", "", "", "anna", "failure", mode)]
    text = write_example_table(COLUMNS, [*spans, *results[: len(names)]])
    if out is None:
        return text
    write_template(out, text)
    return f"Written to {out}. Add your rows, then run: fieldloop annotate import {out}"


def _parse_renamed_labels(words: Sequence[str]) -> dict[str, str]:
    parts = [word.partition("=") for word in words]
    for word, (theirs, _, ours) in zip(words, parts, strict=True):
        if not theirs.strip() or not ours.strip():
            raise BadInput(f"{word!r}: write your name for a label = ours, such as reach=approach.")
    return {theirs.strip(): ours.strip() for theirs, _, ours in parts}


def _apply_results(results: Sequence[tuple[Episode, StatedResult]], file: str) -> list[tuple[Episode, Episode]]:
    """Return each episode with a result before and after; annotators who contradict each other are refused."""
    by_episode: dict[str, tuple[Episode, StatedResult]] = {}
    for episode, one in results:
        _, first = by_episode.setdefault(episode.id, (episode, one))
        if (first.result, first.failure) != (one.result, one.failure):
            raise BadInput(
                f"{file}, {one.place}: another result of {episode.name} than {first.place} states. "
                "Decide which result is right, and keep only that row. Nothing was imported."
            )
    changed = []
    for episode, one in by_episode.values():
        stated = [Stated("succeeded", one.result, one.author)]
        stated += [Stated("failure", one.failure, one.author)] if one.failure else []
        changed.append((episode, apply_user_statements(episode, stated)))
    return changed
