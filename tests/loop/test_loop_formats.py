"""Logs in and out: looked at without a workspace, read by the house's conventions, watched for, exported by rule."""

import json
import shutil
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fieldloop.errors import BadInput, StoreFull, UnreadableLog, WorkspaceError
from fieldloop.ingest import open_log
from fieldloop.loop.data import check, ingest, mapping, streams, watch
from fieldloop.loop.house import setup
from fieldloop.loop.ship import convert, export, release
from fieldloop.loop.work import reopen
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Defect, Episode, Log, Recording
from fieldloop.model.event import LogIngested, ReleaseExported, ReleaseFrozen
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.model.release import Release
from fieldloop.release import compute_labels_id
from fieldloop.release.writers import write_lerobot, write_mcap
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

DEGREES = 'schema = "mapping/1"\n[streams.joints]\nname = "arm"\nunit = "deg"\n[episode]\nsite = "hall 2"\n'


def short(seed=0):
    return keep_span(make_healthy_case(seed=seed), lambda at_s: at_s < 2.0).recording


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    yield opened
    opened.close()


@pytest.fixture
def log(tmp_path):
    (tmp_path / "logs").mkdir()
    return write_mcap([short()], tmp_path / "logs" / "pick.mcap").path


def in_degrees(path):
    made = short()
    joints = made.streams["joints"]
    told = replace_streams(made, {"joints": replace(joints, values=np.degrees(joints.values))})
    return write_mcap([told], path).path


# ── what is inside, without a workspace


def test_a_dry_run_lists_everything_and_stores_nothing(here, log):
    looked = ingest.ingest_logs(None, (log,), dry_run=True)
    plain = json.loads(json.dumps(looked.json_object()))
    assert plain["schema"] == "ingest/1"
    (episode,) = plain["episodes"]
    assert list(episode) == ["id", "name", "format", "streams", "findings", "start_ns", "end_ns"]
    by_name = {row["name"]: row for row in episode["streams"]}
    joints = short().streams["joints"]
    assert by_name["joints"] == {
        "name": "joints", "kind": "joint_position", "count": len(joints), "start_ns": int(joints.times_ns[0]),
        "end_ns": int(joints.times_ns[-1]), "nominal_hz": pytest.approx(120, rel=1e-3),
        "clock": "header", "notes": by_name["joints"]["notes"],
    }  # fmt: skip
    assert looked.exit_ok
    assert here.store.count(Log) == 0
    assert ingest.ingest_logs(here, (log,), dry_run=True).episodes == looked.episodes


def test_a_dry_run_places_findings_with_the_episode_or_names_the_file(log, tmp_path):
    folder = log.parent
    (folder / "cut.mcap").write_bytes(log.read_bytes()[:-5000])
    (folder / "empty.mcap").write_bytes(b"")
    looked = ingest.ingest_logs(None, (folder,), dry_run=True)
    found = {episode.name: episode.findings for episode in looked.episodes}
    assert len(found) == 1, "both logs state the same episode name"
    assert any("byte" in finding.place for episode in looked.episodes for finding in episode.findings)
    assert [finding.subject for finding in looked.findings] == ["empty.mcap"]
    assert not looked.exit_ok
    with pytest.raises(UnreadableLog, match="no such file"):
        ingest.ingest_logs(None, (tmp_path / "nowhere",), dry_run=True)


def test_findings_of_a_whole_dataset_are_its_own_not_its_first_episodes(tmp_path):
    folder = write_lerobot([short(0), short(1)], tmp_path / "picks").path
    info = folder / "meta/info.json"
    info.write_text(info.read_text().replace('"total_frames": 120', '"total_frames": 121'))
    looked = ingest.ingest_logs(None, (folder,), dry_run=True)
    assert [finding.place for finding in looked.findings] == ["total_frames"]
    assert not any(episode.findings for episode in looked.episodes)
    assert not looked.exit_ok
    shutil.copytree(folder, tmp_path / "more")
    both = ingest.ingest_logs(None, (folder, tmp_path / "more"), dry_run=True)
    subjects = [finding.subject for finding in both.findings]
    assert [name.split("/")[0] for name in subjects] == ["picks", "more"]


