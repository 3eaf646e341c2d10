"""Which labels count: decided ones, then those of people, then proposals; earlier releases keep what they took."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from fieldloop.annotate import choose_labels, choose_labels_by_name, classify_author
from fieldloop.loop.data.as_frozen import match_release_labels
from fieldloop.model.annotation import Annotation
from fieldloop.release import compute_labels_id

RANK = ("adjudicated", "anna", "ben", "machine:signals", "machine:video")


def span(author, episode="e", kind="phase", start=0):
    return Annotation(episode, kind, "lift", start, start + 1, author)


@given(st.lists(st.builds(span, st.sampled_from(RANK), st.sampled_from("ef"), st.sampled_from(("phase", "grasp")),
                          st.integers(0, 3)), max_size=12), st.randoms())  # fmt: skip
def test_by_the_earlier_rule_each_place_gets_the_labels_of_the_first_author_by_name(spans, chance):
    chosen = choose_labels_by_name(spans)
    for place in {(s.episode, s.kind) for s in spans}:
        there = [s for s in spans if (s.episode, s.kind) == place]
        best = min((s.author for s in there), key=RANK.index)
        assert [s for s in chosen if (s.episode, s.kind) == place] == [s for s in there if s.author == best]
    shuffled = list(spans)
    chance.shuffle(shuffled)
    assert sorted(choose_labels_by_name(shuffled), key=str) == sorted(chosen, key=str)


@given(st.lists(st.builds(span, st.sampled_from(RANK), st.sampled_from("ef"), start=st.integers(0, 3)), max_size=12))
def test_of_several_authors_of_a_source_the_one_who_handed_in_last_counts(spans):
    chosen = choose_labels(spans)
    for episode in {s.episode for s in spans}:
        there = [s for s in spans if s.episode == episode]
        best = max(classify_author(s.author) for s in there)
        last = [s.author for s in there if classify_author(s.author) is best][-1]
        assert [s for s in chosen if s.episode == episode] == [s for s in there if s.author == last]


def test_a_release_that_took_the_first_author_by_name_keeps_these_labels():
    spans = [span("anna"), span("ben"), span("anna", kind="grasp")]
    assert [s.author for s in choose_labels(spans)] == ["ben", "anna"]
    before = SimpleNamespace(annotations_sha256=compute_labels_id(choose_labels_by_name(spans)))
    assert [s.author for s in match_release_labels(spans, before)] == ["anna", "anna"]


def test_a_release_takes_decided_labels_and_an_earlier_one_keeps_those_of_every_author():
    spans = [span("anna"), span("adjudicated"), span("machine:signals", "f"), span("anna", kind="grasp")]
    taken = choose_labels(spans)
    expected = [("adjudicated", "e", "phase"), ("machine:signals", "f", "phase"), ("anna", "e", "grasp")]
    assert [(s.author, s.episode, s.kind) for s in taken] == expected
    now, before = (SimpleNamespace(annotations_sha256=compute_labels_id(kept)) for kept in (taken, [
        s for s in spans if s.kind == "phase"
    ]))  # fmt: skip
    assert match_release_labels(spans, now) == taken
    assert len(match_release_labels(spans, before)) == 3
    assert match_release_labels(spans[:2], now) is None, "other labels are not those of the release"
