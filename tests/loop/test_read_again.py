"""A log that is read again: episodes come and go, and what people changed meanwhile stays."""

from dataclasses import replace

import numpy as np
import pytest
from tests.ingest.lerobot_makers import ROWS, foreign

from fieldloop.errors import BadInput
from fieldloop.loop.data import ingest, read_again, relabel
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.store import open_shelf, open_store

NAMES = ["episode_000000", "episode_000001", "episode_000002"]


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site", store=open_store("sqlite://"), shelf=open_shelf("memory://"))
    yield opened
    opened.close()


def only_first(module, monkeypatch, count):
    """Let a module see only the first episodes of each log."""
    measured = module.run_each
    monkeypatch.setattr(
        module,
        "run_each",
        lambda *given: (replace(one, episodes=one.episodes[:count]) for one in measured(*given)),
    )


def names(workspace):
    return sorted(episode.name for episode in workspace.store.find(Episode))


def test_an_episode_that_is_newly_found_has_the_name_that_its_reader_gives(here, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        only_first(ingest, patched, 1)
        ingest.ingest_logs(here, (foreign(tmp_path / "set", episodes=3),))
    assert names(here) == NAMES[:1]
    read_again.read_logs_again(here)
    assert names(here) == NAMES


def test_an_episode_that_comes_back_is_used_again_with_the_facts_that_people_stated(here, tmp_path, monkeypatch):
    ingest.ingest_logs(here, (foreign(tmp_path / "set", episodes=3),))
    with monkeypatch.context() as patched:
        only_first(read_again, patched, 2)
        read_again.read_logs_again(here)
    assert find_episode(here, NAMES[2]).set_aside == read_again.NO_LONGER
    relabel.relabel_episodes(here, (NAMES[2],), set_=("operator=anna",))
    read_again.read_logs_again(here)
    back = find_episode(here, NAMES[2])
    assert (back.set_aside, back.operator) == ("", "anna")


def test_an_episode_of_two_logs_stays_in_use_while_one_has_it(here, tmp_path, monkeypatch):
    ingest.ingest_logs(here, (foreign(tmp_path / "one", episodes=3), foreign(tmp_path / "two", episodes=4)))
    last = find_episode(here, NAMES[2])
    assert [last.id in log.episodes for log in here.store.find(Log)] == [True, True]
    with monkeypatch.context() as patched:
        only_first(read_again, patched, 2)
        read_again.read_logs_again(here, (here.store.get_log(last.id).name,))
    assert find_episode(here, NAMES[2]).set_aside == ""
    assert last.id in here.store.get_log(last.id).episodes, "it is read from the log that still has it"


def test_an_episode_that_another_log_brought_keeps_its_facts(here, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        only_first(ingest, patched, 1)
        ingest.ingest_logs(here, (foreign(tmp_path / "two", episodes=4),))
    ingest.ingest_logs(here, (foreign(tmp_path / "one", episodes=3),))
    relabel.relabel_episodes(here, (NAMES[2],), set_=("operator=anna",))
    relabel.set_episodes_aside(here, (NAMES[1],), reason="pushed by hand")
    read_again.read_logs_again(here, ("two",))
    assert find_episode(here, NAMES[2]).operator == "anna"
    assert find_episode(here, NAMES[1]).set_aside == "pushed by hand"


def test_what_a_person_changes_while_logs_are_measured_stays(here, tmp_path, monkeypatch):
    ingest.ingest_logs(here, (foreign(tmp_path / "set", episodes=3),), set_=("site=lab",))
    measured = read_again.run_each

    def meanwhile(*given):
        results = list(measured(*given))
        relabel.relabel_episodes(here, (NAMES[0],), set_=("site=hall", "operator=anna"))
        relabel.set_episodes_aside(here, (NAMES[1],), reason="pushed by hand")
        yield from results

    monkeypatch.setattr(read_again, "run_each", meanwhile)
    read_again.read_logs_again(here, set_=("session=7",))
    first = find_episode(here, NAMES[0])
    assert (first.site, first.operator, first.session) == ("hall", "anna", "7")
    assert find_episode(here, NAMES[1]).set_aside == "pushed by hand"
    here.store.rebuild_tables()
    assert find_episode(here, NAMES[0]) == first


def test_a_name_that_several_episodes_share_is_refused_with_their_ids(here, tmp_path):
    for folder, seed in (("a", 1.0), ("b", 2.0)):
        rows = np.full((3 * ROWS, 3), seed, np.float32) + np.arange(3 * ROWS, dtype=np.float32)[:, None]
        ingest.ingest_logs(here, (foreign(tmp_path / folder / "set", episodes=3, **{"observation.state": rows}),))
    shared = here.store.find(Episode, {"name": NAMES[0]})
    assert len(shared) == 2
    with pytest.raises(BadInput) as refused:
        find_episode(here, f"set/{NAMES[0]}")
    assert all(episode.id[:12] in str(refused.value) for episode in shared)
    assert [find_episode(here, episode.id[:12]) for episode in shared] == shared
