"""A workspace that was audited, and one way to open it as often as a test likes."""

import pytest

from fieldloop.loop.audit import audit
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.mix import get_deployment_toml


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "site"
    setup.init(root, task="pick")
    (root / "deployment.toml").write_text(get_deployment_toml())
    (root / "skus.csv").write_text(get_item_master_csv())
    with_audit = open_workspace(root)
    audit.audit(with_audit)
    with_audit.close()
    return root


@pytest.fixture
def opened():
    kept = []

    def open_it(root):
        kept.append(open_workspace(root))
        return kept[-1]

    yield open_it
    for workspace in kept:
        workspace.close()
