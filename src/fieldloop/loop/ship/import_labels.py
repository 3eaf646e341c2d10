"""Import labels from other annotation tools: phases and results of episodes as a table, one row a label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.annotate.interchange import FrameBase
from fieldloop.errors import BadInput, ChangedMeanwhile, UnknownName
from fieldloop.ingest.tables.table_rows import read_rows
from fieldloop.loop.annotate.exchange import import_foreign_labels, is_foreign_file
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.data.relabel import judge_changed_episodes
from fieldloop.loop.data.statements import apply_user_statements
from fieldloop.loop.ship.taxonomy_lock import lock_taxonomy
from fieldloop.loop.work.example_tables import write_example_table, write_template
from fieldloop.loop.work.pasted import open_pasted_table
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode, Stated
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.event import EpisodeAnnotated, EpisodeRelabelled, Event
from fieldloop.model.person import Actor, Role
from fieldloop.model.stated import TRUTH_TEXTS, UNKNOWN, parse_result
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.numbers import format_fixed, format_number
from fieldloop.store import Unchanged

COLUMNS = ("episode", "label", "start_s", "end_s", "annotator", "result", "failure")
REQUIRED = ("episode",)
MAY_NAME_OTHERS = (Role.ADMIN, Role.ENGINEER)
"""Who may import labels that another person made; the ledger names both."""
SLACK_S = 0.05
"""How far a span may reach beyond its episode: a frame or two, as tools round to frames."""
MOST_WRONG, TEMPLATE_EPISODES = 5, 3


@dataclass(frozen=True, slots=True)
class Imported:
    """What a table brought: annotators, episodes with phases, spans, and episodes with a result."""

    annotators: tuple[str, ...]
    episodes: int
    annotations: int
    results: int


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One row of the table: a phase of an episode, its result, or both."""

    place: str
    episode: Episode
    annotator: str
    span: Annotation | None
    result: str
    failure: str


def import_labels(
    workspace: Workspace,
    file: Path,
    *,
    label: tuple[str, ...] = (),
    fps: float | None = None,
    frames_from: FrameBase | None = None,
) -> Imported:
    """Import labels from another annotation tool: Label Studio, ELAN, Praat, or a CSV or Parquet table with results.

    Columns: episode, label, start_s, end_s (seconds from the episode's start), annotator, result, failure. A row
    states a phase, a result (success, failure or unknown), or both. Phases of an annotator replace the annotator's
    earlier phases of that episode. One wrong row refuses the whole table. A row without an annotator is yours. Only
    engineers may import labels that another person made.

    Arguments:
        file: the table; `fieldloop annotate template` writes an example
        label: your name for a phase, such as reach=approach (repeatable)
        fps: frames per second of the video, where the file counts frames
        frames_from: number of the first frame in a file of Label Studio, 1 or 0
    """
    renamed = _parse_renamed_labels(label)
    if is_foreign_file(file):
        brought = import_foreign_labels(workspace, file, renamed, fps, frames_from)
        return Imported(brought.annotators, brought.episodes, brought.annotations, 0)
    while True:
        try:
            return _import_rows(workspace, _read_rows(workspace, file, renamed), file.name)
        except ChangedMeanwhile:  # another person changed one of the episodes just now: read them anew
            continue


def _import_rows(workspace: Workspace, rows: Sequence[LabelRow], file_name: str) -> Imported:
    by_author: dict[tuple[str, str], list[Annotation]] = {}
    for row in rows:
        if row.span is not None:
            by_author.setdefault((row.episode.id, row.annotator), []).append(row.span)
    events: list[Event] = [
        EpisodeAnnotated(episode, PHASE, author, tuple(sorted(spans, key=lambda span: span.start_ns)))
        for (episode, author), spans in by_author.items()
    ]
    results = [EpisodeRelabelled(new, old) for old, new in _apply_results(rows, file_name)]
    if by_author:
        lock_taxonomy(workspace, load_shipped_taxonomy())
    as_read = {row.episode.id: row.episode for row in rows}
    workspace.write(
        *events,
        *(change for change in results if change.episode != change.before),
        expect=Unchanged(Episode, tuple(as_read), tuple(as_read.values())),
    )
    judge_changed_episodes(workspace, [change.episode for change in results if change.episode != change.before])
    authors = tuple(sorted({row.annotator for row in rows}))
    return Imported(authors, len({e for e, _ in by_author}), sum(map(len, by_author.values())), len(results))


