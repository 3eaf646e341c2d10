"""A workspace: what init lays out, what opening refuses, and how a locked protocol holds."""

import pytest

from fieldloop.errors import ProtocolError, Refused, WorkspaceError
from fieldloop.loop.audit import audit
from fieldloop.loop.house import setup, tokens
from fieldloop.loop.protocol import lock, numbers
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.event import WorkspaceCreated
from fieldloop.model.person import Actor, Role
from fieldloop.model.person_event import TokenIssued
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.mix import get_deployment_toml


@pytest.fixture
def folder(tmp_path):
    setup.init(tmp_path / "site", task="pick")
    return tmp_path / "site"


@pytest.fixture
def workspace(folder):
    opened = open_workspace(folder)
    yield opened
    opened.close()


def test_init_lays_out_a_whole_workspace_and_writes_down_that_it_did(workspace, folder):
    assert {p.name for p in folder.iterdir()} == {"fieldloop.toml", "operations.toml", "protocols", ".fieldloop"}
    (created,) = workspace.store.events(WorkspaceCreated)
    assert (created.event.name, created.actor) == ("site", "local")
    assert workspace.protocol().name == "pick"


def test_init_refuses_what_is_a_workspace_or_a_file(folder, tmp_path):
    with pytest.raises(WorkspaceError, match="is already a workspace"):
        setup.init(folder)
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="is a file"):
        setup.init(tmp_path / "file")


def test_init_keeps_files_that_were_there(tmp_path):
    (tmp_path / "operations.toml").write_text("[monitor.max_drop]\nvalue = 0.03\n")
    setup.init(tmp_path)
    opened = open_workspace(tmp_path)
    assert opened.operations["monitor"]["max_drop"] == 0.03
    opened.close()


def test_a_name_may_hold_anything_and_a_task_may_not(tmp_path):
    setup.init(tmp_path / "a", name='Halle "Süd" \\ 4')
    opened = open_workspace(tmp_path / "a")
    assert opened.name == 'Halle "Süd" \\ 4'
    opened.close()
    with pytest.raises(WorkspaceError, match="not a valid task name"):
        setup.init(tmp_path / "b", task="../../evil")
    assert not (tmp_path / "b").exists()


def test_a_folder_that_is_none_says_how_to_make_one(tmp_path):
    with pytest.raises(WorkspaceError, match="fieldloop init"):
        open_workspace(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[workspace]\nstor = 'x'", "Did you mean 'store'"),
        ("[workspace", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_wrong_settings_are_named(folder, text, says):
    (folder / "fieldloop.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(WorkspaceError, match=says):
        open_workspace(folder)


def test_a_locked_protocol_may_be_reworded_but_not_renumbered(workspace, folder):
    with pytest.raises(Refused, match="complete audit"):
        lock.lock_protocol(workspace)
    (folder / "deployment.toml").write_text(get_deployment_toml())
    (folder / "skus.csv").write_text(get_item_master_csv())
    audit.audit(workspace)
    assert not numbers.show_protocol_numbers(workspace).locked
    assert lock.lock_protocol(workspace).locked
    path = folder / "protocols" / "pick.toml"
    text = path.read_text()

    path.write_text(text + '[check.timing.longest_gap]\nwhy = "Said otherwise."\n')
    assert open_workspace(folder).protocol().version == 1

    path.write_text(text + "[check.timing.longest_gap]\nmax = 3.0\n")
    with pytest.raises(ProtocolError, match=r"is locked as .* Raise `version` to 2"):
        open_workspace(folder).protocol()

    path.write_text(text.replace("version = 1", "version = 2") + "[check.timing.longest_gap]\nmax = 3.0\n")
    assert open_workspace(folder).protocol().limits["timing.longest_gap"].maximum == 3.0


def test_a_token_says_whose_it_is_until_it_is_revoked(workspace):
    issued = tokens.issue_token(workspace, "op-7", role=Role.OPERATOR)
    assert tokens.find_actor_by_secret(workspace, issued.secret) == Actor("op-7", Role.OPERATOR)
    assert issued.secret not in repr(list(workspace.store.events(TokenIssued)))
    tokens.revoke_token(workspace, issued.id)
    with pytest.raises(Refused, match="revoked"):
        tokens.find_actor_by_secret(workspace, issued.secret)
    with pytest.raises(Refused, match="unknown"):
        tokens.find_actor_by_secret(workspace, "guess")


def test_every_number_in_force_is_shown_with_its_reason(workspace):
    shown = numbers.show_protocol_numbers(workspace).numbers + numbers.show_operations_numbers(workspace).numbers
    assert len(shown) > 100
    assert all(n.why and n.source and n.unit for n in shown)


def test_the_file_that_init_writes_is_no_persons_until_it_is_edited_or_locked(workspace, folder):
    file = folder / "protocols" / "pick.toml"
    assert not workspace.protocol().is_own
    (folder / "deployment.toml").write_text(get_deployment_toml())
    (folder / "skus.csv").write_text(get_item_master_csv())
    audit.audit(workspace)
    lock.lock_protocol(workspace)
    assert workspace.protocol().is_own
    other = folder / "protocols" / "place.toml"
    other.write_text(file.read_text().replace("pick", "place"))
    workspace.__dict__.pop("protocols", None)
    assert not workspace.protocol("place").is_own
    other.write_text(f"\n{other.read_text()}# a comment states nothing\n".replace("name    =", "name ="))
    workspace.__dict__.pop("protocols", None)
    assert not workspace.protocol("place").is_own
    assert workspace.protocol("place").fingerprint == workspace.protocol().fingerprint
    other.write_text(f"{other.read_text()}strata = ['sku']\n".replace("strata = ['sku']", "[check.timing.rate]\n"))
    workspace.__dict__.pop("protocols", None)
    assert workspace.protocol("place").is_own
    assert workspace.protocol("place").fingerprint == workspace.protocol().fingerprint
