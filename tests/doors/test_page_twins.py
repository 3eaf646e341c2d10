"""Every page has a JSON twin: it names the use case whose noun it draws, and reads nothing past it."""

import inspect
import re
from pathlib import Path

import pytest
from tests.doors.story import story_workspace

from fieldloop import api, ui
from fieldloop.doors.written import as_json
from fieldloop.loop.catalogue import COMMANDS
from fieldloop.ui.pages import PAGES

NO_DATA = {"/more"}
"""The list of pages itself."""
NEEDS = {"ingest show": "04" * 32, "release show": "e" * 64, "gate show": "c" * 64}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    workspace = story_workspace(tmp_path_factory.mktemp("twins") / "w")
    yield workspace
    workspace.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_a_page_draws_the_noun_of_a_use_case_that_only_reads(page, told):
    if page.path in NO_DATA:
        assert not page.command
        return
    case = COMMANDS[page.command]
    assert case.reads
    given = [NEEDS[page.command]] if page.command in NEEDS else []
    shown = as_json(case.load()(told, *given))
    assert shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_a_page_does_not_read_the_home_page_parts_itself(page):
    assert "home.pages" not in inspect.getsource(inspect.getmodule(page.build))


def test_neither_pages_nor_the_api_reach_for_the_store():
    files = [file for door in (ui, api) for file in Path(door.__path__[0]).rglob("*.py")]
    reads = [file.name for file in files if re.search(r"\.(store|shelf)\b", file.read_text(encoding="utf-8"))]
    assert len(files) > 20
    assert not reads
