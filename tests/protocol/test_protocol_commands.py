"""The protocol in a workspace: started, looked over, shown, locked, kept, compared."""

from pathlib import Path

import pytest

from fieldloop.cli import main
from fieldloop.errors import BadInput, ProtocolError, Refused, UnknownName
from fieldloop.loop.audit import audit
from fieldloop.loop.data import measurements
from fieldloop.loop.house import setup
from fieldloop.loop.protocol import diff as protocol_diff
from fieldloop.loop.protocol import lint as protocol_lint
from fieldloop.loop.protocol import lock
from fieldloop.loop.protocol import new as protocol_new
from fieldloop.loop.protocol import sheet as protocol_sheet
from fieldloop.loop.protocol.versions import list_locked_versions, read_locked_text, read_locked_version
from fieldloop.loop.work.measure_part import EpisodeResult
from fieldloop.model.deployment import Audit
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import DeploymentAudited, LogIngested, ProtocolLocked
from fieldloop.model.finding import EpisodeReport, Measured, Measurement, Status
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import NO_SUBJECT
from fieldloop.simulate.arm.mix import get_deployment_toml


def file_of(folder):
    return folder / "protocols" / "pick.toml"


@pytest.mark.parametrize("like", ["starter", "warehouse-picking", "delicate-insertion"])
def test_a_new_protocol_is_in_force_and_has_no_error(folder, opened, like):
    made = protocol_new.write_new_protocol(opened(folder), "pick", like=like)
    assert made.file == "protocols/pick.toml"
    workspace = opened(folder)
    assert (workspace.protocol().name, workspace.protocol().version) == ("pick", 1)
    assert protocol_lint.lint_protocol_files(workspace).exit_ok
    with pytest.raises(BadInput, match="already exists"):
        protocol_new.write_new_protocol(workspace, "pick")


def test_a_new_protocol_stays_in_its_folder(folder, opened):
    with pytest.raises(BadInput, match="not a valid task name"):
        protocol_new.write_new_protocol(opened(folder), "../evil")
    with pytest.raises(UnknownName, match="Did you mean 'warehouse-picking'"):
        protocol_new.write_new_protocol(opened(folder), "pack", like="warehouse-piking")


def test_a_protocol_with_an_error_cannot_be_locked(folder, opened):
    file_of(folder).write_text('[protocol]\nname = "pick"\nversion = 1\n[task]\ntarget_cycle_s = 99\n')
    with pytest.raises(Refused, match=r"cannot be locked: \[P105\] task.target_cycle_s"):
        lock.lock_protocol(opened(folder))
    assert not list_locked_versions(opened(folder))


def test_without_an_audit_the_next_command_is_one_that_works(tmp_path, opened):
    root = tmp_path / "new"
    setup.init(root, task="pick")
    with pytest.raises(Refused, match=r"no map was audited yet.*fieldloop audit --example") as none:
        lock.lock_protocol(opened(root))
    assert "override" not in str(none.value), "there is nothing to override"
    (root / "deployment.toml").write_text(get_deployment_toml())
    with pytest.raises(Refused, match=r"the map was never audited. Run: fieldloop audit$"):
        lock.lock_protocol(opened(root))
    opened(root).write(DeploymentAudited(Audit("x", (), 0.2, complete=False)))
    with pytest.raises(Refused, match=r"score of the audit is 20 %.*audit override --reason"):
        lock.lock_protocol(opened(root))
    audit.override_audit(opened(root), reason="a pilot")
    protocol_new.write_new_protocol(opened(root), "pick")
    assert lock.lock_protocol(opened(root)).locked


def test_a_locked_version_can_be_read_after_its_file_went_on(folder, opened):
    protocol_new.write_new_protocol(opened(folder), "pick", like="warehouse-picking")
    text = file_of(folder).read_text()
    first = opened(folder)
    assert lock.lock_protocol(first).locked
    assert lock.lock_protocol(first).locked, "a second time changes nothing"
    (written,) = first.store.find(ProtocolLocked)
    assert first.shelf.has(written.content.sha256)
    assert written.content.sha256 in first.store.list_blobs(), "a sweep must keep it"

    file_of(folder).write_text(text.replace("max_offset_ms     = 2.0", "max_offset_ms     = 1.0"))
    with pytest.raises(ProtocolError, match="Raise `version` to 2"):
        opened(folder).protocol()
    report = protocol_lint.lint_protocol_files(opened(folder))
    assert not report.exit_ok
    assert [r.code for r in report.files[0].errors] == ["P002"]
    assert report.files[0].errors[0].advice["next"] == 2
    for newer in (file_of(folder), Path("pick"), None):  # each works where the workspace refuses
        changed = protocol_diff.compare_two_protocols(opened(folder), Path("pick@1"), newer)
        assert {c.place for c in changed.changes} == {"synchronisation.camera/overhead", "synchronisation.camera/wrist"}

    newer = text.replace("version = 1", "version = 2") + "\n[check.adherence.duration]\nmax = 40.0\n"
    file_of(folder).write_text(newer)
    workspace = opened(folder)
    assert protocol_lint.lint_protocol_files(workspace).exit_ok
    assert read_locked_text(workspace, "pick@1") == text
    assert read_locked_version(workspace, "pick@v1").fingerprint == written.fingerprint
    lock.lock_protocol(workspace)
    assert [(v.version, v.in_force) for v in list_locked_versions(workspace)] == [(2, True), (1, False)]
    told = protocol_diff.compare_two_protocols(workspace, Path("pick@1"))
    assert [(c.place, c.note) for c in told.changes] == [("check.adherence.duration", "stricter")]
    assert (told.needs_judging, told.needs_measuring, told.checks) == (True, False, ("adherence.duration",))
    with pytest.raises(BadInput, match="Locked: pick@1, pick@2"):
        protocol_sheet.show_protocol_text(workspace, "pick@3")


