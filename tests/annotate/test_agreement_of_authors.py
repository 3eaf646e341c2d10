"""Kappa and boundary distances by hand, by the textbook, and by scikit-learn."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from fieldloop.annotate import compare_authors
from fieldloop.annotate.agreement import match_boundaries
from fieldloop.annotate.by_condition import compare_by_condition
from fieldloop.errors import BadInput
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import NS_PER_S
from fieldloop.stats.kappa import compute_cohens_kappa

HZ = 10.0
FRAME = NS_PER_S // 10


def spans(author, *labels, episode="e1", at=0):
    """Annotations from (label, frames) in a row; '' leaves a gap."""
    made, now = [], at * FRAME
    for label, frames in labels:
        end = now + round(frames * FRAME)
        if label:
            made.append(Annotation(episode, "phase", label, now, end, author))
        now = end
    return made


def test_a_table_worked_out_by_hand():
    # frames: both a 5, ann a / ben b 1, both b 4 → seen 0.9, chance 0.6·0.5 + 0.4·0.5 = 0.5 → κ = 0.8
    found = compare_authors(spans("ann", ("a", 6), ("b", 4)), spans("ben", ("a", 5), ("b", 5)), HZ)
    assert found.kappa == pytest.approx(0.8)
    assert found.boundary_frames == pytest.approx(1 / 3)  # start 0, a→b 1, end 0
    assert (found.unmatched, found.episodes, found.authors) == (0, 1, ("ann", "ben"))


def test_perfect_agreement_is_one_and_zero():
    same = (("a", 7), ("b", 3), ("a", 5))
    found = compare_authors(spans("ann", *same), spans("ben", *same), HZ)
    assert (found.kappa, found.boundary_frames, found.unmatched) == (1.0, 0.0, 0)


def test_a_frame_that_only_one_labelled_counts_against():
    found = compare_authors(spans("ann", ("a", 10)), spans("ben", ("a", 5)), HZ)
    # 5 of 10 agree; chance: ann a 1.0 × ben a 0.5 = 0.5 → κ = 0
    assert found.kappa == pytest.approx(0.0)
    assert found.boundary_frames == pytest.approx(2.5)


def test_one_label_throughout_could_not_have_disagreed():
    assert math.isnan(compare_authors(spans("ann", ("a", 10)), spans("ben", ("a", 10)), HZ).kappa)


def test_episodes_are_pooled_and_those_of_one_author_left_out():
    ann = (
        spans("ann", ("a", 6), ("b", 4))
        + spans("ann", ("a", 5), ("b", 5), episode="e2")
        + spans("ann", ("b", 9), episode="e3")
    )
    ben = spans("ben", ("a", 5), ("b", 5)) + spans("ben", ("a", 5), ("b", 5), episode="e2")
    found = compare_authors(ann, ben, HZ)
    assert found.episodes == 2
    assert found.kappa == pytest.approx((0.95 - (0.55 * 0.5 + 0.45 * 0.5)) / 0.5)


def test_split_and_missing_boundaries_are_unmatched():
    ann = spans("ann", ("a", 10), ("b", 10), ("a", 10), ("b", 10))
    ben = spans("ben", ("a", 31), ("b", 9))
    distances, unmatched = match_boundaries(ann, ben)
    assert sorted(d // FRAME for kind in distances.values() for d in kind) == [
        0,
        0,
        1,
    ]  # the later a→b is the nearer one
    assert unmatched == 2  # an a→b and a b→a


def test_a_gap_is_two_boundaries():
    distances, unmatched = match_boundaries(spans("ann", ("a", 5), ("", 5), ("b", 5)), spans("ben", ("a", 8), ("b", 7)))
    assert unmatched == 3  # a→nothing, nothing→b, a→b
    assert [d for kind in distances.values() for d in kind] == [0, 0]


# 12 segments, 7 labels, 30 frames a second, about 17 s: the set-up behind research methods E
SEGMENTS = [(f"l{n % 7}", 42.0) for n in range(12)]


def disturbed(moves):
    frames = np.diff([0.0, *(np.cumsum([f for _, f in SEGMENTS])[:-1] + moves), 504.0])
    return [(label, f) for (label, _), f in zip(SEGMENTS, frames, strict=True)]


@pytest.mark.parametrize(
    ("moves", "accuracy", "kappa"),
    [(np.full(11, 4.5), 0.902, 0.882), (np.tile([-0.72, 0.72], 6)[:11], 0.985, 0.982)],  # +150 ms bias; 24 ms jitter
)
def test_known_disturbances_give_the_known_kappas(moves, accuracy, kappa):
    ann, ben = spans("ann", *SEGMENTS), spans("ben", *disturbed(moves))
    found = compare_authors(ann, ben, 20 * HZ)  # fine enough for fractions of a frame
    assert found.kappa == pytest.approx(kappa, abs=0.004)
    assert found.boundary_frames == pytest.approx(20 * np.abs(moves).mean() * 11 / 13, rel=1e-6)
    assert 1 - np.abs(moves).sum() / 504 == pytest.approx(accuracy, abs=0.003)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=2, max_size=60))
def test_kappa_equals_scikit_learns(pairs):
    ours = compute_cohens_kappa(Counter(pairs))
    first, second = zip(*pairs, strict=True)
    if len(set(first) | set(second)) == 1:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(cohen_kappa_score(first, second))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 20)), min_size=1, max_size=8), st.integers(0, 30))
def test_agreement_is_symmetric_and_a_shift_in_time_of_both_changes_nothing(labels, shift):
    merged = [labels[0]]
    for label, frames in labels[1:]:
        if label != merged[-1][0]:
            merged.append((label, frames))
    moved = [(label, frames + n % 2) for n, (label, frames) in enumerate(merged)]
    forth = compare_authors(spans("ann", *merged), spans("ben", *moved), HZ)
    back = compare_authors(spans("ben", *moved), spans("ann", *merged), HZ)
    later = compare_authors(spans("ann", *merged, at=shift), spans("ben", *moved, at=shift), HZ)
    assert forth.kappa == pytest.approx(back.kappa, nan_ok=True)
    assert forth.kappa == pytest.approx(later.kappa, nan_ok=True)
    assert forth.boundary_frames == pytest.approx(back.boundary_frames) == pytest.approx(later.boundary_frames)


def test_boundaries_pair_in_order_with_the_least_distance():
    ann = spans("ann", ("a", 10), ("b", 10), ("a", 10), ("b", 10), ("a", 10), ("b", 10))
    ben = spans("ben", ("a", 12), ("b", 28), ("a", 11), ("b", 9))
    distances, unmatched = match_boundaries(ann, ben)
    assert sorted(d // FRAME for kind in distances.values() for d in kind) == [0, 0, 0, 1, 2]
    assert unmatched == 2


def test_the_boundary_they_agree_on_least_is_named():
    found = compare_authors(spans("ann", ("a", 10), ("b", 10)), spans("ben", ("a", 16), ("b", 4)), HZ)
    assert found.boundary_frames == pytest.approx(2.0)  # six frames apart once, none at start and end
    assert (found.worst_boundary, found.worst_frames) == ("a → b", pytest.approx(6.0))


def test_what_is_clear_in_easy_scenes_and_not_in_hard_ones_is_reported_by_condition():
    ann, ben, strata = [], [], {}
    for n in range(20):
        hard = n < 8
        ann += spans("ann", ("a", 10), ("b", 10), episode=f"e{n}")
        ben += spans("ben", ("a", 16 if hard else 10), ("b", 4 if hard else 10), episode=f"e{n}")
        strata[f"e{n}"] = Stratum.of(bin="buried" if hard else "front", lamp=f"l{n}")
    whole, buried, front = compare_by_condition(ann, ben, HZ, strata, 8)
    assert [str(a.stratum) for a in (whole, buried, front)] == ["", "bin=buried", "bin=front"]
    assert (whole.episodes, buried.episodes, front.episodes) == (20, 8, 12)
    assert (whole.worst_frames, buried.worst_frames, front.worst_frames) == pytest.approx((2.4, 6.0, 0.0))


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(BadInput, match="no annotated episode in common"):
        compare_authors(spans("ann", ("a", 5)), spans("ben", ("a", 5), episode="e2"), HZ)
    with pytest.raises(BadInput, match="not a valid frame rate"):
        compare_authors(spans("ann", ("a", 5)), spans("ben", ("a", 5)), 0.0)
    with pytest.raises(BadInput, match="ends before it begins"):
        compare_authors([Annotation("e1", "phase", "a", 5, 4, "ann")], spans("ben", ("a", 5)), HZ)
