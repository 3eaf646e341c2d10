"""A locked protocol that somebody changed stops whoever needs it, and nobody else."""

import dataclasses

import pytest
from tests.protocol.test_protocol_commands import keep

from fieldloop.cli import main
from fieldloop.errors import ProtocolError
from fieldloop.loop.data import measurements
from fieldloop.loop.protocol import lint as protocol_lint
from fieldloop.loop.protocol import lock
from fieldloop.loop.protocol import new as protocol_new
from fieldloop.loop.protocol.versions import list_locked_versions


@pytest.fixture
def changed(folder, opened):
    """A workspace of pick, where pack was locked and then changed."""
    protocol_new.write_new_protocol(opened(folder), "pick")
    protocol_new.write_new_protocol(opened(folder), "pack", like="warehouse-picking")
    lock.lock_protocol(opened(folder), task="pack")
    file = folder / "protocols" / "pack.toml"
    file.write_text(file.read_text() + "\n[check.adherence.duration]\nmax = 40.0\n")
    return folder


def test_who_works_on_another_task_goes_on(changed, opened, capsys):
    workspace = opened(changed)
    assert workspace.protocol().name == "pick"
    assert lock.lock_protocol(workspace).locked
    episode = keep(workspace, "a", 10.0)
    assert measurements.judge_episodes(workspace, measurements.read_stored_measurements(workspace, [episode]))
    assert measurements.collect_measuring_rules(workspace).get_protocol(episode).name == "pick"
    assert not measurements.find_outdated_episodes(workspace, [episode]), (
        "another limit elsewhere measures nothing anew"
    )
    assert {v.name: v.in_force for v in list_locked_versions(workspace)} == {"pick": True, "pack": False}
    for command in (["home"], ["protocol"], ["protocol", "show"], ["protocol", "versions"], ["calibrate", "list"]):
        assert main(["--workspace", str(changed), *command]) == 0, capsys.readouterr().err


def test_who_needs_it_is_reported(changed, opened):
    workspace = opened(changed)
    assert "pack" in workspace.protocols
    assert set(workspace.protocols) == {"pack", "pick"}
    with pytest.raises(ProtocolError, match="'pack' version 1 is locked as"):
        workspace.protocol("pack")
    episode = keep(workspace, "a", 10.0)
    of_pack = dataclasses.replace(episode, task="pack")
    with pytest.raises(ProtocolError, match="Raise `version` to 2"):
        measurements.collect_measuring_rules(workspace).get_protocol(of_pack)
    with pytest.raises(ProtocolError, match="Raise `version` to 2"):
        lock.lock_protocol(workspace, task="pack")


def test_a_file_that_cannot_be_read_stops_no_other(changed, opened):
    (changed / "protocols" / "pack.toml").write_bytes(b"\xff")
    (changed / "protocols" / "sort.toml").write_text("[check")
    workspace = opened(changed)
    assert workspace.protocol().name == "pick"
    assert set(workspace.protocols.list_reasons_of_refusal()) == {"pack", "sort"}
    assert set(workspace.protocols.list_readable()) == {"pick"}


def test_lint_says_the_same_by_whichever_path(changed, opened, monkeypatch):
    file = changed / "protocols" / "pack.toml"
    by_name = protocol_lint.lint_protocol_files(opened(changed), (file,)).files
    everything = protocol_lint.lint_protocol_files(opened(changed)).files
    monkeypatch.chdir(changed / "protocols")
    from_here = protocol_lint.lint_protocol_files(opened(changed), (file.relative_to(file.parent),)).files
    assert by_name == from_here == everything[:1]
    assert [r.code for r in by_name[0].errors] == ["P002"]
    assert by_name[0].errors[0].advice["command"] == "fieldloop protocol diff pack@1 pack"
