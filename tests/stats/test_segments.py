"""Agreement of segmentations: against frame loops, published algorithms written out, hand-made cases and pygamma."""

import csv
import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.stats.kappa import compute_cohens_kappa
from fieldloop.stats.segments import (
    Segments,
    compute_edit_scores,
    compute_kappas,
    count_f1_hits,
    count_hits_within,
    find_overlaps,
    list_boundaries,
    match_boundaries,
    measure_label_times,
    pair_segments,
)
from fieldloop.stats.segments.gamma import Units, compute_disorder, estimate_expected_disorder
from fieldloop.testing.shared import find_shared_data


@st.composite
def timelines(draw, episodes=3):
    """Segments of some episodes: (label, gap before, length) each."""
    rows = []
    for episode in range(episodes):
        at = draw(st.integers(0, 5))
        for label, gap, length in draw(
            st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.integers(1, 9)), max_size=7)
        ):
            rows.append((episode, label, at + gap, at + gap + length))
            at += gap + length
    return Segments.of(*(zip(*rows, strict=True) if rows else ((), (), (), ())))


def frames(segments, episode, last=200):
    row = np.zeros(last, int)
    for e, label, start, end in zip(segments.episode, segments.label, segments.start, segments.end, strict=True):
        if e == episode:
            row[start:end] = label
    return row


@given(timelines(), timelines())
def test_kappa_without_frames_is_kappa_of_ever_finer_frames(one, two):
    counted = Counter()
    for episode in range(3):
        pairs = zip(frames(one, episode).tolist(), frames(two, episode).tolist(), strict=True)
        counted.update(pair for pair in pairs if pair != (0, 0))
    expected = compute_cohens_kappa(counted)
    overlaps = find_overlaps(one, two, 3)
    found = compute_kappas(measure_label_times(one, two, overlaps, 3), np.ones((1, 3)))[0]
    assert found == pytest.approx(expected, nan_ok=True)


def published_f1_hits(reference, estimate, k):
    """Lea et al. 2017, as its authors' code does it, for one episode of (label, start, end)."""
    hit, used = 0, set()
    for label, start, end in estimate:
        ious = [
            (min(end, e) - max(start, s)) / (max(end, e) - min(start, s)) * (other == label)
            for other, s, e in reference
        ]
        best = int(np.argmax(ious)) if ious else -1
        if best >= 0 and ious[best] >= k and best not in used:
            hit += 1
            used.add(best)
    return hit


def rows(segments, episode):
    return [
        (int(label), int(s), int(e))
        for n, label, s, e in zip(segments.episode, segments.label, segments.start, segments.end, strict=True)
        if n == episode
    ]


@given(timelines(), timelines(), st.sampled_from((0.1, 0.5, 0.9)))
def test_f1_hits_are_the_published_ones(one, two, k):
    pairs = pair_segments(one, two, find_overlaps(one, two, 3))
    found = count_f1_hits(one, two, pairs, k, 3)
    assert found.tolist() == [published_f1_hits(rows(one, n), rows(two, n), k) for n in range(3)]