def paste_labels(workspace: Workspace, text: str, *, label: tuple[str, ...] = ()) -> Imported:
    """Import phases and results of episodes from the text of a CSV table, as a page or another program sends it.

    Arguments:
        text: the table with its header, as for `annotate import`
        label: your name for a phase, such as reach=approach (repeatable)
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
    labels = [label.name for label in load_shipped_taxonomy().labels][:2]
    spans = [
        (name, label, f"{at}.0", f"{at + 1}.0", "anna", "", "") for name in names for at, label in enumerate(labels)
    ]
    results = [(names[0], "", "", "", "anna", "success", ""), (names[-1], "", "", "", "anna", "failure", "grasp")]
    text = write_example_table(COLUMNS, [*spans, *results[: len(names)]])
    if out is None:
        return text
    write_template(out, text)
    return f"Written to {out}. Add your rows, then run: fieldloop annotate import {out}"


def _parse_renamed_labels(words: Sequence[str]) -> dict[str, str]:
    known = {label.name for label in load_shipped_taxonomy().labels}
    pairs = [tuple(part.strip() for part in word.partition("=")[::2]) for word in words]
    for word, (theirs, ours) in zip(words, pairs, strict=True):
        if not theirs or ours not in known:
            raise BadInput(f"{word!r}: write your name = one of {', '.join(sorted(known))}.")
    return dict(pairs)  # type: ignore[arg-type]  # pairs of texts


def _read_rows(workspace: Workspace, file: Path, renamed: dict[str, str]) -> list[LabelRow]:
    """Read every row; all that is wrong is stated at once, line by line, and nothing is imported."""
    rows = read_rows(file)
    for column in REQUIRED:
        if column not in rows[0][1]:
            raise BadInput(f"{file.name}: the column {column!r} is missing. Columns: {', '.join(rows[0][1])}.")
    read: list[LabelRow] = []
    wrong: list[str] = []
    found: dict[str, Episode] = {}
    for line, cells in rows:
        place = f"line {line}"
        try:
            named = str(cells.get("episode") or "")
            if named not in found:
                found[named] = find_episode(workspace, named)
            read.append(_read_row(cells, place, found[named], renamed, workspace.actor))
        except BadInput as problem:
            wrong.append(f"{place}: {problem}")
    wrong += _find_overlaps(read)
    if wrong:
        more = f"\n… and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        listed = "\n".join(wrong[:MOST_WRONG])
        raise BadInput(
            f"{file.name}: nothing was imported, {len(wrong)} of {len(rows)} rows are wrong.\n{listed}{more}"
        )
    return read


def _choose_author(stated: str, actor: Actor) -> str:
    """Return who made a label: the person who imports it, or another whom an engineer names."""
    if stated not in ("", actor.id) and actor.role not in MAY_NAME_OTHERS:
        raise BadInput(f"annotator = {stated!r}, but you are {actor.id}. Only engineers may import others' labels.")
    return stated or actor.id


def _read_row(cells: dict[str, str], place: str, episode: Episode, renamed: dict[str, str], actor: Actor) -> LabelRow:
    author = _choose_author((cells.get("annotator") or "").strip(), actor)
    result = (cells.get("result") or "").strip()
    failure = (cells.get("failure") or "").strip()
    stated = "" if not result else TRUTH_TEXTS[parse_result(result)] or UNKNOWN
    if failure and stated != TRUTH_TEXTS[False]:
        raise BadInput(f"failure = {failure!r} needs result = failure.")
    label = (cells.get("label") or "").strip()
    if not label and not stated:
        raise BadInput("the row states neither a label nor a result.")
    return LabelRow(place, episode, author, _read_span(cells, label, episode, author, renamed), stated, failure)


def _read_span(
    cells: dict[str, str], label: str, episode: Episode, author: str, renamed: dict[str, str]
) -> Annotation | None:
    if not label:
        return None
    name, known = renamed.get(label, label), [one.name for one in load_shipped_taxonomy().labels]
    if name not in known:
        raise UnknownName("label", label, known, f"{', '.join(known)}; rename yours with --label {label}=…")
    start, end = (_read_seconds(cells, column) for column in ("start_s", "end_s"))
    length = (episode.end_ns - episode.start_ns) / NS_PER_S
    if not start < end:
        raise BadInput(f"end_s = {format_number(end)} is not after start_s = {format_number(start)}.")
    if start < -SLACK_S or end > length + SLACK_S:
        span = f"{format_number(start)} s to {format_number(end)} s"
        raise BadInput(f"{span} is outside {episode.name}, which lasts {format_fixed(length, 2)} s.")
    begin_ns = episode.start_ns + max(0, round(start * NS_PER_S))
    end_ns = min(episode.end_ns, episode.start_ns + round(end * NS_PER_S))
    return Annotation(episode.id, PHASE, name, begin_ns, end_ns, author)


def _read_seconds(cells: dict[str, str], column: str) -> float:
    number = parse_finite_number(str(cells.get(column) or ""))
    if number is None:
        raise BadInput(f"{column} = {cells.get(column)!r} is not a number of seconds.")
    return number


def _find_overlaps(rows: Sequence[LabelRow]) -> Iterator[str]:
    """Find phases of one annotator that overlap in one episode: each moment has one phase."""
    spans: dict[tuple[str, str], list[tuple[Annotation, str]]] = {}
    for row in rows:
        if row.span is not None:
            spans.setdefault((row.episode.id, row.annotator), []).append((row.span, row.place))
    for several in spans.values():
        ordered = sorted(several, key=lambda each: each[0].start_ns)
        for (before, first), (after, second) in pairwise(ordered):
            if after.start_ns < before.end_ns:
                yield f"{second}: {after.label} overlaps {before.label} of {first}."


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