def test_without_a_workspace_nothing_is_taken_in(log):
    with pytest.raises(WorkspaceError, match="--dry-run"):
        ingest.ingest_logs(None, (log,))


# ── house conventions


def test_a_mapping_holds_for_ever_for_the_logs_taken_in_under_it(here, tmp_path):
    log = in_degrees(tmp_path / "degrees.mcap")
    file = tmp_path / "house.toml"
    file.write_text(DEGREES)
    (taken,) = ingest.ingest_logs(here, (log,), mapping=file).logs
    file.write_text('schema = "mapping/1"\n')
    (episode,) = here.store.find(Episode)
    assert (episode.site, taken.episodes) == ("hall 2", (episode.id,))
    again = reopen.reopen_episode(here, episode)
    np.testing.assert_allclose(again.streams["arm"].values, short().streams["joints"].values, atol=1e-9)
    assert here.store.find(Log)[0].mapping in here.store.list_blobs(), "a sweep keeps it"


def test_the_workspaces_own_mapping_holds_unless_another_is_named(here, tmp_path):
    log = in_degrees(tmp_path / "degrees.mcap")
    (here.root / "mapping.toml").write_text(DEGREES)
    names = {s.name for s in ingest.ingest_logs(here, (log,), dry_run=True).episodes[0].streams}
    assert "arm" in names
    other = tmp_path / "other.toml"
    other.write_text('schema = "mapping/1"\n')
    names = {s.name for s in ingest.ingest_logs(here, (log,), dry_run=True, mapping=other).episodes[0].streams}
    assert "joints" in names
    assert check.check(here, (log,)).episodes[0].status in Status


def test_a_proposal_is_never_written_over_what_someone_edited(log, tmp_path):
    text = mapping.propose_mapping_file((log,))
    assert '[streams."joints"]' in text
    out = tmp_path / "mapping.toml"
    assert str(out) in mapping.propose_mapping_file((log,), out=out)
    assert out.read_text() == text
    with pytest.raises(BadInput, match="edited"):
        mapping.propose_mapping_file((log,), out=out)
    with pytest.raises(BadInput, match="does not exist"):
        ingest.ingest_logs(None, (log,), dry_run=True, mapping=tmp_path / "absent.toml")


def test_an_entry_that_speaks_of_nothing_is_named(log, tmp_path):
    file = tmp_path / "house.toml"
    file.write_text(
        'schema = "mapping/1"\n[streams.jonts]\nunit = "deg"\n[streams."camera/*"]\nkind = "rgb"\n'
        '[episode]\noperator = { fact = "who" }\n'
    )
    looked = ingest.ingest_logs(None, (log,), dry_run=True, mapping=file)
    assert [f.place for f in looked.findings] == ['[streams."jonts"]', 'operator = { fact = "who" }']


# ── taking in


