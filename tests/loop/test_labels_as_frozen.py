"""The labels of a release come from one place: replayed, matched with its hash, and refused where they are others."""

import sqlite3
from dataclasses import replace

import pytest
from tests.loop.test_loop_release import annotated
from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.errors import Refused
from fieldloop.loop.data.as_frozen import find_labels_as_frozen
from fieldloop.loop.home.releases import show_release
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_diff import compare_two_releases
from fieldloop.loop.ship.release_verify import verify_release
from fieldloop.loop.ship.released_samples import find_release_labels
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.finding import Status
from fieldloop.model.labelling import CalibrationSet, Qualification
from fieldloop.model.labelling_event import AnnotatorJudged, CalibrationSetChosen


def label_as(site, event, author):  # noqa: F811 - the fixture's name
    spans = tuple(replace(span, author=author) for span in event.annotations)
    site.write(EpisodeAnnotated(event.episode, event.kind, author, spans))
    return spans


def test_attempts_and_labels_of_who_failed_do_not_count_and_a_release_keeps_what_counted_then(site):  # noqa: F811
    episodes = make_episodes(10)
    keep(site, episodes)
    calibration, other = annotated(episodes[0]), annotated(episodes[1])
    for episode in episodes:
        label_as(site, annotated(episode), "lea")
    gold = tuple(replace(span, author="lea") for span in calibration.annotations)
    site.write(CalibrationSetChosen(CalibrationSet("set-1", "phase", (episodes[0].id,), gold, 0, "pick v1")))
    label_as(site, calibration, "carl")
    label_as(site, other, "carl")

    def authors(release):
        held = find_labels_as_frozen(site, release)
        return [next(span.author for span in held if span.episode == one.id) for one in episodes[:2]]

    before = freeze_release(site, "before")
    assert authors(before) == ["lea", "carl"], "an attempt never counts; carl is not judged yet"
    site.write(AnnotatorJudged(Qualification("carl", "set-1", Status.FAILED, 0.4, 5.0, 1, 1)))
    failed = freeze_release(site, "failed")
    assert authors(failed) == ["lea", "lea"]
    site.write(AnnotatorJudged(Qualification("carl", "set-1", Status.PASSED, 0.9, 0.5, 1, 2)))
    assert freeze_release(site, "before") == before, "qualified, these labels count again"
    assert [authors(one) for one in (before, failed)] == [["lea", "carl"], ["lea", "lea"]]
    assert "release.labels_verified" in str(verify_release(site, "failed"))


def test_labels_are_those_at_the_freeze_and_others_are_refused(site):  # noqa: F811
    episodes = make_episodes(10)
    keep(site, episodes)
    site.write(*map(annotated, episodes))
    frozen = freeze_release(site, "r1")
    found = find_labels_as_frozen(site, frozen)
    assert len(found) == 8 * len(episodes)
    site.write(*(annotated(e) for e in make_episodes(10, each=4)))
    assert find_release_labels(site, frozen) == found, "labels saved later are not those of the release"
    assert not show_release(site, "r1").labels_changed
    with sqlite3.connect(site.root / ".fieldloop" / "ledger.db") as database:
        database.execute("UPDATE ledger SET body = replace(body, 'anna', 'eve0') WHERE kind = 'EpisodeAnnotated'")
    site.store.rebuild_tables()
    for ask in (find_labels_as_frozen, find_release_labels, lambda w, r: compare_two_releases(w, r.id, r.id)):
        with pytest.raises(Refused, match="release verify r1"):
            ask(site, frozen)
    shown = show_release(site, "r1")
    assert shown.labels_changed
    assert shown.contents.labels == ()
    assert "release.labels_changed" in {fact.code for fact in verify_release(site, "r1").changed}
