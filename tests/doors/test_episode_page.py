"""One episode: findings with their moment and cost, frames and signals around it, and a page that outlives the log."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from fieldloop.loop.data import ingest
from fieldloop.loop.data.moment import Glimpse, show_moment
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeJudged
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Subject, note
from fieldloop.release.writers import write_lerobot
from fieldloop.store import open_shelf
from fieldloop.testing import synthetic
from fieldloop.ui.pages import episode as page
from fieldloop.ui.visit import Visit

AT_S = 2.917


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Two episodes in one log, so that the second one must be found in it."""
    folder = tmp_path_factory.mktemp("episodes")
    write_lerobot([synthetic.make_healthy_recording(seed=seed) for seed in (1, 2)], folder / "dataset")
    create_workspace(folder / "w")
    here = open_workspace(folder / "w")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "run_each", lambda work, items, **_: map(work, items))
        ingest.ingest_logs(here, (folder / "dataset",))
    yield here
    here.close()


@pytest.fixture
def second(workspace):
    found = workspace.store.find(Episode)[1]
    held = Finding(
        "force.window", Subject("gripper/effort"), Status.FAILED, 28.6, 5.0, 25.0, "N", low=27.0, high=30.0,
        at_s=AT_S, cost=0.4, fix=Fix(FixKind.TRIM, note("check.fix_idle_head")),
    )  # fmt: skip
    fine = Finding("timing.rate", Subject("joints"), Status.PASSED, 1.0, None, 2.0, "Hz")
    told = EpisodeReport(found.id, found.name, Status.FAILED, (fine, held), "pick v3")
    workspace.write(EpisodeJudged("f", told))
    return found


def html(workspace, episode, **query):
    return "".join(page.draw(Visit(workspace, query, {"episode": episode.id})).parts)


def test_a_finding_says_when_how_sure_and_how_dear(workspace, second):
    made = html(workspace, second)
    assert f'href="/episodes/{second.id}?at=2.92"' in made
    assert "27 to 30" in made
    assert "40 %" in made
    assert "A release can trim: Nothing moves before this time." in made
    assert "Judged by pick v3." in made
    assert "<figure" not in made, "no log is opened unless a moment is asked for"


def test_a_moment_shows_its_frames_and_signals(workspace, second):
    made = html(workspace, second, at="2.92")
    assert '<tr class="here">' in made
    assert made.count("<img ") == made.count("data:image/jpeg;base64,") >= 3
    assert 'aria-label="joints over the episode, 2.92 s marked"' in made


def test_the_frames_are_those_of_that_moment(workspace, second):
    import cv2

    seen = show_moment(workspace, second, 2.92)
    near = min(seen.frames, key=lambda frame: abs(frame.at_s - 2.92))
    assert abs(near.at_s - 2.92) <= 1 / 30
    data = np.frombuffer(base64.b64decode(near.picture.partition(",")[2]), np.uint8)
    shown = cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB).astype(float)
    camera = synthetic.make_healthy_recording(seed=2).streams[near.stream]
    frames = [frame.astype(float) for frame in camera.pictures.frames()]
    away = [np.abs(frame - shown).mean() for frame in frames]
    at_s = (camera.times_ns - camera.times_ns[0]) / 1e9
    assert abs(at_s[int(np.argmin(away))] - 2.92) <= 0.05


def test_what_was_seen_is_kept_and_the_rest_is_bounded(workspace, second, monkeypatch):
    first = show_moment(workspace, second, 1.0)
    monkeypatch.setattr("fieldloop.loop.data.moment.open_recording", None)
    assert show_moment(workspace, second, 1.0) == first
    assert isinstance(first, Glimpse)
    monkeypatch.undo()
    monkeypatch.setattr("fieldloop.loop.data.moment.MOST_KEPT", 2)
    for at_s in (1.5, 2.0, 2.5):
        show_moment(workspace, second, at_s)
    assert len(list((workspace.cache / "glimpses").glob("*.json"))) == 2


@pytest.mark.parametrize("at", ["-5", "1e9", "0"])
def test_a_moment_outside_is_the_nearest_inside(workspace, second, at):
    assert "<img " in html(workspace, second, at=at)


@pytest.mark.parametrize("at", ["", "soon", "nan", "inf", "<b>"])
def test_a_moment_that_is_none_is_not_shown(workspace, second, at):
    assert "<figure" not in html(workspace, second, at=at)


def test_the_page_outlives_its_log(workspace, second, tmp_path):
    gone = replace(workspace, shelf=open_shelf("memory://"), root=tmp_path)
    made = html(gone, second, at="0.77")
    assert "This moment cannot be shown" in made
    assert "interval 27 to 30" in made


def test_a_log_that_is_too_large_is_left_alone(workspace, second, monkeypatch):
    monkeypatch.setattr("fieldloop.loop.data.moment.LARGEST_LOG", 10)
    assert "too large to open for a single moment" in html(workspace, second, at="0.78")
