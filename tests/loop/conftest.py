"""A workspace in memory with the whole story of the doors in it, and a clock that goes on from there."""

import random

import pytest
from tests.doors.story import NOW, write_story

from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.simulate.clock import SimulatedClock
from fieldloop.store import open_shelf, open_store


@pytest.fixture
def full_site(tmp_path):
    create_workspace(tmp_path / "site", name="leipzig")
    opened = open_workspace(
        tmp_path / "site",
        store=open_store("sqlite://"),
        shelf=open_shelf("memory://"),
        clock=SimulatedClock(NOW),
        random_bits=random.Random(7).getrandbits,
    )
    write_story(opened)
    yield opened
    opened.close()


@pytest.fixture
def told(full_site):
    """The former name of `full_site`."""
    return full_site
