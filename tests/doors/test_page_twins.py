"""Every page has a JSON twin: it names the use case whose noun it draws, and reads nothing past it."""

import ast
import inspect
import json
import re
from pathlib import Path

import pytest
from tests.doors.story import story_workspace
from tests.loop.test_synchronisation import DECLARED

from fieldloop import api, ui
from fieldloop.cli import main
from fieldloop.doors.written import convert_to_json
from fieldloop.loop.catalogue import COMMANDS
from fieldloop.ui import pages
from fieldloop.ui.pages import PAGES

NO_DATA = {"/more"}
"""The list of pages itself."""
PAGE_FILES = sorted(Path(pages.__path__[0]).glob("*.py"))
NEEDS = {
    "ingest show": ["04" * 32],
    "annotate labels": ["04" * 32],
    "release show": ["e" * 64],
    "release verified": ["e" * 64],
    "release diff": ["e" * 64, "e" * 64, "kept_only"],
    "trace": ["c" * 64],
    "gate show": ["c" * 64],
    "gate trials": ["c" * 64],
    "gate report": ["c" * 64],
}


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
    given = [value for value in NEEDS.get(page.command, []) if value != "kept_only"]
    flags = {"kept_only": True} if "kept_only" in NEEDS.get(page.command, []) else {}
    shown = convert_to_json(case.load()(told, *given, **flags))
    assert shown


def reads_of(module):
    """Every use of a visit's workspace in a page's module: the function that gets it, by name; '' for anything else."""
    tree = ast.parse(inspect.getsource(module))
    gets = {
        id(node.args[0]): node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
    }
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "visit.workspace":
                yield function.name, gets.get(id(node), "")


@pytest.mark.parametrize("page", [page for page in PAGES if page.command], ids=lambda page: page.path)
def test_a_page_reads_exactly_the_noun_of_its_twin(page):
    module = inspect.getmodule(page.build)
    read = list(reads_of(module))
    (own,) = (called for inside, called in read if inside == page.build.__name__)
    assert getattr(module, own) is COMMANDS[page.command].load()
    built = {one.build.__name__ for one in PAGES if inspect.getmodule(one.build) is module}
    assert not [(inside, called) for inside, called in read if inside not in built]


def test_no_part_of_a_page_reads_the_workspace():
    parts = [file for file in PAGE_FILES if not re.search(r"^def draw", file.read_text(), re.MULTILINE)]
    assert parts
    assert not [file.name for file in parts if "import Workspace" in file.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_a_page_does_not_read_the_home_page_parts_itself(page):
    assert "home.pages" not in inspect.getsource(inspect.getmodule(page.build))


def test_neither_pages_nor_the_api_reach_for_the_store():
    files = [file for door in (ui, api) for file in Path(door.__path__[0]).rglob("*.py")]
    reads = [file.name for file in files if re.search(r"\.(store|shelf)\b", file.read_text(encoding="utf-8"))]
    assert len(files) > 20
    assert not reads


def test_the_protocol_page_and_its_twin_carry_the_codes_of_clocks_and_remarks(tmp_path, capsys):
    workspace = story_workspace(tmp_path / "w")
    (workspace.root / "protocols" / "pick.toml").write_text(DECLARED)
    workspace.close()
    at = ["--workspace", str(tmp_path / "w")]
    assert main(["protocol", "overview", "--interface", "vr", "--json", *at]) == 0
    shown = json.loads(capsys.readouterr().out)
    (clock,) = shown["clocks"]
    assert (clock["verified"], clock["reason_facts"]["code"]) == (False, "protocol.clock_never_verified")
    assert "protocol.p302" in {remark["message_facts"]["code"] for remark in shown["linted"]["remarks"]}
    assert shown["sheet"]["interface"] == "vr"
    assert main(["protocol", "overview", *at]) == 0
    assert clock["reason"][:30] in " ".join(capsys.readouterr().out.split())
