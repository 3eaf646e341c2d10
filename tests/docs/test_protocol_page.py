"""The protocol shown on the page is one, and every code of lint is explained there."""

import re
from pathlib import Path

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.protocol import lint_protocol as look_over
from fieldloop.protocol import parse_protocol
from fieldloop.protocol.collection import PARTS
from fieldloop.protocol.interface import LIMIT_UNITS
from fieldloop.protocol.linting import __file__ as rules

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()


def test_the_protocol_shown_has_no_error():
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert parse_protocol(text, "docs").limits["force.window"].maximum == 15.0
    told = look_over(
        text, "docs", phases={label.name: "" for label in load_shipped_taxonomy().labels}, task_name="pick"
    )
    assert {remark.code for remark in told} <= {"P603"}


def test_every_part_and_limit_is_described():
    for part in PARTS:
        assert f"[{part}" in PAGE, part
    for name, unit in LIMIT_UNITS.items():
        assert f"`{name}` {unit}" in PAGE


def test_every_code_of_lint_lies_in_a_range_that_is_explained():
    source = "".join(path.read_text() for path in Path(rules).parent.glob("*.py"))
    spans = [(int(a), int(b)) for a, b in re.findall(r"P(\d+)[–,] ?P(\d+)", PAGE)]
    for code in map(int, re.findall(r'"P(\d{3})"', source)):
        assert any(low <= code <= high for low, high in spans), code
