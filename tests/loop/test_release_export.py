"""What an export keeps comes back from each format; a flipped bit on the shelf or in the files is named."""

import json
import shutil
import sqlite3

import pytest
from tests.loop.test_loop_release import annotated, taken_in  # noqa: F401 - fixtures

from fieldloop.cli import main
from fieldloop.errors import BadInput, Refused
from fieldloop.ingest import open_log
from fieldloop.loop.ship.export import WEIGHT, export_release
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_verify import verify_release
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Episode
from fieldloop.model.person import Actor, Role

KEPT = (
    "name",
    "task",
    "robot",
    "site",
    "operator",
    "session",
    "protocol",
    "stratum",
    "simulated",
    "succeeded",
    "failure",
)
FORMATS = ("lerobot", "hdf5", "rlds", "mcap")
BIT = 0x10


@pytest.fixture(scope="module")
def shipped(taken_in, tmp_path_factory):  # noqa: F811
    """Export once for all tests; each works on a copy of the files."""
    folder = tmp_path_factory.mktemp("shipped")
    shutil.copytree(taken_in, folder / "site")
    opened = open_workspace(folder / "site")
    made = freeze_release(opened, "r1", override="no device is declared")
    opened.close()
    shutil.copytree(folder / "site", folder / "frozen")
    opened = open_workspace(folder / "site")
    export_release(opened, "r1", folder / "out")
    yield opened, made, folder / "out"
    opened.close()


@pytest.fixture
def own(shipped, tmp_path):
    """Open a copy of the workspace in which the release was frozen, to be damaged."""
    shutil.copytree(shipped[2].parent / "frozen", tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    yield opened
    opened.close()


@pytest.fixture
def files(shipped, tmp_path):
    shutil.copytree(shipped[2], tmp_path / "out")
    return tmp_path / "out"


def flip(file, at):
    content = bytearray(file.read_bytes())
    content[at] ^= BIT
    file.chmod(0o644)
    file.write_bytes(bytes(content))


@pytest.mark.parametrize("to", FORMATS)
def test_an_export_loads_back_with_everything_that_is_kept(shipped, tmp_path, to):
    opened, frozen, written = shipped
    if to != "lerobot":
        written = tmp_path / export_release(opened, "r1", tmp_path / "out", to=to).path.rpartition("/")[2]
    back = {recording.episode.name: recording for recording in open_log(written).recordings}
    episodes = {e.name: e for e in opened.store.find(Episode, {"id": list(frozen.episodes)})}
    assert back.keys() == episodes.keys()
    weights = frozen.get_weights(episodes.values())
    for name, episode in episodes.items():
        found = back[name].episode
        assert {f: getattr(found, f) for f in KEPT} == {f: getattr(episode, f) for f in KEPT}
        side = "validation" if episode.id in frozen.validation else "train"
        assert (found.get_fact("split"), float(found.get_fact(WEIGHT))) == (side, weights[episode.id])
        assert dict(episode.facts).items() <= dict(found.facts).items()
    assert verify_release(opened, str(written)).exit_ok
    assert verify_release(None, str(written)).exit_ok


def test_the_list_of_files_holds_labels_and_lineage(shipped, files):
    frozen = shipped[1]
    listed = json.loads((files / "meta/fieldloop-release.json").read_text())
    assert listed["release"]["id"] == frozen.id
    assert {e["id"]: e["split"] for e in listed["episodes"]}.keys() == set(frozen.episodes)
    assert {len(e["labels"]) for e in listed["episodes"]} == {8}
    assert {e["labels"][0]["author"] for e in listed["episodes"]} == {"anna"}


def test_a_flipped_bit_in_an_export_is_named(shipped, files, capsys):
    video = next(files.rglob("*.mp4"))
    flip(video, video.stat().st_size // 2)
    (files / "meta/extra.json").write_text("{}")
    (files / "meta/stats.json").unlink()
    found = verify_release(shipped[0], str(files))
    named = {fact["file"]: fact.code for fact in found.changed}
    assert named == {
        video.relative_to(files).as_posix(): "release.file_changed",
        "meta/extra.json": "release.file_added",
        "meta/stats.json": "release.file_missing",
    }
    assert main(["release", "verify", str(files)]) == 1
    assert "meta/stats.json: missing" in capsys.readouterr().out


def test_a_list_that_was_rewritten_is_not_the_one_on_record(shipped, files):
    file = files / "meta/fieldloop-release.json"
    file.write_text(file.read_text().replace('"weight": 1.0', '"weight": 9.0', 1))
    assert verify_release(None, str(files)).exit_ok, "without the ledger nothing can tell"
    assert [fact.code for fact in verify_release(shipped[0], str(files)).changed] == ["release.manifest_changed"]


def test_a_flipped_bit_on_the_shelf_is_named_with_its_log(own, shipped):
    whole = verify_release(own, "r1")
    assert (whole.exit_ok, whole.files, whole.release) == (True, 2, shipped[1].id)
    blobs = sorted((own.root / ".fieldloop" / "shelf").rglob("*"), key=lambda f: -f.stat().st_size)
    flip(blobs[0], blobs[0].stat().st_size // 2)
    (changed,) = verify_release(own, "r1").changed
    assert changed.code == "release.log_changed"
    assert changed["log"].endswith(".mcap")
    assert changed["episodes"] == 1
    blobs[0].unlink()
    assert [fact.code for fact in verify_release(own, "r1").changed] == ["release.log_changed"]


def test_an_altered_ledger_is_noticed(own, shipped):
    """A person edits the stored labels and verdicts without fieldloop."""
    ledger = own.root / ".fieldloop" / "ledger.db"
    with sqlite3.connect(ledger) as database:
        database.execute("UPDATE ledger SET body = replace(body, 'anna', 'eve0') WHERE kind = 'EpisodeAnnotated'")
        database.execute("UPDATE ledger SET body = replace(body, 'passed', 'failed') WHERE kind = 'EpisodeJudged'")
        database.execute("UPDATE releases SET body = replace(body, ?, ?)", (shipped[1].episodes[0], "0" * 64))
    codes = {fact.code for fact in verify_release(own, "r1").changed}
    assert {"release.labels_changed", "release.id_changed", "release.verdicts_changed"} <= codes


def test_labels_added_later_leave_a_release_as_it_was(own):
    own.write(*(annotated(e) for e in own.store.find(Episode)))
    assert verify_release(own, "r1").exit_ok


def test_what_is_no_export_is_refused(shipped, tmp_path):
    (tmp_path / "plain").mkdir()
    with pytest.raises(BadInput, match="no list of its files"):
        verify_release(None, str(tmp_path / "plain"))
    with pytest.raises(BadInput, match="no such file"):
        verify_release(None, "r7")
    with pytest.raises(Refused, match="only an admin"):
        verify_release(shipped[0].acting_as(Actor("eve", Role.ENGINEER)), str(tmp_path / "plain"))
