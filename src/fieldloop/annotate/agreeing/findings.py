"""What disagreements ask for: retrain the author who differs, or clarify what all of them read differently."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.annotate.agreeing.edges import Blame, Couple, find_blame, is_clearly_beyond
from fieldloop.annotate.agreeing.kind_columns import KindColumns
from fieldloop.annotate.agreeing.pair import Pair
from fieldloop.model.agreement import AgreementFinding, Remedy
from fieldloop.model.note import Note, Value, note
from fieldloop.protocol.operations import Section
from fieldloop.stats.segments.segment_arrays import Floats

Labels = tuple[int, int]
CODES = {
    Remedy.RETRAIN: {
        "boundary": "agree.author_boundary",
        "labels": "agree.author_labels",
        "extra": "agree.author_extra",
        "lacking": "agree.author_lacking",
    },
    Remedy.TAXONOMY: {
        "boundary": "agree.all_boundary",
        "labels": "agree.all_labels",
        "missing": "agree.all_missing",
    },
    Remedy.OPEN: {
        "boundary": "agree.two_boundary",
        "labels": "agree.two_labels",
        "missing": "agree.two_missing",
    },
}
"""The code of each finding without a direction, by what it asks for."""


@dataclass(frozen=True, slots=True, eq=False)
class PairSums:
    """Of one pair and one question: sums and counts for each episode; the ratio is what is compared with the limit."""

    sums: Floats
    counts: Floats

    @property
    def ratio(self) -> float:
        """The measured ratio; NaN without any count."""
        return float(self.sums.sum() / self.counts.sum()) if self.counts.sum() else float("nan")


@dataclass(frozen=True, slots=True)
class Question:
    """Judges one kind of disagreement by its limit."""

    columns: KindColumns
    limit: float
    settings: Section

    def ask(self, evidence: Mapping[Couple, PairSums], *, signed: bool = False) -> Blame:
        """Find who explains it; signed evidence counts in either direction."""
        return find_blame({couple: self._is_beyond(one, signed=signed) for couple, one in evidence.items()})

    def _is_beyond(self, one: PairSums, *, signed: bool) -> bool:
        alpha, least = self.settings.number("alpha"), int(self.settings.number("min_episodes"))
        sign = -1.0 if signed and one.sums.sum() < 0 else 1.0
        return is_clearly_beyond(sign * one.sums, one.counts, self.limit, alpha, least)


def find_patterns(
    columns: KindColumns, pairs: Sequence[Pair], max_boundary_frames: float, settings: Section
) -> Iterator[AgreementFinding]:
    """Find authors who are early or late, boundaries that are unclear, labels that are confused, and missing segments.

    An author's general bias is taken out before single boundaries are looked at, so one cause gives one finding.
    """
    general = {pair.authors: PairSums(pair.leaning, pair.matched) for pair in pairs}
    late = Question(columns, settings.number("max_bias_frames"), settings)
    blame = late.ask(general, signed=True)
    yield from _report_bias(columns, general, blame, None)
    beyond = {
        couple for couple in general if set(couple) & set(blame.authors) or blame.all_differ or blame.open_between
    }
    for boundary in _list_boundary_labels(pairs):
        by_pair = {pair.authors: _collect_apart(pair, boundary, general, beyond) for pair in pairs}
        own = late.ask({couple: one for couple, (one, _) in by_pair.items()}, signed=True)
        unclear = Question(columns, max_boundary_frames, settings).ask({c: two for c, (_, two) in by_pair.items()})
        if _is_pattern(unclear):
            yield _report_unclear_boundary(columns, {c: two for c, (_, two) in by_pair.items()}, unclear, boundary)
        if own.authors or not _is_pattern(unclear):
            yield from _report_bias(columns, {c: one for c, (one, _) in by_pair.items()}, own, boundary)
    for labels in _list_confused_labels(pairs):
        confused = {pair.authors: _count_confused(pair, labels) for pair in pairs}
        blame = Question(columns, settings.number("max_confused_share"), settings).ask(confused)
        if _is_pattern(blame):
            yield _report_confusion(columns, confused, blame, labels)
    missing = {
        p.authors: PairSums(p.only_first + p.only_second, p.matched + p.only_first + p.only_second) for p in pairs
    }
    blame = Question(columns, settings.number("max_unmatched_share"), settings).ask(missing)
    if _is_pattern(blame):
        yield _report_missing(columns, pairs, missing, blame)


def merge_kinds(findings: Sequence[AgreementFinding]) -> list[AgreementFinding]:
    """Merge what one author does in several kinds of label: being late is one habit, and so one finding."""
    merged: dict[tuple[object, ...], list[AgreementFinding]] = {}
    for place, one in enumerate(findings):
        habit = one.remedy is Remedy.RETRAIN and not one.labels
        merged.setdefault((one.says.code, one.authors) if habit else (place,), []).append(one)
    return [_merge(alike) for alike in merged.values()]


def _merge(alike: Sequence[AgreementFinding]) -> AgreementFinding:
    if len(alike) == 1:
        return alike[0]
    kinds = tuple(kind for one in alike for kind in one.kinds)
    numbers: dict[str, Value] = dict(alike[0].says.numbers) | {"kinds": kinds}
    for name in ("frames", "share"):
        if name in numbers:
            numbers[name] = float(np.mean([float(str(one.says[name])) for one in alike]))
    return replace(alike[0], kinds=kinds, says=Note(alike[0].says.code, tuple(numbers.items())))


def _is_pattern(blame: Blame) -> bool:
    return bool(blame.authors) or blame.all_differ or blame.open_between is not None


def _list_boundary_labels(pairs: Sequence[Pair]) -> list[Labels]:
    before, after = (np.concatenate([getattr(p.boundaries, side) for p in pairs]) for side in ("before", "after"))
    same = (before >= 0) & (after >= 0)
    width = int(after.max(initial=0)) + 1
    codes = np.unique(before[same] * width + after[same])
    return [(int(code) // width, int(code) % width) for code in codes]


def _collect_apart(
    pair: Pair, boundary: Labels, general: Mapping[Couple, PairSums], beyond: set[Couple]
) -> tuple[PairSums, PairSums]:
    """Return bias and spread of one boundary; the pair's general bias is taken out where it is a finding already."""
    table = pair.boundaries
    chosen = (table.before == boundary[0]) & (table.after == boundary[1])
    apart = table.apart[chosen] - (general[pair.authors].ratio if pair.authors in beyond else 0.0)
    episode, many = table.episode[chosen], len(pair.shared)
    counts = np.bincount(episode, minlength=many).astype(float)
    bias = np.bincount(episode, weights=apart, minlength=many).astype(float)
    centred = np.abs(apart - (np.median(apart) if len(apart) else 0.0))
    return PairSums(bias, counts), PairSums(np.bincount(episode, weights=centred, minlength=many).astype(float), counts)


