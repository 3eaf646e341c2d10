"""Documentation that follows from code is not older than the code."""

import re

import pytest
from docs.generate import HERE, PAGES, text


@pytest.mark.parametrize("page", PAGES)
def test_page_says_what_the_code_says(page):
    written = (HERE / page).read_text(encoding="utf-8")
    assert without_measured(written) == without_measured(text(page)), "run: python -m docs.generate"


def without_measured(page):
    """Examples are measured: their last digits follow the machine's arithmetic."""
    return re.sub(r"(?m)^- example: .*$", lambda line: re.sub(r"\d+(\.\d+)?", "#", line[0]), page)
