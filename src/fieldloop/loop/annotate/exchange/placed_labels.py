"""Labels of a file, placed in the episodes of a workspace: who made them, when they begin, what they are called."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fieldloop.annotate import Source, classify_author, find_segment_problems
from fieldloop.annotate.interchange import FileLabels, Span, StatedResult, Unit, make_annotations
from fieldloop.annotate.interchange.spans import name_place, refuse_wrong_labels
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate.coming import Whose
from fieldloop.loop.annotate.people import choose_author
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.annotate.usable_episodes import require_usable_episode
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_fixed, format_number

FAILURE = "failure"
LEROBOT, DATASET_AUTHOR = "LeRobot", "machine:lerobot"
NO_EPISODE = (
    "no episode is named: the column 'episode' is missing or empty, and no episode is called {}. Add the column, or "
    "name the file like its episode."
)


@dataclass(frozen=True, slots=True)
class PlacedLabels:
    """The labels and results of a file, by whose they are; `places` are where in the file each begins.

    A frame lasts `frame_ns`; it is 0 where the file does not count frames.
    """

    episodes: Mapping[str, Episode]
    taxonomies: Mapping[str, Taxonomy]
    frame_ns: float = 0.0
    spans: dict[Whose, list[Annotation]] = field(default_factory=lambda: defaultdict(list))
    places: dict[Whose, str] = field(default_factory=dict)
    results: list[tuple[Episode, StatedResult]] = field(default_factory=list)

    def get_taxonomy(self, episode: str) -> Taxonomy:
        """Return the taxonomy in force for an episode, by its id."""
        return self.taxonomies[self.episodes[episode].task]


def leave_out_made_labels(read: FileLabels) -> tuple[FileLabels, int]:
    """Leave out rows that no person made, such as our own exports hold, and count them.

    Proposals are computed anew, and decided labels come from a lead. A LeRobot dataset names no authors.
    """
    kept = tuple(one for one in read.spans if classify_author(one.author.strip()) is Source.PERSON)
    gone = {one.place for one in read.spans} - {one.place for one in kept}
    wrong = tuple(one for one in read.wrong if name_place(one) not in gone)
    return replace(read, spans=kept, wrong=wrong), len(read.spans) - len(kept)


def place_labels(
    workspace: Workspace, read: FileLabels, file: Path, renamed: Mapping[str, str], hz: float
) -> PlacedLabels:
    """Place everything that a file states; all that is wrong is stated at once, with its place in the file."""
    wrong = list(read.wrong)
    found = _find_episodes(workspace, read, file, wrong)
    taxonomies = {task: find_taxonomy(workspace, task) for task in {one.task for one in found.values()}}
    _refuse_unknown_new_names(renamed, taxonomies.values())
    unit_ns = NS_PER_S / hz if read.unit is Unit.FRAMES else 1.0
    slack_ns = workspace.operations["annotate"].number("import_slack_frames") * NS_PER_S / hz
    placed = PlacedLabels(
        {one.id: one for one in found.values()}, taxonomies, unit_ns if read.unit is Unit.FRAMES else 0.0
    )
    named = {name_place(problem) for problem in wrong}
    mixed: set[Whose] = set()  # something is wrong between these, and named already
    for span in (one for one in read.spans if one.episode in found):
        episode = found[span.episode]
        if span.end < span.start:
            continue
        try:
            whose_span = replace(span, author=_choose_author(span, read, workspace))
            made = _name_label(
                _place_span(whose_span, episode, unit_ns, slack_ns), placed.get_taxonomy(episode.id), renamed
            )
            _refuse_problems([made], placed, episode)
        except BadInput as problem:
            wrong.append(f"{span.place}: {problem}" if span.place else str(problem))
            continue
        whose = (episode.id, made.kind, made.author)
        placed.spans[whose].append(made)
        mixed |= {whose} if span.place in named else set()
        placed.places.setdefault(whose, f"{file.name}, {span.place}" if span.place else file.name)
    for one in (each for each in read.results if each.episode in found):
        try:
            made_result = _name_failure(one, placed.get_taxonomy(found[one.episode].id), renamed)
            author = _choose_author(one, read, workspace)
        except BadInput as problem:
            wrong.append(f"{one.place}: {problem}" if one.place else str(problem))
            continue
        placed.results.append((found[one.episode], replace(made_result, author=author)))
    refused, problems = _find_problems_of_groups(workspace, placed, mixed)
    if refused and not wrong and not problems:
        raise refused[0]
    refuse_wrong_labels(read, [*wrong, *problems, *map(str, refused)])
    return placed


def _find_episodes(workspace: Workspace, read: FileLabels, file: Path, wrong: list[str]) -> dict[str, Episode]:
    """Return the episodes by their names in the file; a file that names none is named like its episode."""
    stated: Sequence[Span | StatedResult] = (*read.spans, *read.results)
    found = {}
    for name in dict.fromkeys(one.episode for one in stated):
        try:
            found[name] = find_episode(workspace, name or file.stem)
        except BadInput as unknown:
            why = str(unknown) if name else NO_EPISODE.format(file.stem)
            wrong += [f"{one.place}: {why}" if one.place else why for one in stated if one.episode == name]
    return found


def _choose_author(stated: Span | StatedResult, read: FileLabels, workspace: Workspace) -> str:
    """Return who made a label; a dataset does not state it, so its labels are proposals that people correct."""
    if read.format == LEROBOT:
        return DATASET_AUTHOR
    try:
        return choose_author(stated.author, workspace.actor)
    except Refused as refused:
        raise Refused(f"{read.name}, {stated.place}: {refused} Nothing was imported.") from refused


def _place_span(span: Span, episode: Episode, unit_ns: float, slack_ns: float) -> Annotation:
    """Turn a span into an annotation; ends that rounding put outside the episode move to its ends."""
    (made,) = make_annotations([span], unit_ns, episode.start_ns)
    if made.start_ns < episode.start_ns - slack_ns or made.end_ns > episode.end_ns + slack_ns:
        start_s, end_s = ((at - episode.start_ns) / NS_PER_S for at in (made.start_ns, made.end_ns))
        lasts_s = (episode.end_ns - episode.start_ns) / NS_PER_S
        raise BadInput(
            f"{format_number(start_s)} s to {format_number(end_s)} s is outside {episode.name}, which lasts "
            f"{format_fixed(lasts_s, 2)} s."
        )
    return replace(
        made, episode=episode.id, start_ns=max(episode.start_ns, made.start_ns), end_ns=min(episode.end_ns, made.end_ns)
    )


def _name_label(made: Annotation, words: Taxonomy, renamed: Mapping[str, str]) -> Annotation:
    require_kind(words, made.kind)
    known = words.find_label(made.kind, renamed.get(made.label, made.label))
    if known is None:
        names = [one.name for one in words.get_labels(made.kind)]
        advice = f"{', '.join(names)}; rename yours with --label {made.label}=…"
        raise UnknownName("label", made.label, names, advice)
    return replace(made, label=known.name)


def _name_failure(one: StatedResult, words: Taxonomy, renamed: Mapping[str, str]) -> StatedResult:
    """Return a result with the taxonomy's name of how the episode failed; one that has no such names takes any."""
    names = [label.name for label in words.get_labels(FAILURE)]
    failure = renamed.get(one.failure, one.failure)
    if not failure or not names:
        return one
    known = words.find_label(FAILURE, failure)
    if known is None:
        advice = f"{', '.join(names)}; rename yours with --label {one.failure}=…"
        raise UnknownName("failure mode", one.failure, names, advice)
    return replace(one, failure=known.name)


