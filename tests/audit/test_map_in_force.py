"""An example or a checked text is never the map in force; only an audit puts a map there."""

import pytest
from tests.audit.maps import FULL, SKUS

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit.audit import audit, require_complete_audit
from fieldloop.loop.audit.write import write_map
from fieldloop.loop.home.home import show_home
from fieldloop.loop.house import setup
from fieldloop.loop.plan.plan import plan
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.deployment import Deployment
from fieldloop.store import open_shelf, open_store


@pytest.fixture
def here(tmp_path):
    created = setup.init(tmp_path / "site")
    assert "audit --example" in created.next
    opened = open_workspace(tmp_path / "site", store=open_store("sqlite://"), shelf=open_shelf("memory://"))
    yield opened
    opened.close()


def test_the_example_is_written_and_comes_into_force_by_an_audit_only(here):
    assert show_home(here).next.command == "fieldloop audit --example"
    shown = audit(here, example=True)
    assert (shown.in_force, shown.next, here.find_newest(Deployment)) == (False, "fieldloop audit", None)
    assert show_home(here).next.command == "fieldloop audit"
    with pytest.raises(Refused):
        plan(here)
    assert audit(here).in_force
    assert here.find_newest(Deployment) is not None


def test_a_text_is_checked_without_a_trace_and_put_in_force_when_asked(here):
    checked = write_map(here, FULL, skus_text=SKUS)
    assert (checked.in_force, checked.summary.code) == (False, "audit.checked_complete")
    assert not (here.root / "deployment.toml").exists()
    assert here.find_newest(Deployment) is None
    assert write_map(here, FULL, skus_text=SKUS, put_in_force=True).in_force
    assert (here.root / "deployment.toml").read_text(encoding="utf-8") == FULL
    with pytest.raises(BadInput, match=r"deployment\.toml"):
        write_map(here, FULL.replace("share = 1.0", "share = 0.4"), put_in_force=True)
    assert (here.root / "deployment.toml").read_text(encoding="utf-8") == FULL
    assert write_map(here, FULL, put_in_force=True).deployment.skus  # the catalogue stays


def test_a_refusal_names_what_is_missing_and_how_to_say_unknown(here):
    poor = "\n".join(line for line in FULL.splitlines() if not line.startswith(("ceiling", "lux", "floor", "layout")))
    poor = poor.replace("synchronisation =", "# synchronisation =").replace("max_offset_ms =", "# max_offset_ms =")
    assert not write_map(here, poor, skus_text=SKUS, put_in_force=True).audit.complete
    with pytest.raises(Refused, match=r'Missing: .*Write "unknown"'):
        require_complete_audit(here)
