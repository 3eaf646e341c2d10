"""Taking logs in: nothing is passed over in silence, one bad log does not stop the others, twice changes nothing."""

import json

import pytest

from fieldloop.errors import BadInput
from fieldloop.loop.data import check, ingest
from fieldloop.loop.house import doctor, setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.finding import Status
from fieldloop.release.writers import write_mcap
from fieldloop.testing import synthetic


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    write_mcap([synthetic.make_healthy_recording()], logs / "good.mcap")
    (logs / "empty.mcap").write_bytes(b"")
    (logs / "text.mcap").write_text("not a log at all\n" * 20)
    (logs / "notes.txt").write_text("battery changed at noon")
    return logs


def test_a_file_that_should_be_a_log_and_is_none_is_named(here, folder):
    taken = {log.name: log for log in ingest.ingest_logs(here, (folder,)).logs}
    assert set(taken) == {"good.mcap", "empty.mcap", "text.mcap"}, "notes are no logs and nobody says they are"
    assert taken["empty.mcap"].status is taken["text.mcap"].status is Status.ERRORED
    assert "empty" in taken["empty.mcap"].message
    assert here.store.count(Log) == 1


def test_ingest_says_by_its_exit_whether_all_is_fit(here, folder):
    assert not ingest.ingest_logs(here, (folder,)).exit_ok


def test_a_path_that_is_not_there_is_an_error_row_and_no_path_is_refused(here, tmp_path):
    (row,) = ingest.ingest_logs(here, (tmp_path / "nowhere",)).logs
    assert row.status is Status.ERRORED
    assert "no such file" in row.message
    with pytest.raises(BadInput, match="at least one"):
        ingest.ingest_logs(here, ())


def test_a_log_that_grows_while_it_is_read_is_not_kept(here, folder, monkeypatch):
    growing = folder / "good.mcap"
    measure_part = ingest.measure_part

    def and_grow(part, rules):
        result = measure_part(part, rules)
        growing.write_bytes(growing.read_bytes() + b"more")
        return result

    monkeypatch.setattr(ingest, "measure_part", and_grow)
    (row,) = ingest.ingest_logs(here, (growing,)).logs
    assert row.status is Status.ERRORED
    assert "changed while it was read" in row.message
    assert here.store.count(Episode) == 0


def test_the_same_bytes_under_another_name_are_known(here, folder):
    ingest.ingest_logs(here, (folder / "good.mcap",))
    (folder / "copy.mcap").write_bytes((folder / "good.mcap").read_bytes())
    (row,) = ingest.ingest_logs(here, (folder / "copy.mcap",)).logs
    assert row.already_here
    assert here.store.count(Episode) == 1


def test_a_sweep_removes_what_no_event_speaks_of_and_nothing_else(here, folder, tmp_path):
    ingest.ingest_logs(here, (folder / "good.mcap",))
    orphan = here.shelf.put_bytes(b"shelved, then the process was killed")
    assert doctor.remove_leftovers(here).blobs == (), "young bytes may still be spoken of"
    (tmp_path / "site" / "operations.toml").write_text("[store.sweep_min_age_h]\nvalue = 0.0\n")
    again = open_workspace(tmp_path / "site")
    assert doctor.remove_leftovers(again).blobs == (orphan.sha256,)
    assert doctor.examine_installation(again).exit_ok
    again.close()


def test_the_json_that_others_rely_on(folder):
    report = json.loads(json.dumps(check.check(None, (folder,)).json_object()))
    assert list(report)[:4] == ["schema", "protocol", "episodes", "dataset"]
    assert report["schema"] == "check/1"
    (episode,) = report["episodes"]
    assert list(episode) == ["id", "name", "status", "findings", "log", "look"]
    assert episode["log"] == "good.mcap"
    for finding in (*episode["findings"], *report["dataset"]["findings"]):
        assert list(finding)[:7] == ["check", "subject", "status", "measured", "limit", "unit", "message"]
        assert finding["status"] != "passed"
    assert {f["subject"] for f in report["dataset"]["findings"] if f["check"] == "corpus.defects"} >= {"empty.mcap"}


def test_facts_that_contradict_the_log_are_refused_before_it_is_measured(here, folder, monkeypatch):
    measured = []
    measure_part = ingest.measure_part

    def note_and_measure(part, rules):
        measured.append(part.path.name)
        return measure_part(part, rules)

    monkeypatch.setattr(ingest, "run_each", lambda work, items, **_: map(work, items))
    monkeypatch.setattr(ingest, "measure_part", note_and_measure)
    (refused,) = ingest.ingest_logs(here, (folder / "good.mcap",), set_=("task=another",)).logs
    assert (refused.status, measured, here.store.count(Episode)) == (Status.ERRORED, [], 0)
    (taken,) = ingest.ingest_logs(here, (folder / "good.mcap",), set_=("task=another",), overrule=True).logs
    assert (taken.status is Status.ERRORED, measured, here.store.count(Episode)) == (False, ["good.mcap"], 1)
