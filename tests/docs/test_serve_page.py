"""The example of docs/serve.md runs as it stands, on a port of its own."""

import contextlib
import io
import re
from pathlib import Path

from tests.serve.running import Numbered, run_engine

PAGE = Path(__file__).parents[2] / "docs/serve.md"


def test_the_robots_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    printed = io.StringIO()
    with run_engine(Numbered(1)) as port, contextlib.redirect_stdout(printed):
        exec(code.replace("8600", str(port)).replace("timeout_s=1.0", "timeout_s=20").replace("=80)", "=20_000)"), {})
    assert printed.getvalue() == "(4, 2) 11111111 True\n"
