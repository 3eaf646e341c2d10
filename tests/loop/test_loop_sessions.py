"""A session names its robot, its operator and its ticks exactly."""

import pytest

from fieldloop.errors import UnknownName
from fieldloop.loop.collect import sessions
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.event import SessionOpened
from fieldloop.store import open_shelf, open_store


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path)
    opened = open_workspace(tmp_path, store=open_store("sqlite://"), shelf=open_shelf("memory://"))
    sessions.register_robot(opened, "ur5-1", model="ur5", site="lab")
    sessions.enrol_demonstrator(opened, "anna")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("robot", "operator", "checked", "says"),
    [
        ("ur5", "anna", (), "No robot called 'ur5'. Did you mean 'ur5-1'"),
        ("ur5-1", "ann", (), "No operator called 'ann'. Did you mean 'anna'"),
        ("ur5-1", "anna", ("emergency stop",), "No item of the safety checklist called 'emergency stop'"),
    ],
)
def test_a_beginning_or_an_unknown_tick_is_refused(here, robot, operator, checked, says):
    with pytest.raises(UnknownName, match=says):
        sessions.open_session(here, robot, operator, checked=checked)
    assert not list(here.store.events(SessionOpened))
