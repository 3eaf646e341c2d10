"""Annotators over HTTP: under their own name only, two pages, a login that ends, and nothing of the other half."""

import threading

import pytest
from tests.doors.visitor import AWAY, Visitor
from tests.ingest.lerobot_makers import foreign
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.api.app import build_app
from fieldloop.loop.annotate import deal, save, tasks
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.loop.data import ingest
from fieldloop.loop.house import setup
from fieldloop.loop.house.tokens import issue_token, revoke_token
from fieldloop.loop.look.of_workspace import WorkspaceEpisodes, look_at_episode
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.audit import Audit
from fieldloop.model.event import DeploymentAudited
from fieldloop.model.person import Actor, Duty, Role
from fieldloop.store import open_shelf, open_store

CASES = tuple(case for case in USE_CASES if case.command.split()[0] in ("annotate", "taxonomy", "ingest"))
GOOD = segments(("approach", 0, 1), ("pre-grasp", 1, 2))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        yield opened


def log_in(workspace, name, *duties):
    issued = issue_token(workspace, name, role=Role.ANNOTATOR, duty=duties)
    visitor = Visitor(build_app(lambda: workspace, CASES), AWAY, host="fieldloop.example")
    headers = {"Authorization": f"Bearer {issued.secret}"}
    return (
        issued,
        lambda path, **body: visitor.post(f"/api/{path}", json=body, headers=headers),
        (lambda path, **params: visitor.get(f"/api/{path}", params=params, headers=headers)),
    )


def test_an_annotator_saves_under_the_own_name_only_and_a_stale_page_is_refused(here):
    _, post, get = log_in(here, "anna")
    first = post("annotate/save", episode="e0", segments_text=GOOD)
    assert (first.status_code, first.json()["author"], first.json()["revision"]) == (200, "anna", 1)
    other = post("annotate/save", episode="e0", segments_text=GOOD, author="ben")
    assert (other.status_code, other.json()["title"]) == (403, "Refused")
    assert post("annotate/save", episode="e0", segments_text="[]", revision=1).json()["revision"] == 2
    stale = post("annotate/save", episode="e0", segments_text=GOOD, revision=1, submit=True)
    assert (stale.status_code, stale.json()["title"]) == (409, "ChangedMeanwhile")
    wrong = post("annotate/save", episode="e0", segments_text=segments(("lift", 2, 1)), revision=2, submit=True)
    assert (wrong.status_code, wrong.json()["title"]) == (422, "BadInput")
    shown = get("annotate/labels", episode="e0").json()
    assert [(own["revision"], own["submitted"]) for own in shown["own"]] == [(3, False)]  # kept as a draft
    assert shown["taxonomy"]["labels"][0]["key"] == "1"
    assert post("annotate/deal").status_code == 403
    assert get("events").status_code == 403  # the ledger holds the labels of others


def test_a_login_that_ends_in_mid_annotation_loses_nothing(here):
    issued, post, _ = log_in(here, "anna")
    assert post("annotate/save", episode="e0", segments_text=GOOD).status_code == 200
    revoke_token(here, issued.id)
    assert post("annotate/save", episode="e0", segments_text=GOOD, revision=1, submit=True).status_code == 401
    _, post, get = log_in(here, "anna")
    (own,) = get("annotate/labels", episode="e0").json()["own"]
    assert (own["revision"], len(own["segments"])) == (1, 2)
    assert post("annotate/save", episode="e0", segments_text=GOOD, revision=1, submit=True).json()["submitted"]
    assert here.store.count(Annotation) == 2


def test_the_other_half_of_a_pair_is_hidden_on_every_route(here):
    deal.deal_tasks(here, ("e0",), annotator=("anna", "ben"))
    save.save_labels(acting(here, "ben"), "e0", segments_text=GOOD, submit=True)
    _, _, get = log_in(here, "anna")
    assert get("annotate/labels", episode="e0").json()["lanes"] == []
    assert get("ingest/show", episode="e0").json()["phases"] == []
    assert get("annotate/show").json()["phases"] == []
    _, _, lead = log_in(here, "lea", Duty.LEAD_ANNOTATOR)
    assert [lane["author"] for lane in lead("annotate/labels", episode="e0").json()["lanes"]] == ["ben"]


def test_people_who_take_tasks_at_the_same_moment_get_different_ones(tmp_path):
    with annotated_workspace(tmp_path, episodes=6, in_files=True) as first:
        dealt = {task.id for task in deal.deal_tasks(first).tasks}
        root = first.root
    taken, ready = [], threading.Barrier(6)

    def take(name):
        opened = open_workspace(root, actor=Actor(name, Role.ENGINEER))
        ready.wait()
        taken.append(tasks.take_next_task(opened).task.id)
        opened.close()

    threads = [threading.Thread(target=take, args=(f"eva-{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 6
    assert set(taken) <= dealt


def test_the_player_hides_the_other_half_too_whoever_opened_the_episode_first(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site", store=open_store("sqlite://"), shelf=open_shelf("memory://"))
    ingest.ingest_logs(opened, (foreign(tmp_path / "set", episodes=1),))
    opened.write(DeploymentAudited(Audit("d", (), 1.0, True)))
    name = "episode_000000"
    deal.deal_tasks(opened, (name,), annotator=("anna", "ben"))
    save.save_labels(acting(opened, "ben"), name, segments_text=segments(("lift", 0, 0.1)), submit=True)
    shared = WorkspaceEpisodes()
    for person, seen in (("local", 1), ("anna", 0), ("ben", 1), ("local", 1)):
        viewer = opened if person == "local" else acting(opened, person)
        assert len(shared.get_episode(viewer, name).make_view().segments) == seen
        assert len(look_at_episode(viewer, name).segments) == seen
    opened.close()
