"""Rules of the house that no linter knows."""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = sorted(p for base in ("src", "robot/src") for p in (ROOT / base).rglob("*.py"))
WIDEST = 120
LONGEST_FILE = 400
NAMES_THAT_EXPLAIN_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
WORDS_LEFT_OUT = ("Manager", "Factory", "Context")


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_file_keeps_the_house_rules(path):
    text = path.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= LONGEST_FILE, "a file this long holds more than one concept"
    assert ast.get_docstring(tree), "each file opens with one sentence of purpose"
    assert path.stem not in NAMES_THAT_EXPLAIN_NOTHING
    classes = [n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    assert not [name for name in classes if name.endswith(WORDS_LEFT_OUT)]


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.js")), ids=lambda p: p.name)
def test_a_line_of_a_module_is_no_wider_than_one_of_python(path):
    assert not [n for n, line in enumerate(path.read_text().splitlines(), start=1) if len(line) > WIDEST]


def test_no_machine_path_stands_in_the_tree():
    suffixes = {".py", ".toml", ".md", ".css", ".js"}
    places = [
        p
        for base in ("src", "robot", "tests", "bench", "docs")
        for p in (ROOT / base).rglob("*")
        if p.suffix in suffixes
    ]
    needle = "/work" + "/"  # apart, or this line would find itself
    assert not [str(p) for p in places if needle in p.read_text() and "egg-info" not in str(p)]