def _refuse_unknown_new_names(renamed: Mapping[str, str], taxonomies: Iterable[Taxonomy]) -> None:
    known = {label.name for words in taxonomies for label in words.labels}
    for theirs, ours in renamed.items():
        if known and ours not in known:
            raise BadInput(f"{f'{theirs}={ours}'!r}: write your name = one of {', '.join(sorted(known))}.")


def _refuse_problems(spans: Sequence[Annotation], placed: PlacedLabels, episode: Episode) -> None:
    words = placed.get_taxonomy(episode.id)
    if problems := find_segment_problems(spans, spans[0].kind, words, episode.start_ns, episode.end_ns):
        raise BadInput(" ".join(write_sentence(problem) for problem in problems))


def _find_problems_of_groups(
    workspace: Workspace, placed: PlacedLabels, mixed: Collection[Whose]
) -> tuple[list[Refused], list[str]]:
    """Find labels of episodes that were rejected, and what is wrong only between labels, such as overlaps."""
    refused, wrong = dict[str, Refused](), []
    for whose, spans in placed.spans.items():
        episode = placed.episodes[whose[0]]
        try:
            require_usable_episode(workspace, episode)
            if whose not in mixed:
                _refuse_problems(spans, placed, episode)
        except Refused as problem:
            refused.setdefault(episode.id, problem)
        except BadInput as problem:
            wrong.append(f"{episode.name}, {whose[2]}: {problem}")
    return list(refused.values()), wrong
