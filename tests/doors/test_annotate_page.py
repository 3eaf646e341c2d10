"""The queue of annotation: what is next, how far authors agree, and what a lead does there."""

from collections import defaultdict
from dataclasses import replace

import pytest
from tests.doors.annotating import FIRST, make_workspace
from tests.doors.annotating import annotate as annotate_episode
from tests.doors.story import story_workspace
from tests.doors.visitor import AWAY, Visitor

from fieldloop.api.app import build_app
from fieldloop.loop.annotate.compare.annotators import compare_annotators
from fieldloop.loop.annotate.deal import deal_tasks
from fieldloop.loop.home.annotations import show_annotations
from fieldloop.loop.house.tokens import issue_token
from fieldloop.model.agreement import AgreementEstimate, AgreementReport, AgreementVector
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.finding import Status
from fieldloop.model.labelling import TaskReason
from fieldloop.model.note import note
from fieldloop.model.person import Actor, Duty, Role
from fieldloop.report.agree import render_agreement_page
from fieldloop.say.agreement import list_readings, write_reading
from fieldloop.ui import mount_ui
from fieldloop.ui.pages import annotate
from fieldloop.ui.pages.annotate_tasks import ASKS
from fieldloop.ui.visit import Visit

LATER_NS = 150_000_000


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    opened = story_workspace(tmp_path_factory.mktemp("queue") / "w")
    by_episode = defaultdict(list)
    for span in opened.store.find(Annotation, {"author": "ann-1", "kind": "phase"}):
        by_episode[span.episode].append(replace(span, author="ann-2", end_ns=span.end_ns + LATER_NS))
    for episode, spans in by_episode.items():  # a second person, who sees every end a little later
        shown = [replace(one, start_ns=one.start_ns + LATER_NS * bool(k)) for k, one in enumerate(spans)]
        opened.write(EpisodeAnnotated(episode, "phase", "ann-2", tuple(shown)))
    yield opened
    opened.close()


def draw(workspace):
    return "".join(map(str, annotate.draw(Visit(workspace)).parts))


def test_the_boundary_agreed_on_least_is_named(workspace):
    found = show_annotations(workspace).agreement
    worst = max(found.boundaries, key=lambda one: one.mae_frames.value or 0)
    assert f"Largest difference at {worst.name}: {worst.mae_frames.value:.3g} frames" in draw(workspace)


def test_the_page_gives_the_verdicts_of_agree(workspace):
    shown, agreed = show_annotations(workspace).agreement, compare_annotators(workspace, kind=("phase",)).report
    for ours, theirs in ((shown.vectors, agreed.vectors), (shown.pairs, agreed.pairs)):
        assert [replace(one, gamma=AgreementEstimate()) for one in theirs] == list(ours)
    assert (shown.min_kappa, shown.max_boundary_frames) == (agreed.min_kappa, agreed.max_boundary_frames)


def test_no_high_number_stands_alone():
    numbers = (0.8, 9.0, None, None, None, 1.0, 0.95, 0.33, 1.0, 0.99)
    vector = AgreementVector("phase", ("a", "b"), 2, 9, *map(AgreementEstimate, numbers))
    sentence = write_reading(vector)
    assert sentence.index("0.33 where nine tenths") < sentence.index("Gamma 0.99 forgives such shifts")
    read = {one.name: one for one in list_readings(vector, 0.8, 3.0)}
    assert list(read) == ["Edit", "Gamma", "F1@10", "F1@50", "F1@90", "Boundaries apart", "Kappa"]
    one_sided = replace(
        vector, kappa=AgreementEstimate(0.8, 0.7, 0.9), boundary_mae_frames=AgreementEstimate(2.0, 1.0, 2.5)
    )
    few = replace(one_sided, status=Status.CANNOT_TELL, reason=note("agree.too_few_episodes", episodes=2, least=5))
    for given, expected in (
        (vector, [Status.CANNOT_TELL, Status.CANNOT_TELL]),  # no interval
        (one_sided, [Status.PASSED, Status.CANNOT_TELL]),
        (replace(one_sided, kappa=AgreementEstimate(0.5, 0.4, 0.6)), [Status.PASSED, Status.FAILED]),
        (few, [Status.CANNOT_TELL, Status.CANNOT_TELL]),
    ):
        readings = list_readings(given, 0.75, 3.0)
        assert [one.status for one in readings[:-2]] == [None] * 5, "no limit"
        assert [one.status for one in readings[-2:]] == expected
    page = render_agreement_page(AgreementReport(("a", "b"), 2, 30.0, (vector,), *[()] * 7, 0.8, 3.0))
    assert "a tenth of a segment&#39;s length costs 1 %" in page
    assert "90 % of the joint length must be shared" in page


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


def test_no_door_shows_labels_of_others_to_independent_annotators(tmp_path):
    """The player, its routes and the episode's page each read labels on a way of their own; one rule holds on all."""
    here = make_workspace(tmp_path)
    first, *_ = here.store.find(Episode)
    annotate_episode(here, first, "ann-1", FIRST)
    deal_tasks(here, (first.name,), annotator=("ann-1", "ann-2"))
    app = build_app(lambda: here)
    mount_ui(app, lambda: here)

    def log_in(person, role):
        secret = issue_token(here, person, role=role).secret
        return Visitor(app, AWAY, host="site.example", authorization=f"Bearer {secret}")

    def authors(visitor):
        views = (visitor.get(f"/api/look/{first.id}/{part}").json()["segments"] for part in ("view", "checked"))
        return {one["author"] for spans in views for one in spans}

    lead = log_in("lea", Role.ENGINEER)
    assert authors(lead) == {"machine:signals", "ann-1"}  # who may see all opens the episode first
    blind = [log_in(person, Role.ANNOTATOR) for person in ("ann-2", "ann-3")]  # the other half, and someone beside it
    doors = (
        f"/api/look/episode?episode={first.id}", f"/api/ingest/show?episode={first.id}", "/api/annotate/show",
        f"/api/annotate/labels?episode={first.id}", f"/episodes/{first.id}", f"/annotate/{first.id}",
    )  # fmt: skip
    for path in doors:
        assert "ann-1" in lead.get(path).text, path
    for visitor in blind:
        assert authors(visitor) == set()
        for path in doors:
            answer = visitor.get(path)
            assert answer.status_code == 200, path
            assert "ann-1" not in answer.text, path
            assert ("machine:signals" in answer.text) == (path == "/api/annotate/show"), path  # of other episodes
    here.close()
