"""The page of a difference opens no log: it draws the values that are kept, and a button reads the others."""

import numpy as np
import pytest
from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.loop.ship import sketches
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_diff import compare_two_releases
from fieldloop.release.felt import sketch_values
from fieldloop.ui.pages.release_parts import draw_diff
from fieldloop.ui.visit import Visit

BUTTON = "Compute what a normaliser feels"


@pytest.fixture
def two(site, monkeypatch):  # noqa: F811
    """Freeze two releases whose logs cannot be opened."""
    episodes = make_episodes(10)
    keep(site, episodes)
    old = freeze_release(site, "r1")
    new = freeze_release(site, "dim", where=("lighting=dim",), override="few sessions")

    def refuse(*_):
        raise AssertionError("a log is opened")

    monkeypatch.setattr(sketches, "Reopened", refuse)
    return site, old, new


def draw(workspace):
    return "".join(map(str, draw_diff(Visit(workspace, {}, {"older": "r1", "newer": "dim"})).parts))


def test_a_page_offers_to_read_what_is_not_known(two):
    site, old, new = two  # noqa: F811
    page = draw(site)
    assert BUTTON in page
    assert "0 of 80 episodes" in page
    assert 'data-post="/api/release/diff"' in page
    assert new.id in page
    with pytest.raises(AssertionError, match="a log is opened"):
        compare_two_releases(site, "r1", "dim")
    assert compare_two_releases(site, "r1", "dim", kept_only=True).measured is None
    assert old.id in page


def test_a_page_draws_the_values_that_are_kept(two):
    site, old, _ = two  # noqa: F811
    episodes = make_episodes(10)
    for n, (_, file) in enumerate(sketches._name_files(site, old, episodes)):
        values = np.linspace(0, 1, 30)[:, None] + n % 2
        sketches._keep(file, sketches._pack_sketches({"force": sketch_values(values, ("z",))}))
    page = draw(site)
    assert "force" in page
    assert BUTTON not in page