def keep(workspace, name, duration_s):
    """Take in an episode of which only its duration was measured."""
    episode = Episode(id=name * 64, name=f"pick-{name}", format="mcap", task="pick")
    measured = (Measured("adherence.duration", (Measurement(NO_SUBJECT, duration_s),)),)
    kept = measurements.store_results(
        workspace, [EpisodeResult(episode, measured, Imprint({}))], measurements.collect_measuring_rules(workspace)
    )
    workspace.write(LogIngested(Log(Blob(name * 64, 1), f"{name}.mcap", "mcap", (episode.id,)), (episode,)), *kept)
    return episode


def test_a_difference_says_which_verdicts_change(folder, opened, tmp_path):
    file_of(folder).write_text('[protocol]\nname = "pick"\nversion = 1\n[check.adherence.duration]\nmax = 61.0\n')
    workspace = opened(folder)
    for name, duration in (("a", 10.0), ("b", 45.0), ("c", 90.0)):
        keep(workspace, name, duration)
    other = tmp_path / "other.toml"
    other.write_text('[protocol]\nname = "pick"\nversion = 2\n[check.adherence.duration]\nmax = 40.0\n')
    told = protocol_diff.compare_two_protocols(workspace, Path("pick"), other)
    assert (told.judged, told.verdicts_changed) == (3, 1)
    (changed,) = told.first_changed
    assert (changed.name, changed.before, changed.after) == ("pick-b", Status.PASSED, Status.FAILED)


def test_a_judgement_says_which_version_judged(folder, opened):
    file_of(folder).write_text('[protocol]\nname = "pick"\nversion = 3\n')
    workspace = opened(folder)
    episode = keep(workspace, "a", 10.0)
    workspace.write(
        *measurements.judge_episodes(workspace, measurements.read_stored_measurements(workspace, [episode]))
    )
    (report,) = workspace.store.find(EpisodeReport)
    assert report.judged_by == "pick v3"


def test_lint_fails_by_its_exit_code_and_names_every_file(tmp_path, capsys):
    bad, good = tmp_path / "bad.toml", tmp_path / "good.toml"
    bad.write_text("[task]\ntarget_cycle_s = 99\n")
    good.write_text("")
    assert main(["protocol", "lint", str(bad), str(good)]) == 1
    out = capsys.readouterr().out
    assert "P105" in out
    assert "good.toml" in out
    assert main(["protocol", "lint", str(good)]) == 0
    bad.write_bytes(b"\xff\xfe")
    assert main(["protocol", "lint", str(bad)]) == 2
    assert "not UTF-8" in capsys.readouterr().err
    assert main(["protocol", "lint", str(tmp_path / "none.toml")]) == 2
    assert main(["protocol", "lint", str(tmp_path)]) == 2


def test_differences_and_sheets_are_printed_without_a_workspace(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["protocol", "diff", "shipped", "warehouse-picking"]) == 0
    assert "measure again" in capsys.readouterr().out
    assert main(["protocol", "show", "delicate-insertion"]) == 0
    assert "Push when it jams." in capsys.readouterr().out
    assert main(["protocol", "sheet", "warehouse-picking", "--interface", "vr", "--html", "sheet.html"]) == 0
    assert "</html>" in (tmp_path / "sheet.html").read_text()
    capsys.readouterr()
    assert main(["protocol", "sheet", "--interface", "joystick"]) == 2
    assert "No control interface in this protocol called 'joystick'" in capsys.readouterr().err
    assert main(["protocol", "sheet", "nowhere.toml"]) == 2
    assert main(["protocol", "sheet", "--html", str(tmp_path / "no" / "where.html")]) == 2
    assert main(["protocol", "diff", "warehouse-pickin"]) == 2
    assert "Did you mean 'warehouse-picking'" in capsys.readouterr().err


def test_a_locked_protocol_reads_back_as_it_was(folder, opened):
    protocol_new.write_new_protocol(opened(folder), "pick", like="delicate-insertion")
    with file_of(folder).open("a") as file:
        file.write("verified = { on = 2026-03-02, offset_ms = 0.4 }\n")  # a date, which JSON has no word for
    workspace = opened(folder)
    lock.lock_protocol(workspace)
    assert read_locked_version(workspace, "pick@1") == workspace.protocol()


def test_the_workspace_says_what_looks_wrong(folder, opened):
    file_of(folder).write_text('[protocol]\nname = "pick"\nversion = 1\n[check.adherence.duration]\nmax = 500.0\n')
    assert "P601" not in {r.code for r in protocol_lint.lint_protocol_files(opened(folder)).files[0].remarks}
    (folder / "operations.toml").write_text("[lint.unit_factor]\nvalue = 5.0\n")
    assert "P601" in {r.code for r in protocol_lint.lint_protocol_files(opened(folder)).files[0].remarks}
