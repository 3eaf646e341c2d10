"""Two people change one episode at the same moment: both changes stay, whoever writes last."""

from contextlib import contextmanager

import pytest
from tests.ingest.lerobot_makers import foreign

from fieldloop.errors import ChangedMeanwhile
from fieldloop.loop.annotate.exchange import import_labels
from fieldloop.loop.data import ingest, read_again, relabel
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import Workspace, open_workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeRelabelled
from fieldloop.store import Unchanged, open_shelf, open_store

FIRST, SECOND = "episode_000000", "episode_000001"


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site", store=open_store("sqlite://"), shelf=open_shelf("memory://"))
    ingest.ingest_logs(opened, (foreign(tmp_path / "set", episodes=2),), set_=("site=lab",))
    yield opened
    opened.close()


@contextmanager
def just_before_the_next_write(monkeypatch, act):
    """Let somebody else act between what the next writer reads and what it writes."""
    write, left = Workspace.write, [act]

    def late(workspace, *events, **more):
        if left:
            left.pop()()
        return write(workspace, *events, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Workspace, "write", late)
        yield


def test_a_log_that_is_read_again_keeps_a_change_made_between_its_read_and_its_write(here, monkeypatch):
    def meanwhile():
        relabel.relabel_episodes(here, (FIRST,), set_=("operator=anna",))
        relabel.set_episodes_aside(here, (SECOND,), reason="pushed by hand")

    with just_before_the_next_write(monkeypatch, meanwhile):
        read_again.read_logs_again(here, set_=("session=7",))
    first, second = (find_episode(here, name) for name in (FIRST, SECOND))
    assert (first.site, first.operator, first.session) == ("lab", "anna", "7")
    assert (second.set_aside, second.session) == ("pushed by hand", "7")
    here.store.rebuild_tables()
    assert [find_episode(here, name) for name in (FIRST, SECOND)] == [first, second]


def test_a_relabel_keeps_what_another_one_changed_at_the_same_moment(here, monkeypatch):
    def meanwhile():
        relabel.relabel_episodes(here, (FIRST,), set_=("operator=anna",))
        relabel.set_episodes_aside(here, (FIRST,), reason="pushed by hand")

    with just_before_the_next_write(monkeypatch, meanwhile):
        done = relabel.relabel_episodes(here, (FIRST,), set_=("session=7",))
    now = find_episode(here, FIRST)
    assert done.changed == 1
    assert (now.operator, now.session, now.set_aside) == ("anna", "7", "pushed by hand")
    assert [e.event.before.operator for e in here.store.events(EpisodeRelabelled)][1:] == ["anna"], "on what was there"


def test_imported_results_keep_what_another_person_changed_at_the_same_moment(here, monkeypatch, tmp_path):
    (tmp_path / "labels.csv").write_text(f"episode,label,result\n{FIRST},,success\n")

    def meanwhile():
        relabel.relabel_episodes(here, (FIRST,), set_=("operator=anna",))

    with just_before_the_next_write(monkeypatch, meanwhile):
        import_labels.import_labels(here, tmp_path / "labels.csv")
    now = find_episode(here, FIRST)
    assert (now.operator, now.succeeded) == ("anna", True)


def test_the_store_refuses_to_write_over_a_noun_that_changed_appeared_or_went(here):
    read = find_episode(here, FIRST)
    event = EpisodeRelabelled(read, read)
    before = here.store.get_last_seq()
    for stale in (
        Unchanged(Episode, (read.id,), ()),
        Unchanged(Episode, (read.id, "none"), (find_episode(here, SECOND),)),
        Unchanged(Episode, (), (read,)),
    ):
        with pytest.raises(ChangedMeanwhile, match="The episode changed meanwhile"):
            here.write(event, expect=stale)
    assert here.store.get_last_seq() == before
    assert here.write(event, expect=Unchanged(Episode, (read.id, "none"), (read,))) == before + 1
