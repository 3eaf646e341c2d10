"""How far authors agree, with the boundary they agree on least: on the page and in the terminal."""

import io

from tests.doors.story import story_workspace

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.loop.ship.annotate import measure_agreement
from fieldloop.ui.pages import annotate
from fieldloop.ui.visit import Visit


def test_the_boundary_agreed_on_least_is_named(tmp_path):
    workspace = story_workspace(tmp_path / "w")
    found = measure_agreement(workspace, "machine:signals", "ann-1")
    assert found.worst_frames is not None
    page = "".join(map(str, annotate.draw(Visit(workspace)).parts))
    assert f"{found.worst_boundary}: {found.worst_frames:.3g} frames" in page
    stream = io.StringIO()
    show_result(found, Screen(stream))
    assert found.worst_boundary in stream.getvalue()
    assert "worst frames" in stream.getvalue()
    workspace.close()