def _list_confused_labels(pairs: Sequence[Pair]) -> list[Labels]:
    found = set()
    for pair in pairs:
        differ = pair.twins.first != pair.twins.second
        ours, theirs = pair.twins.first[differ], pair.twins.second[differ]
        found |= {(int(min(a, b)), int(max(a, b))) for a, b in zip(ours, theirs, strict=True)}
    return sorted(found)


def _count_confused(pair: Pair, labels: Labels) -> PairSums:
    """Count, of the segments that both drew and gave one of the two labels, those with different ones."""
    ours, theirs, many = pair.twins.first, pair.twins.second, len(pair.shared)
    either = np.isin(ours, labels) & np.isin(theirs, labels)
    counts = np.bincount(pair.twins.episode[either], minlength=many).astype(float)
    return PairSums(
        np.bincount(pair.twins.episode[either], weights=(ours != theirs)[either], minlength=many).astype(float), counts
    )


def _report_bias(
    columns: KindColumns, evidence: Mapping[Couple, PairSums], blame: Blame, boundary: Labels | None
) -> Iterator[AgreementFinding]:
    place, labels = _name_boundary(columns, boundary), _name_labels(columns, boundary)
    for author in blame.authors:
        others = [(-1.0 if couple[0] == author else 1.0) * one.ratio
                  for couple, one in evidence.items() if author in couple and one.counts.sum()]  # fmt: skip
        frames = float(np.median(others))
        code = "agree.author_late" if frames > 0 else "agree.author_early"
        fact = note(code, author=columns.authors[author], frames=abs(frames), boundary=place, kinds=(columns.kind,))
        yield AgreementFinding(Remedy.RETRAIN, (columns.kind,), (columns.authors[author],), labels, fact)
    if blame.all_differ:
        worst = max(abs(one.ratio) for one in evidence.values() if one.counts.sum())
        fact = note("agree.timing_differs", frames=worst, boundary=place, kinds=(columns.kind,))
        yield AgreementFinding(Remedy.TAXONOMY, (columns.kind,), columns.authors, labels, fact)
    if blame.open_between is not None:
        early, late = blame.open_between
        frames = evidence[blame.open_between].ratio
        early, late = (early, late) if frames > 0 else (late, early)
        fact = note(
            "agree.two_differ_in_time",
            early=columns.authors[early], late=columns.authors[late], frames=abs(frames), boundary=place,
        )  # fmt: skip
        yield AgreementFinding(
            Remedy.OPEN, (columns.kind,), (columns.authors[early], columns.authors[late]), labels, fact
        )


