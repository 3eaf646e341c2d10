"""A release of two tasks: the lock of one task's taxonomy does not keep the episodes of the other out."""

from dataclasses import replace

from tests.loop.test_loop_release import annotated
from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import make_taxonomy_lock
from fieldloop.loop.ship.release import freeze_release
from fieldloop.model.release import Release


def test_a_lock_for_one_task_keeps_no_episode_of_another_out(site):  # noqa: F811
    pick = make_episodes(10)
    sort = [replace(e, id="ee" + e.id[2:], name=f"t{e.name}", session=f"t{e.session}", task="sort") for e in pick]
    keep(site, pick)
    keep(site, sort, log="cd")
    site.write(make_taxonomy_lock(site, find_taxonomy(site, "pick")), *map(annotated, pick[1:]))
    frozen = freeze_release(site, "r1")
    assert isinstance(frozen, Release)
    assert (len(frozen.episodes), frozen.overridden) == (159, ())
    assert [(key, why.code) for key, why in frozen.excluded] == [(pick[0].id, "release.not_annotated")]
    assert {f.check: f.status.value for f in frozen.checks.dataset}["corpus.annotated"] == "passed"
