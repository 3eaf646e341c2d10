"""A setting that nothing reads would be a promise; what is only declared so far says so with `pending = true`."""

import ast
import pathlib
import re

import pytest

from fieldloop.protocol import default_operations, default_protocol

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = sorted(p for base in ("src", "robot/src") for p in (ROOT / base).rglob("*.py"))
OPERATIONS = {
    f"{section.name}.{name}": (name, setting)
    for section in default_operations().sections.values()
    for name, setting in section.settings.items()
}
PROTOCOL = {name: (name, setting) for name, setting in default_protocol().settings.items()}


def named_in_the_source():
    """Every string that stands in the code, and a pattern for each name that is put together where it is asked for."""
    strings, patterns = set(), set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value)
            asked = node.args if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "number" else []
            for made in asked:
                if isinstance(made, ast.JoinedStr):
                    parts = (re.escape(v.value) if isinstance(v, ast.Constant) else "[a-z]+" for v in made.values)
                    patterns.add(re.compile("".join(parts)))
    return strings, patterns


STRINGS, PATTERNS = named_in_the_source()


@pytest.mark.parametrize(("name", "setting"), (OPERATIONS | PROTOCOL).values(), ids=OPERATIONS | PROTOCOL)
def test_a_setting_is_used_or_says_that_it_is_not(name, setting):
    used = name in STRINGS or any(pattern.fullmatch(name) for pattern in PATTERNS)
    assert used or setting.pending, "nothing reads it: use it, or mark it pending"
    assert not (used and setting.pending), "it is used: it is no longer pending"


@pytest.mark.parametrize(
    "name", sorted({name for limit in default_protocol().limits.values() for name in limit.parameters})
)
def test_a_parameter_is_used(name):
    assert name in STRINGS, "no check reads it"