def _report_unclear_boundary(
    columns: KindColumns, evidence: Mapping[Couple, PairSums], blame: Blame, boundary: Labels
) -> AgreementFinding:
    frames = float(np.median([one.ratio for one in evidence.values() if one.counts.sum()]))
    if blame.authors:  # of the pairs with the author only
        frames = float(
            np.median([e.ratio for c, e in evidence.items() if set(c) & set(blame.authors) and e.counts.sum()])
        )
    place = _name_boundary(columns, boundary)
    return _make_finding(columns, blame, _name_labels(columns, boundary), "boundary", frames=frames, boundary=place)


def _report_confusion(
    columns: KindColumns, evidence: Mapping[Couple, PairSums], blame: Blame, labels: Labels
) -> AgreementFinding:
    involved = [e for c, e in evidence.items() if not blame.authors or set(c) & set(blame.authors)]
    confused, segments = (int(sum(getattr(e, name).sum() for e in involved)) for name in ("sums", "counts"))
    first, second = _name_labels(columns, labels)
    return _make_finding(
        columns, blame, (first, second), "labels",
        first=first, second=second, confused=confused, segments=segments,
    )  # fmt: skip


def _report_missing(
    columns: KindColumns, pairs: Sequence[Pair], evidence: Mapping[Couple, PairSums], blame: Blame
) -> AgreementFinding:
    involved = [couple for couple in evidence if not blame.authors or set(couple) & set(blame.authors)]
    share = float(np.median([evidence[couple].ratio for couple in involved]))
    if not blame.authors:
        return _make_finding(columns, blame, (), "missing", share=share)
    extra, lacking = _count_extra_and_lacking(pairs, blame.authors[0])
    direction = "extra" if extra > lacking else "lacking"
    return _make_finding(columns, blame, (), direction, share=share)


def _count_extra_and_lacking(pairs: Sequence[Pair], author: int) -> tuple[float, float]:
    extra = lacking = 0.0
    for pair in pairs:
        if author in pair.authors:
            only = (float(pair.only_first.sum()), float(pair.only_second.sum()))
            own, other = only if pair.authors[0] == author else only[::-1]
            extra, lacking = extra + own, lacking + other
    return extra, lacking


def _make_finding(
    columns: KindColumns, blame: Blame, labels: tuple[str, ...], what: str, **numbers: str | float
) -> AgreementFinding:
    """Make a finding of a question without direction: one differs, all do, or two of two."""
    if blame.authors:
        remedy, who = Remedy.RETRAIN, blame.authors
    elif blame.all_differ:
        remedy, who = Remedy.TAXONOMY, tuple(range(len(columns.authors)))
    else:
        remedy, who = Remedy.OPEN, blame.open_between or ()
    names = tuple(columns.authors[author] for author in who)
    shown: dict[str, Value] = {"authors": names, **numbers, "kinds": (columns.kind,)}
    fact = Note(CODES[remedy][what], tuple(shown.items()))
    return AgreementFinding(remedy, (columns.kind,), names, labels, fact)


def _name_labels(columns: KindColumns, labels: Labels | None) -> tuple[str, ...]:
    return () if labels is None else tuple(columns.labels[label] for label in labels)


def _name_boundary(columns: KindColumns, boundary: Labels | None) -> str:
    return " → ".join(label or "nothing" for label in _name_labels(columns, boundary))
