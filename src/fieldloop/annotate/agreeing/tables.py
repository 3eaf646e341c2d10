"""Tables behind the vector: boundaries by their labels, confused labels, and each author against the others."""

from collections.abc import Iterator, Sequence

import numpy as np

from fieldloop.annotate.agreeing.kind_columns import KindColumns
from fieldloop.annotate.agreeing.pair import Pair, divide
from fieldloop.annotate.agreeing.vector import estimate_from_draws
from fieldloop.model.agreement import AgreementEstimate, AuthorAgreement, BoundaryAgreement, ConfusedLabels
from fieldloop.protocol.operations import Section
from fieldloop.stats.segments.segment_arrays import Floats


def list_boundaries_of_labels(
    columns: KindColumns, pairs: Sequence[Pair], weights: Floats, settings: Section
) -> Iterator[BoundaryAgreement]:
    """List boundaries by the labels on both sides, those that are farthest apart first."""
    episode, before, after, apart, pair_of = _stack(pairs)
    rows = []
    width = len(columns.labels)
    codes = np.where((before >= 0) & (after >= 0), before * width + after, -1)
    for code in np.unique(codes[codes >= 0]):
        chosen = codes == code
        many = len(columns.episodes)
        counts = np.bincount(episode[chosen], minlength=many).astype(float)
        distance = np.bincount(episode[chosen], weights=np.abs(apart[chosen]), minlength=many)
        leaning = np.bincount(episode[chosen], weights=apart[chosen], minlength=many)
        drawn = [divide(weights @ sums, weights @ counts) for sums in (distance, leaning)]
        bounded = int((counts > 0).sum()) >= settings.number("min_episodes")
        mae, bias = (estimate_from_draws(values, settings.number("level"), bounded=bounded) for values in drawn)
        rows.append(
            BoundaryAgreement(
                columns.kind, columns.labels[code // width], columns.labels[code % width], int(chosen.sum()),
                mae, bias if len(pairs) == 1 else AgreementEstimate(), _measure_spread(apart[chosen], pair_of[chosen]),
            )
        )  # fmt: skip
    yield from sorted(rows, key=lambda row: -(row.mae_frames.value or 0.0))


def list_confused_labels(columns: KindColumns, pairs: Sequence[Pair]) -> Iterator[ConfusedLabels]:
    """List pairs of labels that authors gave to the same segments, the most frequent first."""
    ours = np.concatenate([pair.twins.first for pair in pairs])
    theirs = np.concatenate([pair.twins.second for pair in pairs])
    width = len(columns.labels)
    low, high = np.minimum(ours, theirs), np.maximum(ours, theirs)
    codes, counts = np.unique(low * width + high, return_counts=True)
    table = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    rows = []
    for code, confused in table.items():
        a, b = divmod(code, width)
        if a != b:
            segments = confused + table.get(a * width + a, 0) + table.get(b * width + b, 0)
            rows.append(ConfusedLabels(columns.kind, (columns.labels[a], columns.labels[b]), confused, segments))
    yield from sorted(rows, key=lambda row: (-row.confused, row.labels))


def describe_authors(columns: KindColumns, pairs: Sequence[Pair]) -> Iterator[AuthorAgreement]:
    """Describe each author against all others, and the others among themselves."""
    once = np.ones((1, len(columns.episodes)))
    kappas = {pair.authors: float(pair.compute_numbers(once)["kappa"][0]) for pair in pairs}
    for author, name in enumerate(columns.authors):
        own = [pair for pair in pairs if author in pair.authors]
        if not own:
            continue
        matched = sum(float(pair.matched.sum()) for pair in own)
        leaning = [
            (-1 if p.authors[0] == author else 1) * float(p.leaning.sum() / p.matched.sum())
            for p in own
            if p.matched.sum()
        ]
        yield AuthorAgreement(
            columns.kind, name, int(np.logical_or.reduce([pair.shared for pair in own]).sum()),
            _average([kappa for couple, kappa in kappas.items() if author in couple]),
            _average([kappa for couple, kappa in kappas.items() if author not in couple]),
            find_common_bias(leaning),
            sum(float(pair.apart.sum()) for pair in own) / matched if matched else None,
            sum(int((pair.twins.first != pair.twins.second).sum()) for pair in own),
        )  # fmt: skip


def find_common_bias(against_each: Sequence[float]) -> float | None:
    """Return by how much an author is later than every other; 0 where some are later and some earlier.

    >>> find_common_bias([5.0, 4.5]), find_common_bias([-5.0, 0.2]), find_common_bias([])
    (4.5, 0.0, None)
    """
    if not against_each:
        return None
    one_side = all(b > 0 for b in against_each) or all(b < 0 for b in against_each)
    return min(against_each, key=abs) if one_side else 0.0


def _stack(pairs: Sequence[Pair]) -> tuple[np.ndarray, ...]:
    tables = [pair.boundaries for pair in pairs]
    stacked = [np.concatenate([getattr(t, name) for t in tables]) for name in ("episode", "before", "after", "apart")]
    return (*stacked, np.repeat(np.arange(len(pairs)), [len(t.apart) for t in tables]))


def _measure_spread(apart: Floats, pair_of: np.ndarray) -> float | None:
    """Return how far boundaries lie from their own pair's median, on average."""
    if not len(apart):
        return None
    centred = [np.abs(apart[pair_of == k] - np.median(apart[pair_of == k])) for k in np.unique(pair_of)]
    return float(np.concatenate(centred).mean())


def _average(values: Sequence[float]) -> float | None:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else None