def levenshtein(one, two):
    table = np.zeros((len(one) + 1, len(two) + 1), int)
    table[:, 0], table[0] = range(len(one) + 1), range(len(two) + 1)
    for i, a in enumerate(one, 1):
        for j, b in enumerate(two, 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
    return table[-1, -1]


@given(timelines(), timelines())
def test_edit_scores_are_levenshteins(one, two):
    found = compute_edit_scores(one, two, 3)
    for n in range(3):
        ours, theirs = ([label for label, _, _ in rows(s, n)] for s in (one, two))
        longer = max(len(ours), len(theirs))
        expected = 1 - levenshtein(ours, theirs) / longer if longer else math.nan
        assert found[n] == pytest.approx(expected, nan_ok=True)


def boundaries(*spans):
    """Boundaries of one episode from (label, start, end)."""
    return list_boundaries(Segments.of([0] * len(spans), *zip(*spans, strict=True)))


def matched(one, two, near=5):
    found = match_boundaries(one, two, near, 1)
    return [(int(one.time[a]), int(two.time[b])) for a, b in zip(found.first, found.second, strict=True)]


def test_a_boundary_is_matched_with_the_one_of_the_same_labels_not_with_the_nearest():
    one = boundaries((1, 0, 10), (2, 10, 30))
    two = boundaries((1, 0, 8), (3, 8, 12), (2, 12, 30))
    assert matched(one, two) == [(0, 0), (10, 8), (30, 30)]  # reach→lift: 8 shares its left label, 12 its right one
    three = boundaries((1, 0, 15), (2, 15, 30))
    assert matched(one, three) == [(0, 0), (10, 15), (30, 30)]


def test_boundaries_of_another_cycle_are_not_matched_however_alike_their_labels():
    one = boundaries((1, 0, 5), (2, 5, 10))
    two = boundaries((1, 100, 105), (2, 105, 110))
    assert matched(one, two) == []


def test_boundaries_between_other_labels_match_only_where_they_are_near():
    assert (10, 12) in matched(boundaries((1, 0, 10), (2, 10, 20)), boundaries((3, 0, 12), (4, 12, 20)))
    assert (10, 18) not in matched(boundaries((1, 0, 10), (2, 10, 20)), boundaries((3, 0, 18), (4, 18, 20)))


@given(timelines(1), timelines(1))
def test_matching_is_in_order_one_to_one_and_the_same_from_both_sides(one, two):
    a, b = list_boundaries(one), list_boundaries(two)
    forth, back = match_boundaries(a, b, 3, 1), match_boundaries(b, a, 3, 1)
    assert (np.diff(forth.first) > 0).all()
    assert (np.diff(forth.second) > 0).all()
    assert len(forth.first) == len(back.first)
    distance = np.abs(a.time[forth.first] - b.time[forth.second]).sum()
    assert distance == np.abs(b.time[back.first] - a.time[back.second]).sum()


def units(*spans):
    return Units(*(np.array(column, float) for column in zip(*spans, strict=True)))


def test_disorder_by_hand():
    # shifted by half: ((2 + 2) ÷ 8)² = 0.25; one label differs: + 1; one segment alone: 1 over a mean of 1.5 segments
    assert compute_disorder([units((1, 0, 4)), units((1, 2, 6))]) == pytest.approx(0.25)
    assert compute_disorder([units((1, 0, 4)), units((2, 2, 6))]) == pytest.approx(1.25)
    assert compute_disorder([units((1, 0, 4), (1, 10, 12)), units((1, 0, 4))]) == pytest.approx(1 / 1.5)
    assert math.isnan(compute_disorder([Units(*np.zeros((3, 0)))] * 2))


def brute_force(annotators):
    """The least sum over all ways to group the segments of two annotators, one at a time."""
    one, two = annotators

    def rest(i, free):
        if i == len(one):
            return float(len(free))
        best = 1 + rest(i + 1, free)
        for j in free:
            apart = abs(one.start[i] - two.start[j]) + abs(one.end[i] - two.end[j])
            lasts = one.end[i] - one.start[i] + two.end[j] - two.start[j]
            cost = (apart / lasts) ** 2 + (one.label[i] != two.label[j])
            best = min(best, cost + rest(i + 1, free - {j}))
        return best

    return rest(0, frozenset(range(len(two)))) / ((len(one) + len(two)) / 2)


spans = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 20), st.integers(1, 8)), min_size=1, max_size=4)


@settings(max_examples=40)
@given(spans, spans)
def test_two_annotators_are_aligned_at_least_disorder(first, second):
    both = [units(*((label, s, s + n) for label, s, n in each)) for each in (first, second)]
    assert compute_disorder(both) == pytest.approx(brute_force(both))


@settings(max_examples=25, deadline=None)
@given(spans, spans)
def test_a_third_annotator_without_segments_adds_an_empty_partner_to_each_group(first, second):
    both = [units(*((label, s, s + n) for label, s, n in each)) for each in (first, second)]
    three = [*both, Units(*np.zeros((3, 0)))]
    groups = compute_disorder(three) * sum(map(len, three)) / 3
    alone = sum(map(len, both))
    assert groups <= alone + 1e-9  # leaving all alone is always possible
    assert compute_disorder(three[::-1]) == pytest.approx(compute_disorder(three))


