"""A workspace with a whole map that nobody has audited yet."""

import pytest
from tests.audit.maps import FULL, SKUS

from fieldloop.loop.workspace import create_workspace, open_workspace


@pytest.fixture
def mapped(tmp_path):
    create_workspace(tmp_path / "ws")
    (tmp_path / "ws" / "deployment.toml").write_text(FULL)
    (tmp_path / "ws" / "skus.csv").write_text(SKUS)
    opened = open_workspace(tmp_path / "ws")
    yield opened
    opened.close()
