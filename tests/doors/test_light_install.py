"""The light install: commands that need no workspace import nothing that only the extra `all` brings."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fieldloop.errors import WHOLE_LOOP

ROOT = Path(__file__).parents[2]
MODULES = {"scikit-learn": "sklearn"}
WITHOUT_ALL = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from fieldloop.cli.entry import main

sys.exit(main(sys.argv[1:]))
"""


def run(*words, cwd):
    code = WITHOUT_ALL.replace("BLOCKED", repr(set(WHOLE_LOOP) | {"starlette", "pydantic"}))
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("light")


def test_the_extra_brings_every_module_that_is_reported_as_missing():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["all"]
    brought = {re.split(r"[><=\[]", line)[0] for line in extras}
    assert {MODULES.get(name, name) for name in brought} - {"starlette"} == set(WHOLE_LOOP)


def test_the_first_commands_run_without_the_extra(folder):
    for words, passed in (
        (("simulate", "picks", "logs", "--count", "1"), (0,)),
        (("check", "logs", "--numbers-only", "--html", "check.html"), (0, 1)),
        (("convert", "logs", "set", "--to", "lerobot"), (0,)),
        (("simulate", "case", "floor", "--episodes", "200", "--demonstrations", "40"), (0,)),
        (("diagnose", "folder", "floor", "--html", "why.html"), (0, 1)),
        (("plan", "folder", "floor", "--html", "plan.html"), (0,)),
    ):
        done = run(*words, cwd=folder)
        assert done.returncode in passed, (words, done.stdout[-500:], done.stderr[-500:])


def test_a_workspace_asks_for_the_extra(folder):
    done = run("init", "site", cwd=folder)
    assert done.returncode == 2
    assert "pip install 'fieldloop[all]'" in done.stderr