def test_two_at_once_write_one_event(here, log):
    other = open_workspace(here.root)
    start = threading.Barrier(2)
    results = []

    def take(workspace):
        start.wait()
        results.extend(ingest.ingest_paths(workspace, [log]).logs)

    threads = [threading.Thread(target=take, args=(workspace,)) for workspace in (here, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert sum(not row.already_here for row in results) == 1
    assert len(list(here.store.events(LogIngested))) == 1


@pytest.fixture
def inbox(here, tmp_path):
    (tmp_path / "inbox").mkdir()
    said = []
    yield watch.Inbox(here, tmp_path / "inbox", tell=said.append), said
    assert said


def test_a_watched_folder_takes_a_log_once_no_one_writes_to_it(inbox, here, log):
    box, said = inbox
    (box.folder / "pick.mcap.part").write_bytes(log.read_bytes()[:20_000])
    (box.folder / ".pick.mcap.a1b2c3").write_bytes(log.read_bytes()[:20_000])
    growing = box.folder / "pick.mcap"
    for share in (0.3, 0.6, 1.0):
        growing.write_bytes(log.read_bytes()[: int(log.stat().st_size * share)])
        box.poll_folder()
        assert here.store.count(Log) == 0, "it changed since the last look, or was never looked at before"
    box.poll_folder()
    box.poll_folder()
    assert (box.taken_in, box.refused, here.store.count(Log)) == (1, 0, 1)
    assert "pick.mcap" in said[0]
    assert watch.Inbox(here, box.folder).before == {}


def test_trouble_with_the_store_ends_no_watch(inbox, here, log, monkeypatch):
    box, said = inbox
    (box.folder / "pick.mcap").write_bytes(log.read_bytes())
    with monkeypatch.context() as full:
        full.setattr(watch, "ingest_paths", lambda *_: (_ for _ in ()).throw(StoreFull("The disk is full.")))
        box.poll_folder()
        box.poll_folder()
    assert here.store.count(Log) == 0
    assert "full" in said[0]
    box.poll_folder()
    assert here.store.count(Log) == 1


def test_watching_ends_by_itself_when_asked_to(here, log, tmp_path):
    (tmp_path / "inbox").mkdir()
    assert watch.watch_folder(here, tmp_path / "inbox", seconds=0.0).taken_in == 0
    with pytest.raises(BadInput, match="not a folder"):
        watch.watch_folder(here, log)


def test_what_belongs_to_a_log_comes_with_it(here, tmp_path):
    """A database that was not closed keeps its last messages in a journal beside it."""
    bag = tmp_path / "take.db3"
    left_open_bag(bag)
    (taken,) = ingest.ingest_logs(here, (bag,)).logs
    assert here.store.find(Log)[0].blob.is_folder
    (episode,) = here.store.find(Episode)
    assert episode.name == "take"
    assert len(reopen.reopen_episode(here, episode).streams["chatter"]) == 3
    assert taken.episodes == (episode.id,)


def left_open_bag(path):
    """Write a bag whose messages are all in its write-ahead log, as a recorder that was killed leaves it."""
    database = sqlite3.connect(path.with_suffix(".open"))
    database.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT,"
        " offered_qos_profiles TEXT);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);"
    )
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute("INSERT INTO topics VALUES (1, '/chatter', 'std_msgs/msg/String', 'cdr', '')")
    text = b"\x00\x01\x00\x00\x03\x00\x00\x00hi\x00"
    database.executemany("INSERT INTO messages VALUES (?, 1, ?, ?)", [(i, 10**18 + i * 10**9, text) for i in range(3)])
    database.commit()
    for end in ("", "-wal"):
        shutil.copy(f"{path.with_suffix('.open')}{end}", f"{path}{end}")
    database.close()


def test_an_episode_is_called_what_it_was_called_when_it_came_in(here, tmp_path):
    bare = tmp_path / "kitchen take 7.mcap"
    made = short()
    write_mcap([replace(made, episode=replace(made.episode, name=""))], bare)
    ingest.ingest_logs(here, (bare,))
    (episode,) = here.store.find(Episode)
    assert episode.name == "kitchen take 7"
    assert reopen.reopen_episode(here, episode).episode == episode


def test_a_known_log_under_another_mapping_is_reported_as_read_by_the_first(here, log, tmp_path):
    ingest.ingest_logs(here, (log,))
    file = tmp_path / "house.toml"
    file.write_text(DEGREES)
    (row,) = ingest.ingest_logs(here, (log,), mapping=file).logs
    assert row.already_here
    assert "another mapping" in row.message


# ── out again


def test_converting_says_by_which_clock_and_rule(log, tmp_path):
    done = convert.convert_log(log, tmp_path / "set", to="lerobot")
    rules = dict(done.rules)
    assert (done.clock, done.episodes, done.frames) == ("camera/overhead", 1, 60)
    assert (rules["joints"], rules["action"], rules["tool"]) == ("linear", "hold", "slerp")
    assert rules["camera/overhead"] == "as recorded"
    slower = convert.convert_log(log, tmp_path / "slow", to="lerobot", hz=10)
    assert slower.frames == 20
    with pytest.raises(BadInput, match="not a stream of every episode"):
        convert.convert_log(log, tmp_path / "wrong", to="lerobot", clock="kamera")


@pytest.mark.parametrize("to", ["lerobot", "hdf5", "rlds", "mcap"])
def test_what_was_wrong_with_the_log_is_reported_of_every_target(log, tmp_path, to):
    (tmp_path / "cut.mcap").write_bytes(log.read_bytes()[: int(log.stat().st_size * 0.7)])
    done = convert.convert_log(tmp_path / "cut.mcap", tmp_path / "out", to=to)
    assert any("cut_off" in write_note_facts(loss) for loss in done.left_out)


def test_a_defect_of_another_episode_with_a_longer_name_is_not_taken_for_ones_own():
    wrong = [Defect(subject, "", note("ingest.file_empty")) for subject in ("ep1", "ep1/obs", "ep10", "camera")]
    recording = Recording(Episode("id", "ep1", "hdf5"), {}, tuple(wrong))
    recordings = convert.WithLosses(lambda: [recording])
    list(recordings)
    assert [loss.subject for loss in recordings.losses] == ["ep1", "ep1/obs", "ep1: ep10", "ep1: camera"]


def test_a_target_inside_its_source_is_refused(log):
    with pytest.raises(BadInput, match="lies inside"):
        convert.convert_log(log.parent, log.parent / "set")


def test_a_release_whose_episode_is_gone_is_not_half_exported(here, log, tmp_path, monkeypatch):
    ingest.ingest_logs(here, (log,))
    (episode,) = here.store.find(Episode)
    here.write(ReleaseFrozen(Release("ab" * 32, "r1", (episode.id,), (episode.id,), (), "", "", (), "")))
    empty = write_mcap([short(5)], tmp_path / "other.mcap").path
    monkeypatch.setattr(type(here.shelf), "fetch_local_copy", lambda *_: empty)
    with pytest.raises(UnreadableLog, match="1 of 1 episodes"):
        export.export_release(here, "r1", tmp_path / "out", to="mcap")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["lerobot", "hdf5", "rlds", "mcap"])
