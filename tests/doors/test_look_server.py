"""The server of the explorer: one visitor, files of the opened set alone, and the same routes in a workspace."""

from dataclasses import replace

import pytest
from tests.doors.visitor import AWAY, Visitor

from fieldloop.api.app import build_app
from fieldloop.cli.look import build_look_app
from fieldloop.errors import BadInput
from fieldloop.loop.data import ingest
from fieldloop.loop.look.of_path import open_path
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import CalibrationAttached, EpisodeAnnotated
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.writers import write_lerobot
from fieldloop.store import open_shelf
from fieldloop.testing import synthetic
from fieldloop.testing.marked_video import make_marked_recording

KEY, FRAMES = "for-one-visitor", 20
OUTSIDE = (
    "/api/look/7/view", "/api/look/..%2F..%2Fsecret/view", "/api/look/0/cameras/5/video", "/assets/../secret",
    "/api/look/0/cameras/0/frames/900", "/api/look/0/signals/99", "/api/look/0/cameras/-1/video",
    "/api/look/0/cameras/0/video/../../../../secret", "/api/look/%2Fetc%2Fpasswd/view",
)  # fmt: skip


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    write_lerobot([make_marked_recording(number, FRAMES, size=(64, 48)) for number in (1, 2)], folder / "h264")
    return folder


@pytest.fixture(scope="module")
def workspace(datasets):
    create_workspace(datasets / "w")
    here = open_workspace(datasets / "w")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "run_each", lambda work, items, **_: map(work, items))
        ingest.ingest_logs(here, (datasets / "h264",))
    yield here
    here.close()


def test_the_page_opens_once_on_this_machine_and_shows_nothing_else(datasets, tmp_path):
    (tmp_path / "secret").write_text("not of the set")
    app = build_look_app(open_path(datasets / "h264"), "0", KEY)
    stranger, guest = Visitor(app), Visitor(app)
    assert stranger.get("/").status_code == 403
    assert stranger.get("/api/look/0/view").status_code == 403
    assert stranger.get("/?key=guessed").status_code == 403
    assert guest.get(f"/?key={KEY}&episode=1").headers["location"] == "/?episode=1"
    assert guest.get("/?episode=1").status_code == 200
    assert guest.get("/api/look/1/view").json()["key"] == "1"
    assert stranger.get(f"/?key={KEY}").status_code == 403, "the address works once"
    assert Visitor(app, AWAY).get("/").status_code == 403
    assert Visitor(app, host="evil.example").get("/").status_code == 403
    guest.headers = {"origin": "http://evil.example"}
    assert guest.get("/api/look/1/view").status_code == 403
    guest.headers = {}
    for path in (*OUTSIDE, f"/{tmp_path}/secret"):
        assert guest.get(path).status_code in (404, 422), path


def test_two_explorers_at_once_do_not_shut_each_other_out(datasets):
    """A browser sends the cookies of a host to all its ports."""
    apps = [build_look_app(open_path(datasets / "h264"), "0", key) for key in ("first", "second")]
    guests = [Visitor(app, host=f"127.0.0.1:{8090 + n}") for n, app in enumerate(apps)]
    guests[1].cookies = guests[0].cookies
    for guest, key in zip(guests, ("first", "second"), strict=True):
        assert guest.get(f"/?key={key}").status_code == 303
        for other in guests:
            other.cookies = guest.cookies
    assert [guest.get("/api/look/0/view").status_code for guest in guests] == [200, 200]


def test_a_log_beyond_the_limit_is_refused_with_its_reason(workspace):
    key = workspace.store.find(Episode)[0].id
    stated = workspace.root / "operations.toml"
    before = stated.read_text()
    stated.write_text(f"{before}\n[look.max_log_gb]\nvalue = 1e-6\n")
    answer = Visitor(build_app(lambda: workspace)).get(f"/api/look/{key}/view")
    stated.write_text(before)
    assert answer.status_code == 403
    assert "too large to open for the player (operations: look.max_log_gb)" in answer.json()["detail"]


