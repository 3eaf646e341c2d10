"""Every command in README and docs exists and takes the options that are shown."""

import re
from pathlib import Path

import pytest

from fieldloop.check import UNITS
from fieldloop.cli.arguments import get_flag
from fieldloop.doors.parameters import read_parameters
from fieldloop.loop.catalogue import COMMANDS

ROOT = Path(__file__).parents[2]
COMMON = {"--workspace", "--json", "--help"}
OWN = {"up": {"--host", "--port", "--open"}, "demo": {"--seed", "--no-serve", "--port", "--host", "--open"},
       "look": {"--episode", "--at", "--with", "--mapping", "--port", "--open"}}  # fmt: skip
SHOWN = sorted(
    {
        (path.name, line.split("#")[0].strip())
        for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
        for line in re.findall(r"^(?:    )?(fieldloop .*)$|`(fieldloop [a-z][^`]*)`", path.read_text(), re.MULTILINE)
        for line in line  # one of the two groups matched
        if line
    }
)


@pytest.mark.parametrize(("page", "line"), SHOWN, ids=[f"{page}: {line}" for page, line in SHOWN])
def test_command_is_there(page, line):
    words = line.split()[1:]
    command = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
    options = {word.partition("=")[0] for word in words if word.startswith("--")} - COMMON
    if command.isupper() or command.startswith("--"):
        return
    known = OWN.get(command) or {
        get_flag(one) for one in read_parameters(COMMANDS[command].load()).parameters if not one.positional
    }
    assert options <= known, f"{page} shows an option that `fieldloop {command}` does not take"


def test_the_make_targets_of_the_readme_are_there():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"\bmake ([a-z]+)", (ROOT / "README.md").read_text()):
        assert f"\n{target}:" in makefile


def test_every_link_leads_somewhere():
    for path in (ROOT / "README.md", ROOT / "DESIGN.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_readme_counts_the_checks_right_and_holds_no_placeholder():
    readme = (ROOT / "README.md").read_text()
    assert f"{len(UNITS)} checks" in readme
    assert not re.search(r"^[A-Z]{4,}$", readme, re.MULTILINE)
