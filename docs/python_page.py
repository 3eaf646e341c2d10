"""Run the code of python.md from top to bottom, as a notebook would, and show what it gives.

`python -m docs.python_page` writes the outputs into the page; a test compares them.
"""

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "python.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def run(page: str) -> str:
    """Return the page with the outputs that its code gives now."""
    names: dict[str, Any] = {}

    def filled(block: re.Match[str]) -> str:
        output = _output(block[1], names)
        return f"```python\n{block[1]}```\n" + (f"\n```text\n{output}```\n" if output else "")

    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return BLOCK.sub(filled, page)
        finally:
            os.chdir(here)


def _output(code: str, names: dict[str, Any]) -> str:
    """Run one block; its last expression is shown as an interactive Python would."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as written, contextlib.redirect_stderr(io.StringIO()):
        exec(compile(tree, str(PAGE), "exec"), names)  # noqa: S102 - the page's own code
        if last is not None:
            value = eval(compile(ast.Expression(last.value), str(PAGE), "eval"), names)  # noqa: S307 - as above
            if value is not None:
                print(repr(value))  # noqa: T201 - what the page shows
    return written.getvalue()


if __name__ == "__main__":
    PAGE.write_text(run(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} is written.\n")
