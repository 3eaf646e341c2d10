"""Read rows of a table of labels: segments of all kinds and results of episodes, one row a label."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop.annotate import find_segment_problems
from fieldloop.errors import BadInput, UnknownName
from fieldloop.ingest.tables.table_rows import read_rows
from fieldloop.loop.annotate.people import MAY_NAME_OTHERS
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.labelling import ADJUDICATED
from fieldloop.model.person import Actor
from fieldloop.model.stated import TRUTH_TEXTS, UNKNOWN, parse_result
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_fixed, format_number

COLUMNS = ("episode", "label", "start_s", "end_s", "annotator", "result", "failure")
FURTHER = ("kind", "object", "values", "blob", "confidence", "verified_by", "error", "error_unit")
"""Columns that only some kinds of labels need."""
REQUIRED = ("episode",)
SLACK_S = 0.05
"""How far a span may reach beyond its episode: a frame or two, as tools round to frames."""
MOST_WRONG = 5


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One row of the table: a label of an episode, its result, or both."""

    place: str
    episode: Episode
    annotator: str
    span: Annotation | None
    result: str
    failure: str


class LabelReader:
    """Reads rows against the episodes and taxonomies of a workspace, each looked up once."""

    def __init__(self, workspace: Workspace, renamed: Mapping[str, str]) -> None:
        """Take a workspace, and the user's own names of labels."""
        self._workspace, self._renamed = workspace, renamed
        self._episodes: dict[str, Episode] = {}
        self._taxonomies: dict[str, Taxonomy] = {}

    def read_file(self, file: Path) -> list[LabelRow]:
        """Read every row; all that is wrong is stated at once, line by line, and nothing is imported."""
        rows = read_rows(file)
        for column in REQUIRED:
            if column not in rows[0][1]:
                raise BadInput(f"{file.name}: the column {column!r} is missing. Columns: {', '.join(rows[0][1])}.")
        read: list[LabelRow] = []
        wrong: list[str] = []
        for line, cells in rows:
            try:
                read.append(self._read_row(cells, f"line {line}"))
            except BadInput as problem:
                wrong.append(f"line {line}: {problem}")
        wrong += self._find_overlaps(read)
        if wrong:
            more = f"\n… and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
            listed = "\n".join(wrong[:MOST_WRONG])
            raise BadInput(
                f"{file.name}: nothing was imported, {len(wrong)} of {len(rows)} rows are wrong.\n{listed}{more}"
            )
        return read

    def get_taxonomy(self, episode: Episode) -> Taxonomy:
        """Return the taxonomy in force for an episode's task."""
        if episode.task not in self._taxonomies:
            self._taxonomies[episode.task] = find_taxonomy(self._workspace, episode.task)
        return self._taxonomies[episode.task]

    def _read_row(self, cells: Mapping[str, str], place: str) -> LabelRow:
        text = {name: str(cells.get(name) or "").strip() for name in (*COLUMNS, *FURTHER)}
        named = str(cells.get("episode") or "")
        if named not in self._episodes:
            self._episodes[named] = find_episode(self._workspace, named)
        author = _choose_author(text["annotator"], self._workspace.actor)
        stated = "" if not text["result"] else TRUTH_TEXTS[parse_result(text["result"])] or UNKNOWN
        if text["failure"] and stated != TRUTH_TEXTS[False]:
            raise BadInput(f"failure = {text['failure']!r} needs result = failure.")
        if not text["label"] and not stated:
            raise BadInput("the row states neither a label nor a result.")
        episode = self._episodes[named]
        span = self._read_span(text, episode, author) if text["label"] else None
        return LabelRow(place, episode, author, span, stated, text["failure"])

    def _read_span(self, text: Mapping[str, str], episode: Episode, author: str) -> Annotation:
        words, kind = self.get_taxonomy(episode), text["kind"] or PHASE
        require_kind(words, kind)
        known = words.find_label(kind, self._renamed.get(text["label"], text["label"]))
        if known is None:
            names = [one.name for one in words.get_labels(kind)]
            advice = f"{', '.join(names)}; rename yours with --label {text['label']}=…"
            raise UnknownName("label", text["label"], names, advice)
        start, end = (_read_number(text, column, "seconds") for column in ("start_s", "end_s"))
        begin_ns, end_ns = _place_span(start, end, episode)
        span = Annotation(
            episode.id, kind, known.name, begin_ns, end_ns, author, text["verified_by"],
            _read_number(text, "confidence") if text["confidence"] else None, text["object"],
            tuple(_read_number({"values": one}, "values") for one in text["values"].split()), text["blob"],
            _read_number(text, "error") if text["error"] else None, text["error_unit"],
        )  # fmt: skip
        if problems := find_segment_problems([span], kind, words, episode.start_ns, episode.end_ns):
            raise BadInput(" ".join(write_sentence(problem) for problem in problems))
        return span

    def _find_overlaps(self, rows: Sequence[LabelRow]) -> Iterator[str]:
        """Find labels of one kind and one annotator that overlap in one episode where the taxonomy forbids it."""
        spans: dict[tuple[str, str, str], list[LabelRow]] = {}
        for row in rows:
            if row.span is not None:
                spans.setdefault((row.episode.id, row.annotator, row.span.kind), []).append(row)
        for several in spans.values():
            still_open: list[tuple[Annotation, str]] = []
            pairs = [(row.span, row.place) for row in several if row.span is not None]
            words = self.get_taxonomy(several[0].episode)
            for after, second in sorted(pairs, key=lambda each: (each[0].start_ns, -each[0].end_ns)):
                still_open = [one for one in still_open if one[0].end_ns > after.start_ns]
                for before, first in still_open:
                    both = (before, after)
                    if find_segment_problems(both, after.kind, words, before.start_ns, max(s.end_ns for s in both)):
                        yield f"{second}: {after.label} overlaps {before.label} of {first}."
                still_open.append((after, second))


def _choose_author(stated: str, actor: Actor) -> str:
    """Return who made a label: the person who imports it, or another whom an engineer names."""
    if stated not in ("", actor.id) and actor.role not in MAY_NAME_OTHERS:
        raise BadInput(f"annotator = {stated!r}, but you are {actor.id}. Only engineers may import others' labels.")
    if stated == ADJUDICATED:
        raise BadInput(f"annotator = {stated!r} is not a person. Decide with: fieldloop annotate adjudicate")
    return stated or actor.id


def _place_span(start_s: float, end_s: float, episode: Episode) -> tuple[int, int]:
    length_s = (episode.end_ns - episode.start_ns) / NS_PER_S
    if not start_s < end_s:
        raise BadInput(f"end_s = {format_number(end_s)} is not after start_s = {format_number(start_s)}.")
    if start_s < -SLACK_S or end_s > length_s + SLACK_S:
        span = f"{format_number(start_s)} s to {format_number(end_s)} s"
        raise BadInput(f"{span} is outside {episode.name}, which lasts {format_fixed(length_s, 2)} s.")
    begin_ns = episode.start_ns + max(0, round(start_s * NS_PER_S))
    return begin_ns, min(episode.end_ns, episode.start_ns + round(end_s * NS_PER_S))


def _read_number(cells: Mapping[str, str], column: str, what: str = "") -> float:
    number = parse_finite_number(str(cells.get(column) or ""))
    if number is None:
        raise BadInput(f"{column} = {cells.get(column)!r} is not a number{f' of {what}' if what else ''}.")
    return number
