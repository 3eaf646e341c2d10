"""Documentation that follows from code is not older than the code."""

import pytest
from docs.generate import HERE, PAGES, text


@pytest.mark.parametrize("page", PAGES)
def test_page_says_what_the_code_says(page):
    assert (HERE / page).read_text(encoding="utf-8") == text(page), "run: python -m docs.generate"
