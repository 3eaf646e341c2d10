"""Pages of labels, releases and traces ask the database as often for many as for few."""

from contextlib import contextmanager

import pytest
from sqlalchemy import event as database_event
from tests.loop.labelled import acting, annotated_workspace, segments
from tests.loop.test_loop_release import annotated
from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.loop.annotate import labels, qualify, save
from fieldloop.loop.annotate.exchange.export_labels import Target, export_labels
from fieldloop.loop.annotate.exchange.import_labels import import_labels
from fieldloop.loop.home.labelling import read_labelling_queue
from fieldloop.loop.home.releases import show_release
from fieldloop.loop.run.trust import trace
from fieldloop.loop.ship.release import freeze_release
from fieldloop.model.event import EpisodeAnnotated


@contextmanager
def asking(workspace):
    """Collect the statements that the database gets, each with its values."""
    asked = []

    def collect(_connection, _cursor, statement, values, *_):
        asked.append((statement, str(values)))

    engine = workspace.store._database._engine
    database_event.listen(engine, "before_cursor_execute", collect)
    yield asked
    database_event.remove(engine, "before_cursor_execute", collect)


def count(workspace, ask):
    with asking(workspace) as asked:
        ask()
    return len(asked)


def test_a_trace_asks_as_often_for_four_releases_as_for_one(site):  # noqa: F811
    episodes = make_episodes(10)
    keep(site, episodes)
    site.write(*map(annotated, episodes))
    robot = episodes[0].robot
    asked = []
    for n in range(4):
        site.write(EpisodeAnnotated(episodes[n].id, "phase", "anna", ()))  # so that each release holds other labels
        freeze_release(site, f"r{n}", override="few episodes are labelled")
        asked.append(count(site, lambda: trace(site, robot=robot)))
    assert len(trace(site, robot=robot).releases) == 4
    assert asked[-1] == asked[0]


def test_the_page_of_a_release_replays_no_labels_while_they_are_in_force(site):  # noqa: F811
    episodes = make_episodes(10)
    keep(site, episodes)
    site.write(*map(annotated, episodes))
    freeze_release(site, "r1")
    with asking(site) as asked:
        assert not show_release(site, "r1").labels_changed
    assert not [values for _, values in asked if "EpisodeAnnotated" in values]
    site.write(EpisodeAnnotated(episodes[0].id, "phase", "anna", ()))
    with asking(site) as asked:
        assert not show_release(site, "r1").labels_changed
    assert [values for _, values in asked if "EpisodeAnnotated" in values], "labels of before are in the ledger only"


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=7) as opened:
        yield opened


def test_an_episode_with_labels_of_many_kinds_is_one_read(here):
    anna = acting(here, "anna")
    asked = []
    for kind, label in (("phase", "approach"), ("grasp", "power"), ("action", "pick")):
        save.save_labels(anna, "e0", kind=kind, segments_text=segments((label, 0, 1)))
        asked.append(count(here, lambda: labels.show_episode_labels(anna, "e0")))
    assert len(labels.show_episode_labels(anna, "e0").own) == 3
    assert asked[-1] == asked[0]


def test_the_queue_asks_as_often_for_two_calibration_sets_as_for_one(here):
    asked = []
    for kind, label in (("phase", "approach"), ("grasp", "power")):
        for n in range(5):
            save.save_labels(here, f"e{n}", kind=kind, segments_text=segments((label, 0, 1)), submit=True)
        qualify.choose_calibration_set(here, tuple(f"e{n}" for n in range(5)), kind=kind)
        asked.append(count(here, lambda: read_labelling_queue(here, (), ())))
    assert asked[-1] == asked[0]


def test_an_import_of_labels_in_force_asks_once_for_all_of_them(here, tmp_path):
    anna = acting(here, "anna")
    for n in range(6):
        save.save_labels(anna, f"e{n}", segments_text=segments(("approach", 0, 1)), submit=True)
    file = tmp_path / "labels.csv"
    export_labels(here, to=Target.CSV, out=file)
    before = here.last_seq()
    with asking(here) as asked:
        import_labels(here, file)
    assert here.last_seq() == before
    assert len([statement for statement, _ in asked if "FROM annotations" in statement]) == 1
