"""A map edited after its audit is reported wherever the audited map is used, with the command to run."""

import dataclasses
import shutil

import pytest

from fieldloop.loop.audit import audit as use
from fieldloop.loop.audit.audited_map import find_edited_map_files
from fieldloop.loop.home.home import show_home
from fieldloop.loop.plan.plan import plan
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.event import DeploymentAudited, DeploymentMapped
from fieldloop.say import write_sentence
from fieldloop.ui.pages.deployment import draw
from fieldloop.ui.visit import Visit

CHANGED = "changed after the audit. The map as audited is still in force. Run: fieldloop audit"


def changes(workspace):
    return tuple(map(write_sentence, find_edited_map_files(workspace)))


@pytest.fixture
def workspace(mapped):
    use.audit(mapped)
    return mapped


def edit(workspace, name, old, new):
    file = workspace.root / name
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_a_map_that_is_as_audited_says_nothing(workspace):
    assert find_edited_map_files(workspace) == ()
    edit(workspace, "deployment.toml", "[deployment]", "# a remark\n[deployment]")
    edit(workspace, "skus.csv", ",", ", ")
    assert find_edited_map_files(workspace) == (), "what it says is the same"
    (workspace.root / "deployment.toml").unlink()
    assert find_edited_map_files(workspace) == (), "a workspace may have moved without its files"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("deployment.toml", "bright = 0.6, dim = 0.4", "bright = 0.5, dim = 0.5"), ("skus.csv", "a,10", "a,20")],
)
def test_everything_that_uses_the_map_names_the_changed_file(workspace, name, old, new):
    edit(workspace, name, old, new)
    assert changes(workspace) == (f"{name} {CHANGED}",)
    assert find_edited_map_files(workspace)[0] in plan(workspace, budget=5).warnings
    now = show_home(workspace)
    (step,) = (step for step in (now.next, *now.then) if name in write_sentence(step.sentence))
    assert step.command == "fieldloop audit"
    assert name in str(draw(Visit(workspace=workspace)))
    use.audit(workspace)
    assert find_edited_map_files(workspace) == ()


def test_a_map_that_can_no_longer_be_read_says_why(workspace):
    edit(workspace, "deployment.toml", "share = 1.0", "share = 2.0")
    (fact,) = find_edited_map_files(workspace)
    assert (fact.code, fact["command"]) == ("audit.map_unreadable", "fieldloop audit")
    assert "deployment.toml, line 12" in fact["error"]


def test_both_files_and_another_cut_of_tiers_are_distinguished(workspace):
    edit(workspace, "skus.csv", "a,10", "b,10")
    edit(workspace, "deployment.toml", "ceiling_m = 9", "ceiling_m = 8")
    assert changes(workspace) == (f"deployment.toml and skus.csv {CHANGED}",)
    (workspace.root / "skus.csv").write_text("sku,picks_per_week\na,70\nb,20\nc,10\n")
    use.audit(workspace)
    (workspace.root / "operations.toml").write_text("[audit.high_tier_share]\nvalue = 0.5\n")
    again = open_workspace(workspace.root)
    assert changes(again) == (f"operations.toml (the boundaries between tiers) {CHANGED}",)
    again.close()


def test_files_that_lie_elsewhere_are_looked_at_where_they_lie(workspace, tmp_path):
    for name in ("deployment.toml", "skus.csv"):
        shutil.copy(workspace.root / name, tmp_path / name)
    (workspace.root / "maps").mkdir()
    shutil.copy(workspace.root / "deployment.toml", workspace.root / "maps" / "north.toml")
    use.audit(workspace, workspace.root / "maps" / "north.toml", skus=tmp_path / "skus.csv")
    edit(workspace, "deployment.toml", "ceiling_m = 9", "ceiling_m = 8")
    assert find_edited_map_files(workspace) == (), "that file is not the map in force"
    edit(workspace, "maps/north.toml", "ceiling_m = 9", "ceiling_m = 8")
    (fact,) = find_edited_map_files(workspace)
    assert fact["files"] == ("north.toml",)
    assert fact["command"] == f"fieldloop audit maps/north.toml --skus {tmp_path / 'skus.csv'}"


def test_audits_without_recorded_files_are_compared_with_the_workspace_s_own(workspace):
    bare = dataclasses.replace(use.find_latest_audit(workspace), files=())
    workspace.write(DeploymentMapped(use.require_latest_deployment(workspace)), DeploymentAudited(bare))
    assert find_edited_map_files(workspace) == ()
    edit(workspace, "skus.csv", "a,10", "a,20")
    assert changes(workspace) == (f"skus.csv {CHANGED}",)


def test_without_an_audit_there_is_nothing_to_compare(tmp_path):
    create_workspace(tmp_path / "bare")
    bare = open_workspace(tmp_path / "bare")
    assert find_edited_map_files(bare) == ()
    bare.close()