def test_cookies_that_are_not_of_this_page_are_ignored(datasets):
    app = build_look_app(open_path(datasets / "h264"), "0", KEY)
    guest = Visitor(app)
    guest.get(f"/?key={KEY}")
    (own,) = (f"{name}={value}" for name, value in guest.cookies.items())
    name = own.partition("=")[0]
    for foreign, status in (("caf\u00e9=\u00e9", 403), (f"{name}=\u00e9\u00e9", 403), (f'a={{"b": [1]}}; {own}', 200)):
        headers = {"cookie": foreign.encode("latin-1")}
        assert Visitor(app).get("/api/look/0/view", headers=headers).status_code == status, foreign


def test_a_video_is_sent_by_ranges(datasets):
    app = build_look_app(open_path(datasets / "h264"), "0", KEY)
    guest = Visitor(app)
    guest.get(f"/?key={KEY}")
    file = next((datasets / "h264/videos/observation.images.front").rglob("*.mp4")).read_bytes()
    address = "/api/look/0/cameras/0/video"
    part = guest.get(address, headers={"range": "bytes=10-29"})
    assert (part.status_code, part.content) == (206, file[10:30])
    assert part.headers["content-range"] == f"bytes 10-29/{len(file)}"
    rest = guest.get(address, headers={"range": f"bytes={len(file) - 5}-"})
    assert rest.content == file[-5:]
    assert guest.get(address, headers={"range": f"bytes={len(file)}-"}).status_code == 416
    assert guest.get(address, headers={"range": "bytes=9-3"}).status_code == 416
    assert guest.get(address, headers={"range": "bytes=0-4,6-9"}).content == file, "several ranges: the whole file"
    assert guest.get(address).content == file


def test_an_episode_of_a_workspace_has_the_same_routes(workspace):
    visitor = Visitor(build_app(lambda: workspace))
    episode = workspace.store.find(Episode)[0]
    view = visitor.get(f"/api/look/{episode.id}/view").json()
    assert view["schema"] == "look/1"
    assert view["findings"] is not None, "it was checked when it was ingested"
    assert visitor.get(f"/api/look/episode?episode={episode.id}").json() == view
    assert visitor.get(f"/api/look/{episode.name}/view").json()["key"] == episode.id, "by name, too"
    assert visitor.get(f"/api/look/{episode.id}/cameras/0").json()["packets"]["codec"].startswith("avc1.")
    assert visitor.get(f"/api/look/{episode.id}/cameras/0/frames/3").headers["content-type"] == "image/png"
    assert visitor.get("/api/look/nothing/view").status_code == 404
    assert Visitor(build_app(lambda: workspace), AWAY).get(f"/api/look/{episode.id}/view").status_code == 401


def test_labels_and_calibrations_are_those_of_now(workspace):
    visitor = Visitor(build_app(lambda: workspace))
    episode = workspace.store.find(Episode)[1]
    address = f"/api/look/{episode.id}/view"
    assert visitor.get(address).json()["segments"] == []
    begin = visitor.get(address).json()["start_ns"]
    label = Annotation(episode.id, "phase", "grasp", int(begin), int(begin) + NS_PER_S // 4, "anna")
    workspace.write(
        EpisodeAnnotated(episode.id, "phase", "anna", (label,)),
        CalibrationAttached(synthetic.make_healthy_case().calibrations[0]),
    )
    now = visitor.get(address).json()
    assert [(one["label"], one["start_s"], one["end_s"]) for one in now["segments"]] == [("grasp", 0.0, 0.25)]
    assert [(one["sensor"], one["level"]) for one in now["calibrations"]] == [("camera/overhead", "good")]


def test_a_path_without_a_log_is_refused_before_anything_is_served(tmp_path):
    with pytest.raises(BadInput):
        open_path(tmp_path / "absent")


def test_a_log_that_is_gone_is_stated(workspace, tmp_path):
    gone = replace(workspace, shelf=open_shelf("memory://"), root=tmp_path)
    episode = workspace.store.find(Episode)[0]
    answer = Visitor(build_app(lambda: gone)).get(f"/api/look/{episode.id}/view")
    assert (answer.status_code, set(answer.json())) == (200, {"schema", "key", "cannot_open"})
    assert answer.json()["schema"] == "look-cannot-open/1"
    assert "not on the shelf" in answer.json()["cannot_open"]
