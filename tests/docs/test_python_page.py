"""The code of docs/python.md runs from top to bottom and gives what the page shows."""

import re

import pytest
from docs import python_page, python_stub

from fieldloop import NAMES

NUMBER = re.compile(r"\d+(?:\.\d+)?")
NEARLY = 0.5
"""Processors round differently in the last bit, so a policy trained on another one picks slightly better or worse."""


def test_the_page_shows_what_its_code_gives():
    page = python_page.PAGE.read_text(encoding="utf-8")
    now = python_page.run(page)
    assert NUMBER.sub("#", now) == NUMBER.sub("#", page), "run: python -m docs.python_page"
    shown, given = ([float(number) for number in NUMBER.findall(text)] for text in (page, now))
    assert given == pytest.approx(shown, rel=NEARLY), "run: python -m docs.python_page"


def test_the_page_names_every_function():
    page = python_page.PAGE.read_text(encoding="utf-8")
    assert {name for name in NAMES if name[0].islower()} <= set(re.findall(r"`fl\.(\w+)\(", page))


def test_the_types_follow_from_the_use_cases():
    assert python_stub.FILE.read_text(encoding="utf-8") == python_stub.text(), "run: python -m docs.generate"