def test_a_release_is_written_in_every_format_and_the_ledger_says_how(here, log, tmp_path, to):
    ingest.ingest_logs(here, (log,))
    (episode,) = here.store.find(Episode)
    frozen = Release("ab" * 32, "r1", (episode.id,), (episode.id,), (), "", "", (), compute_labels_id(()))
    here.write(ReleaseFrozen(frozen))
    done = export.export_release(here, "r1", tmp_path / "out", to=to)
    (written,) = here.store.events(ReleaseExported)
    assert (written.event.release, written.event.format, written.event.rules) == (frozen.id, done.format, done.rules)
    (again,) = open_log(Path(done.path)).recordings
    assert again.episode.operator == episode.operator
    assert np.array_equal(again.streams["camera/overhead"].times_ns, short().streams["camera/overhead"].times_ns)
    assert done.format in release.write_release_datasheet(here, "r1")


def test_every_stream_shows_every_clock(here, log):
    ingest.ingest_logs(here, (log,))
    (episode,) = here.store.find(Episode)
    shown = {s.name: s for s in streams.list_streams(here, episode.id[:8])}
    assert shown["joints"].clocks == ("header", "publish", "log")
    assert shown["camera/wrist"].holds == "pictures 64 × 48"
    assert [row.name for row in ingest.list_ingested_logs(here)] == ["pick.mcap"]
