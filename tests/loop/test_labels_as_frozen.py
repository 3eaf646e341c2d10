"""The labels of a release come from one place: replayed, matched with its hash, and refused where they are others."""

import sqlite3

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