KNOWN = {  # file: disorder of the best alignment with alpha 1 and 3, by pygamma-agreement 0.5.9
    "AlexPaulSuzan.csv": (0.653542, 0.960625),
    "annotation_paul_suzann_alex.csv": (0.531287, 0.704974),
    "annotation_dalton.csv": (0.26082, 0.782461),
    "example_figure10.csv": (1.185185, 1.511111),
    "example_figure19.csv": (1.344, 1.632),
    "annotation_paul_suzann_alex_additional_unit.csv": (1.144127, 1.146667),
    "3by100.csv": (0.138277, 0.343512),
}


@pytest.fixture(scope="module")
def vectors():
    folder = find_shared_data("annot-pygamma")
    if folder is None:
        pytest.skip("no test vectors beside the repository: shared/data/annot-pygamma")
    return folder


def read_vector(file):
    by_author = {}
    for author, label, start, end in csv.reader(file.read_text().splitlines()):
        by_author.setdefault(author, []).append((label, float(start), float(end)))
    codes = {label: n for n, label in enumerate(sorted({s[0] for each in by_author.values() for s in each}), 1)}
    return [units(*((codes[label], s, e) for label, s, e in each)) for each in by_author.values()]


@pytest.mark.parametrize("name", KNOWN)
def test_disorders_are_those_of_pygamma(vectors, name):
    annotators = read_vector(vectors / name)
    found = [compute_disorder(annotators, alpha) for alpha in (1, 3)]
    assert found == pytest.approx(KNOWN[name], rel=1e-5)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("AlexPaulSuzan.csv", 0.42, 0.47), ("3by100.csv", 0.79, 0.81), ("2by1000.csv", 0.37, 0.43)],
)
def test_gamma_lies_where_pygammas_own_tests_want_it(vectors, name, low, high):
    annotators = read_vector(vectors / name)
    samples = {"AlexPaulSuzan.csv": 150, "3by100.csv": 4, "2by1000.csv": 15}[name]
    expected = estimate_expected_disorder(annotators, np.random.default_rng(4), samples, alpha=3)
    assert low <= 1 - compute_disorder(annotators, alpha=3) / expected <= high


SALAMI_HITS = {("uppercase", 0.5): 0.723467, ("uppercase", 3.0): 0.794918, ("functions", 0.5): 0.718697,
               ("functions", 3.0): 0.78921}  # fmt: skip
"""Mean F of the boundaries of two listeners over 40 songs, by mir_eval 0.8.2 (`segment.detection`, untrimmed)."""


def read_song(file):
    rows = [line.split("\t") for line in file.read_text().strip().splitlines()]
    times = [round(float(start) * 1e9) for start, _ in rows]
    kept = [(1 + n % 2, a, b) for n, (a, b) in enumerate(pairwise(times)) if b > a]
    return Segments.of([0] * len(kept), *zip(*kept, strict=True))


@pytest.mark.parametrize(("layer", "window_s"), SALAMI_HITS)
def test_hits_of_salamis_two_listeners_are_those_of_mir_eval(layer, window_s):
    folder = find_shared_data("annot-salami")
    if folder is None:
        pytest.skip("no segmented songs beside the repository: shared/data/annot-salami")
    found = []
    for song in sorted((folder / "annotations").iterdir()):
        one, two = (list_boundaries(read_song(song / "parsed" / f"textfile{n}_{layer}.txt")) for n in (1, 2))
        hits = count_hits_within(one, two, round(window_s * 1e9), 1)[0]
        found.append(2 * hits / (len(one) + len(two)))
    assert len(found) == 40
    assert np.mean(found) == pytest.approx(SALAMI_HITS[layer, window_s], abs=1e-5)


@given(timelines(1), timelines(1), st.integers(0, 6))
def test_no_one_to_one_matching_has_more_hits(one, two, window):
    from scipy.optimize import linear_sum_assignment

    a, b = list_boundaries(one), list_boundaries(two)
    near = np.abs(a.time[:, None] - b.time) <= window
    rows, columns = linear_sum_assignment(~near)
    assert count_hits_within(a, b, window, 1)[0] == near[rows, columns].sum()
