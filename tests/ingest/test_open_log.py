"""What may lie at a path, and what is said when it is no log."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log, readers
from fieldloop.ingest.reader_limits import weigh_defect
from fieldloop.model.episode import Defect, Episode, Harm, Recording
from fieldloop.model.note import note
from fieldloop.testing.facts import write_note_facts


def test_no_such_path(tmp_path):
    with pytest.raises(UnreadableLog, match="no such file or folder"):
        open_log(tmp_path / "nothing")


def test_an_empty_file(tmp_path):
    (tmp_path / "a.mcap").touch()
    with pytest.raises(UnreadableLog, match=r"a\.mcap is empty \(0 bytes\).*lerobot, mcap"):
        open_log(tmp_path / "a.mcap")


def test_a_folder_that_is_no_log_says_what_was_looked_for(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UnreadableLog, match=r"holds notes\.txt.*meta/info\.json"):
        open_log(tmp_path)


def test_an_empty_folder(tmp_path):
    with pytest.raises(UnreadableLog, match="it is empty"):
        open_log(tmp_path)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"#ROSBAG V1.2\n", "a ROS 1 bag of another version"),
        (b"SQLite format 3\x00", "an SQLite file"),
        (b"PAR1\x15\x04", "a Parquet file; give the dataset's folder"),
        (b"\x00\x00\x00\x1cftypisom", "a video; give the dataset's folder"),
        (b"garbage!", "not a known log format .8 bytes, starting with 67 61 72 62"),
    ],
)
def test_other_bytes_are_named(tmp_path, head, said):
    (tmp_path / "log").write_bytes(head)
    with pytest.raises(UnreadableLog, match=said):
        open_log(tmp_path / "log")


def test_a_folder_names_the_stranger_in_it(tmp_path):
    (tmp_path / "old.bag").write_bytes(b"#ROSBAG V1.2\n")
    with pytest.raises(UnreadableLog, match="At least one file in it is a ROS 1 bag of another version"):
        open_log(tmp_path)


def test_the_suffix_does_not_decide(mcap_log, tmp_path):
    renamed = tmp_path / "pick.log"
    renamed.write_bytes(mcap_log.read_bytes())
    assert open_log(renamed).format == "mcap"


def test_many_logs_in_nested_folders_are_all_read_and_a_bad_one_is_a_defect(mcap_log, tmp_path):
    for name in ("b/two.mcap", "a/one.mcap"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(mcap_log.read_bytes())
    (tmp_path / "b/empty.mcap").touch()
    (tmp_path / "README.md").write_text("not a log, and none that should be one")
    log = open_log(tmp_path)
    assert [len(recording.streams) for recording in log.recordings] == [11, 11]
    (defect,) = log.defects
    assert (defect.subject, defect.message["reason"]) == ("b/empty.mcap", "empty.mcap is empty (0 bytes).")
    assert [file.name for file in log.files] == ["one.mcap", "two.mcap"]


@pytest.mark.usefixtures("v3")
def test_a_folder_of_logs_and_datasets_reads_both(mcap_log, tmp_path):
    (tmp_path / "a-pick.mcap").write_bytes(mcap_log.read_bytes())
    log = open_log(tmp_path)
    assert log.format == "lerobot + mcap"
    assert log.expected_recordings == 4
    assert [recording.episode.format for recording in log.recordings] == ["mcap", *(3 * ["lerobot v3.0"])]


def test_recordings_can_be_walked_through_again(mcap_log):
    log = open_log(mcap_log)
    assert [r.episode.id for r in log.recordings] == [r.episode.id for r in log.recordings]


class PlainReader:
    """A stranger's format: a file that begins with PLAIN."""

    name = "plain"

    def recognises(self, path):
        return path.is_file() and path.read_bytes()[:5] == b"PLAIN"

    def read(self, path):
        yield Recording(Episode("id", path.stem, self.name), {})
        raise RuntimeError("the rest is a riddle")


def plugged(monkeypatch, *points):
    monkeypatch.setattr(readers, "list_plug_ins", lambda: points)


def test_a_plugged_in_reader_reads_and_its_fault_is_named(monkeypatch, tmp_path):
    point = EntryPoint("plain", "ignored", readers.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda _self: PlainReader)
    plugged(monkeypatch, point)
    (tmp_path / "log.x").write_bytes(b"PLAIN")
    log = open_log(tmp_path / "log.x")
    assert [r.episode.name for r in log.recordings] == ["log"]
    assert [write_note_facts(d.message) for d in log.defects] == [
        "ingest.reader_failed reader=plain reason=RuntimeError: the rest is a riddle"
    ]


def test_a_broken_plug_in_is_reported_by_name_and_the_others_still_read(monkeypatch, mcap_log):
    plugged(
        monkeypatch,
        EntryPoint("wonky", "no_such_module_anywhere:Reader", readers.GROUP),
        EntryPoint("hollow", "json:JSONDecoder", readers.GROUP),
    )
    log = open_log(mcap_log)
    assert len(list(log.recordings)) == 1
    said = {d.subject: write_note_facts(d.message) for d in log.defects}
    assert "no_such_module_anywhere" in said["reader plug-in wonky"]
    assert "no name, recognises, read" in said["reader plug-in hollow"]


def test_a_reader_that_breaks_while_recognising_is_named(monkeypatch, mcap_log):
    class Rude(PlainReader):
        name = "rude"

        def recognises(self, path):
            raise ValueError(path.name)

    monkeypatch.setattr(readers, "READERS", (Rude(), *readers.READERS))
    log = open_log(mcap_log)
    assert len(list(log.recordings)) == 1
    assert log.defects[0].subject == "reader rude"


def test_what_a_reader_could_not_do_is_not_held_against_the_data():
    undecoded = note("ingest.messages_undecodable", failed=3, messages=3, type="a/b", reason="no field")
    some = replace(undecoded, numbers=(("failed", 1), *undecoded.numbers[1:]))
    harms = [
        weigh_defect(Defect("log", "", message)).harm
        for message in (
            undecoded,
            some,
            note("ingest.reader_failed", reader="x", reason="KeyError"),
            note("ingest.start_differs", stated_ns=1, found_ns=2),
            note("ingest.file_cut_off", present_bytes=1, stated_bytes=2),
        )
    ]
    assert harms == [Harm.UNCLEAR, Harm.LOST, Harm.UNCLEAR, Harm.HARMLESS, Harm.LOST]
    stated = Defect("log", "", note("ingest.reader_failed", reader="x", reason="KeyError"), Harm.MISLEADS)
    assert weigh_defect(stated) == stated
