"""Labels carried over to a new version of a taxonomy: in force, and in what each person has saved."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from fieldloop.annotate import Source, choose_labels, classify_author
from fieldloop.loop.annotate.coming import Whose
from fieldloop.loop.annotate.taxonomy.merged_spans import rename_spans
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.labelling import SavedLabels
from fieldloop.model.labelling_event import LabelsSaved, TaxonomyMigrated

Name = tuple[str, str]
"""A kind and the name of a label."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What a new version makes of labels: those under their new names, those that no longer count, and revisions."""

    renamed: tuple[EpisodeAnnotated, ...]
    withdrawn: tuple[EpisodeAnnotated, ...]
    saved: tuple[LabelsSaved, ...]


def move_labels(
    workspace: Workspace,
    spans: Sequence[Annotation],
    renamed: Mapping[Name, str],
    gone: AbstractSet[Name],
    version: str,
) -> Carried:
    """Give labels their new names; labels of which some have no new name no longer count until they are made again.

    Nothing is lost: what a person saved gets a new revision, a draft where the labels no longer count.
    """
    if not renamed and not gone:
        return Carried((), (), ())
    by_author: dict[Whose, list[Annotation]] = {}
    for span in spans:
        by_author.setdefault((span.episode, span.kind, span.author), []).append(span)
    withdrawn = _find_withdrawn(by_author, gone)
    kept = {whose: held for whose, held in by_author.items() if whose not in withdrawn}
    changed = {whose: held for whose, held in kept.items() if any((s.kind, s.label) in renamed for s in held)}
    return Carried(
        tuple(EpisodeAnnotated(*whose, rename_spans(held, renamed)) for whose, held in changed.items()),
        tuple(EpisodeAnnotated(*whose, ()) for whose in by_author if whose in withdrawn),
        tuple(_renew_revisions(workspace, by_author, withdrawn, renamed, version)),
    )


def rename_saved_spans(workspace: Workspace, saved: SavedLabels) -> tuple[Annotation, ...]:
    """Return the spans of an earlier revision with the names that migrations gave to their labels since."""
    spans, version = saved.annotations, saved.taxonomy
    for recorded in workspace.store.events(TaxonomyMigrated):
        migration = recorded.event.migration
        if migration.older == version:
            version = migration.newer
            spans = rename_spans(spans, {(kind, old): new for kind, old, new in migration.renamed})
    return spans


def _find_withdrawn(by_author: Mapping[Whose, Sequence[Annotation]], gone: AbstractSet[Name]) -> set[Whose]:
    """Return whose labels no longer count; where they counted before those of others, all of that place go with them.

    Otherwise labels would count that a decision was made against, or a proposal that a person corrected.
    """
    lost = {whose for whose, spans in by_author.items() if any((s.kind, s.label) in gone for s in spans)}
    counted = {
        (span.episode, span.kind, span.author)
        for span in choose_labels(span for spans in by_author.values() for span in spans)
    }
    places = {whose[:2] for whose in lost & counted}
    return lost | {whose for whose in by_author if whose[:2] in places}


def _renew_revisions(
    workspace: Workspace,
    by_author: Mapping[Whose, Sequence[Annotation]],
    withdrawn: AbstractSet[Whose],
    renamed: Mapping[Name, str],
    version: str,
) -> Iterator[LabelsSaved]:
    """Yield a revision of what each person saved last; it keeps the time, because no one worked on it now."""
    episodes = {whose[0] for whose in by_author}
    newest = {(s.episode, s.kind, s.author): s for s in workspace.store.find(SavedLabels)}  # oldest first
    for whose, saved in newest.items():
        moved = whose in withdrawn or any((span.kind, span.label) in renamed for span in saved.annotations)
        if not moved or saved.taxonomy == version or saved.episode not in episodes:
            continue
        yield LabelsSaved(
            replace(
                saved, revision=saved.revision + 1, submitted=saved.submitted and whose not in withdrawn,
                taxonomy=version, annotations=rename_spans(saved.annotations, renamed), from_revision=None,
            )
        )  # fmt: skip
    for episode, kind, author in withdrawn - newest.keys():
        if classify_author(author) is Source.PERSON:
            spans = rename_spans(by_author[episode, kind, author], renamed)
            yield LabelsSaved(
                SavedLabels(episode, kind, author, 1, submitted=False, saved_ns=workspace.clock(), taxonomy=version,
                            annotations=spans)
            )  # fmt: skip
