"""Each log is recognised once, and parts stay small however much a workspace knows."""

import pickle
from collections import Counter

import pytest

from fieldloop.errors import StoreError
from fieldloop.ingest import open_log
from fieldloop.ingest.readers import McapReader
from fieldloop.loop.data import check, check_again, dry_run, ingest
from fieldloop.loop.house import setup
from fieldloop.loop.work.parts import cut_into_parts
from fieldloop.loop.work.run_on import run_each
from fieldloop.loop.workspace import open_workspace, track_silently
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.release.writers import write_mcap
from fieldloop.testing import synthetic

LOGS = 3


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for seed in range(LOGS):
        made = synthetic.replace_streams(
            synthetic.make_healthy_recording(seed=seed), dict.fromkeys(("camera/wrist", "depth/overhead"))
        )
        write_mcap([made], folder / f"{seed}.mcap")
    return folder


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    for module in (check, ingest, check_again, dry_run):
        monkeypatch.setattr(module, "run_each", lambda work, items, **_: map(work, items))


@pytest.fixture
def recognised(monkeypatch):
    counted = Counter()
    recognises = McapReader.recognises

    def counting(reader, path):
        answer = recognises(reader, path)
        counted[path.name] += answer
        return answer

    monkeypatch.setattr(McapReader, "recognises", counting)
    return counted


def workspace_in(folder):
    setup.init(folder, name="lab")
    return open_workspace(folder)


def once(counted):
    return {name: times for name, times in counted.items() if times} == {f"{seed}.mcap": 1 for seed in range(LOGS)}


@pytest.mark.parametrize("keep", [False, True])
def test_check_recognises_each_log_once(logs, recognised, tmp_path, keep):
    check.check(None, (logs,), numbers_only=True, keep=tmp_path / "kept" if keep else None)
    assert once(recognised)


def test_a_listing_recognises_each_log_once(logs, recognised):
    dry_run.list_contents((logs,), None, track_silently)
    assert once(recognised)


def test_ingest_recognises_each_log_once_and_many_logs_are_found_at_once(logs, recognised, tmp_path):
    workspace = workspace_in(tmp_path)
    first = ingest.ingest_paths(workspace, (logs,))
    assert once(recognised)
    episodes = [episode.id for episode in workspace.store.find(Episode)]
    assert len(episodes) == LOGS
    assert workspace.store.get_logs(episodes) == {episode: workspace.store.get_log(episode) for episode in episodes}
    assert workspace.store.get_logs([]) == {}
    with pytest.raises(StoreError, match="no log"):
        workspace.store.get_logs([*episodes, "unknown"])
    again = ingest.ingest_paths(workspace, (logs,))
    assert [log.status for log in again.logs] == [log.status for log in first.logs]
    assert all(log.already_here for log in again.logs)


def test_a_log_opened_by_its_reader_is_the_same(logs):
    path = logs / "0.mcap"
    by_content, by_name = open_log(path), open_log(path, reader="mcap")
    assert (by_name.format, by_name.files, by_name.expected_recordings) == ("mcap", by_content.files, 1)
    assert [r.episode for r in by_name.recordings] == [r.episode for r in by_content.recordings]
    assert by_name.defects == by_content.defects


def test_a_reader_that_is_not_installed_is_replaced_by_recognition(logs):
    assert open_log(logs / "0.mcap", reader="of another machine").format == "mcap"


def test_a_part_carries_no_rules(logs, tmp_path):
    workspace = workspace_in(tmp_path)
    ingest.ingest_paths(workspace, (logs,))
    (known, *_) = workspace.store.find(Episode)
    spans = tuple(Annotation(known.id, "phase", "x" * 1000, n, n + 1, "ana") for n in range(50))
    workspace.write(EpisodeAnnotated(known.id, "phase", "ana", spans))
    parts = cut_into_parts((logs,), None).parts
    assert {part.reader for part in parts} == {"mcap"}
    assert max(len(pickle.dumps(part)) for part in parts) < 1000
    assert check.check(workspace, (logs,), numbers_only=True).episodes


class Counted:
    """An argument that every item shares: it counts how often it is sent."""

    def __init__(self):
        self.sent = 0

    def __reduce__(self):
        self.sent += 1
        return Counted, ()

    def __call__(self, item):
        return -item


def test_what_all_items_share_is_sent_once_to_each_worker():
    shared = Counted()
    assert list(run_each(shared, range(20), workers=2)) == [-n for n in range(20)]
    assert shared.sent <= 2
