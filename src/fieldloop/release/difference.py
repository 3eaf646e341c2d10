"""What changed from one selection to another: episodes and why, labels, splits, shifts, and what a normaliser feels."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.fix import Fix
from fieldloop.model.note import Note, note
from fieldloop.model.release import Release, StratumShare
from fieldloop.model.release_diff import ChangeKind, EpisodeChange, ReleaseDiff
from fieldloop.model.stream import FIRST_REAL_NS, NS_PER_S
from fieldloop.release.felt import FeatureSketch, compare_features, merge_sketches, pair_columns
from fieldloop.release.shifts import find_shifts

NOWHERE = note("release.diff_unknown")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One selection to compare: a release, or a dataset without a workspace.

    `absent` explains why episodes of the other side are not here. `labels` are by episode, `sketches` of its values;
    both may be empty where nothing is known.
    """

    name: str
    id: str
    episodes: tuple[Episode, ...]
    split: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, tuple[Annotation, ...]] = field(default_factory=dict)
    fixes: Mapping[str, tuple[Fix, ...]] = field(default_factory=dict)
    shares: tuple[StratumShare, ...] = ()
    absent: Mapping[str, Note] = field(default_factory=dict)
    protocol: str = ""
    taxonomy: str = ""
    sketches: Mapping[str, Mapping[str, FeatureSketch]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DiffTerms:
    """How a difference is tested: the chance of a false alarm, random divisions, and the shift that is felt."""

    alpha: float
    draws: int
    felt_above: float


def compare_sides(before: Side, after: Side, terms: DiffTerms) -> ReleaseDiff:
    """Compare two selections."""
    was = {s.stratum: s.sampled for s in before.shares}
    now = {s.stratum: s.sampled for s in after.shares}
    old, new = (merge_sketches(side.sketches.values()) for side in (before, after))
    measured = (len(before.sketches), len(after.sketches))
    return ReleaseDiff(
        before=before.id,
        after=after.id,
        names=(before.name, after.name),
        counts=(len(before.episodes), len(after.episodes)),
        changes=tuple(_list_changes(before, after)),
        shares=tuple(
            (s, was.get(s, 0.0), now.get(s, 0.0)) for s in sorted({**was, **now}) if was.get(s, 0.0) != now.get(s, 0.0)
        ),
        shifts=find_shifts(before.episodes, after.episodes, alpha=terms.alpha, draws=terms.draws),
        features=compare_features(old, new, terms.felt_above),
        only_before=tuple(_list_own_features(old, new)),
        only_after=tuple(_list_own_features(new, old)),
        measured=measured if any(measured) else None,
        protocol=(before.protocol, after.protocol) if before.protocol != after.protocol else None,
        taxonomy=(before.taxonomy, after.taxonomy) if before.taxonomy != after.taxonomy else None,
    )


def _list_own_features(mine: Mapping[str, FeatureSketch], other: Mapping[str, FeatureSketch]) -> Iterator[str]:
    """Yield features, and columns of features, that the other side lacks; none if nothing was read."""
    for feature, sketch in sorted(mine.items()) if other else ():
        if feature not in other:
            yield feature
            continue
        paired = {k for k, _ in pair_columns(sketch.columns, other[feature].columns)}
        if not paired:
            yield f"{feature} with {len(sketch.columns)} columns"
        else:
            yield from (f"{feature}: {name}" for k, name in enumerate(sketch.columns) if k not in paired)


def make_release_side(release: Release, episodes: tuple[Episode, ...]) -> Side:
    """Return what a release itself knows; labels, reasons and sketches are added from the ledger."""
    fixes: dict[str, tuple[Fix, ...]] = {}
    for episode, fix in release.fixes:
        fixes[episode] = (*fixes.get(episode, ()), fix)
    return Side(
        release.name, release.id, episodes,
        {e: part for part in ("train", "validation") for e in getattr(release, part)},
        fixes=fixes, shares=release.shares, protocol=release.protocol, taxonomy=release.taxonomy,
        absent=dict(release.excluded),
    )  # fmt: skip


def _list_changes(before: Side, after: Side) -> Iterator[EpisodeChange]:
    old, new = ({e.id: e for e in side.episodes} for side in (before, after))
    replaced = dict(_pair_by_name(before, after))
    for key in sorted(new.keys() - old.keys() - set(replaced.values())):
        yield EpisodeChange(key, new[key].name, ChangeKind.ADDED, before.absent.get(key, NOWHERE))
    for key in sorted(old.keys() - new.keys() - replaced.keys()):
        yield EpisodeChange(key, old[key].name, ChangeKind.REMOVED, after.absent.get(key, NOWHERE))
    for key, other in sorted(replaced.items()):
        why = note("release.diff_other_content", before=key, after=other)
        yield EpisodeChange(other, new[other].name, ChangeKind.CONTENT, why)
    for key in sorted(old.keys() & new.keys()):
        yield from _compare_episode(old[key], new[key], before, after)
    for key, other in sorted(replaced.items()):
        yield from _compare_split(new[other], before.split.get(key, ""), after.split.get(other, ""))


def _pair_by_name(before: Side, after: Side) -> Iterator[tuple[str, str]]:
    """Pair episodes of one name and session whose content differs: the same attempt, cut or written anew.

    Formats give numbers to any episode, so nothing is paired unless most of the content is the same as well, or if the
    two were recorded at different times.
    """
    old, new = ({e.id: e for e in side.episodes} for side in (before, after))
    if 2 * len(old.keys() & new.keys()) < min(len(old), len(new)):
        return
    named_before, named_after = (Counter(map(_get_identity, side.episodes)) for side in (before, after))
    by_identity = {_get_identity(e): e for key, e in new.items() if key not in old}
    for key, episode in old.items():
        identity = _get_identity(episode)
        other = by_identity.get(identity) if key not in new else None
        if other and named_before[identity] == named_after[identity] == 1 and _is_same_time_possible(episode, other):
            yield key, other.id


def _get_identity(episode: Episode) -> tuple[str, ...]:
    return episode.name, episode.session, episode.robot, episode.operator, episode.task


def _is_same_time_possible(one: Episode, other: Episode) -> bool:
    if min(one.start_ns, other.start_ns) < FIRST_REAL_NS:
        return True
    return one.start_ns <= other.end_ns and other.start_ns <= one.end_ns


def _compare_episode(was: Episode, is_now: Episode, before: Side, after: Side) -> Iterator[EpisodeChange]:
    old, new = before.fixes.get(was.id, ()), after.fixes.get(was.id, ())
    if old != new:
        kinds = [", ".join(sorted(fix.kind.value for fix in fixes)) or None for fixes in (old, new)]
        why = note("release.diff_fixes", before=kinds[0], after=kinds[1])
        yield EpisodeChange(was.id, was.name, ChangeKind.FIXES, why)
    if why_labels := _compare_labels(before.labels.get(was.id, ()), after.labels.get(was.id, ())):
        yield EpisodeChange(was.id, was.name, ChangeKind.LABELS, why_labels)
    if facts := tuple(_name_changed_facts(was, is_now)):
        yield EpisodeChange(was.id, was.name, ChangeKind.FACTS, note("release.diff_facts", facts=facts))
    yield from _compare_split(is_now, before.split.get(was.id, ""), after.split.get(was.id, ""))


def _compare_split(episode: Episode, was: str, is_now: str) -> Iterator[EpisodeChange]:
    if was and is_now and was != is_now:
        kind = ChangeKind.TO_TRAIN if is_now == "train" else ChangeKind.TO_VALIDATION
        yield EpisodeChange(episode.id, episode.name, kind, note("release.diff_side", before=was, after=is_now))


def _compare_labels(was: tuple[Annotation, ...], is_now: tuple[Annotation, ...]) -> Note | None:
    """Say how labels differ: by author and label, and how far a boundary moved."""
    if set(was) == set(is_now):
        return None
    old, new = ({(a.kind, a.author, a.label, k): a for k, a in _number_alike(spans)} for spans in (was, is_now))
    moved = [
        max(abs(old[key].start_ns - new[key].start_ns), abs(old[key].end_ns - new[key].end_ns)) / NS_PER_S
        for key in old.keys() & new.keys()
        if old[key] != new[key]
    ]
    return note(
        "release.diff_labels", added=len(new.keys() - old.keys()) or None, removed=len(old.keys() - new.keys()) or None,
        moved=len(moved) or None, most_s=max(moved, default=None),
    )  # fmt: skip


def _number_alike(spans: tuple[Annotation, ...]) -> Iterator[tuple[int, Annotation]]:
    """Number spans of one author and label by the order in which they begin."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for span in sorted(spans, key=lambda a: (a.start_ns, a.end_ns)):
        key = (span.kind, span.author, span.label)
        yield seen[key], span
        seen[key] += 1


FACTS = ("task", "robot", "site", "operator", "session", "provider", "stratum", "succeeded", "failure")


def _name_changed_facts(was: Episode, is_now: Episode) -> Iterator[str]:
    yield from (name for name in FACTS if getattr(was, name) != getattr(is_now, name))
