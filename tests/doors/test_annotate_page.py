"""The queue of annotation: what is next, how far authors agree, and what a lead does there."""

import pytest
from tests.doors.annotating import FIRST, make_workspace
from tests.doors.annotating import annotate as annotate_episode
from tests.doors.story import story_workspace
from tests.doors.visitor import AWAY, Visitor

from fieldloop.api.app import build_app
from fieldloop.loop.annotate.deal import deal_tasks
from fieldloop.loop.home.annotations import show_annotations
from fieldloop.loop.house.tokens import issue_token
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import TaskReason
from fieldloop.model.person import Actor, Duty, Role
from fieldloop.ui.pages import annotate
from fieldloop.ui.pages.annotate_tasks import ASKS
from fieldloop.ui.visit import Visit


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    opened = story_workspace(tmp_path_factory.mktemp("queue") / "w")
    yield opened
    opened.close()


def draw(workspace):
    return "".join(map(str, annotate.draw(Visit(workspace)).parts))


def test_the_boundary_agreed_on_least_is_named(workspace):
    (found,) = show_annotations(workspace).agreements
    assert found.worst_frames is not None
    assert f"{found.worst_boundary}: {found.worst_frames:.3g} frames" in draw(workspace)


def test_a_lead_deals_and_an_annotator_sees_the_own_work_only(workspace):
    dealt = deal_tasks(workspace, kind=("phase", "grasp"), annotator=("ann-7", "ann-8"), count=4)
    page = draw(workspace)
    for word in ("Deal tasks", "Spot checks", "Qualification", "To decide", "Withdraw", "Label phase and grasp"):
        assert word in page
    assert "/annotate/{task.episode}" in page
    mine = workspace.acting_as(Actor("ann-7", Role.ANNOTATOR))
    page = draw(mine)
    for word in ("Deal tasks", "Spot checks", "Withdraw", "ann-8"):
        assert word not in page
    assert page.count('<a href="/annotate/') >= sum(task.annotator == "ann-7" for task in dealt.tasks)
    assert "no calibration set exists" in page
    lead = workspace.acting_as(Actor("ann-9", Role.ANNOTATOR, (Duty.LEAD_ANNOTATOR,)))
    assert "Deal tasks" in draw(lead)


def test_every_reason_of_a_task_says_what_it_asks_for():
    assert set(ASKS) == set(TaskReason)


def test_the_player_shows_no_labels_of_others_to_independent_annotators(tmp_path):
    """The view that the player reads is a route of its own; the rule of who sees what holds there too."""
    here = make_workspace(tmp_path)
    first, *_ = here.store.find(Episode)
    annotate_episode(here, first, "ann-1", FIRST)
    deal_tasks(here, (first.name,), annotator=("ann-1", "ann-2"))
    app = build_app(lambda: here)

    def authors(person, role):
        secret = issue_token(here, person, role=role).secret
        visitor = Visitor(app, AWAY, host="site.example", authorization=f"Bearer {secret}")
        return {one["author"] for one in visitor.get(f"/api/look/{first.id}/view").json()["segments"]}

    assert authors("ann-2", Role.ANNOTATOR) == set()
    assert authors("lea", Role.ENGINEER) == {"machine:signals", "ann-1"}
    here.close()
