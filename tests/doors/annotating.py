"""A server of a workspace with three short episodes, proposals and two annotators, and a page that is opened on it."""

import contextlib
import json
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from playwright.sync_api import Error

from fieldloop.api.app import build_app
from fieldloop.cli.up import bind_socket
from fieldloop.loop.data import ingest
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.audit import Audit
from fieldloop.model.episode import Episode
from fieldloop.model.event import DeploymentAudited, EpisodeAnnotated, EpisodeJudged
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.release.writers import write_lerobot
from fieldloop.testing.marked_video import make_marked_recording
from fieldloop.ui import mount_ui

FRAMES, HZ = 90, 30
EDITOR = "document.querySelector('[data-island=\"annotate.js\"]').editor"
MS = 1_000_000
PROPOSED = (("approach", 0, 500), ("pre-grasp", 500, 1000), ("grasp", 1000, 1500), ("lift", 1500, 2900))
FIRST = (("approach", 0, 500), ("grasp", 500, 1500), ("lift", 1500, 2900))
SECOND = (("approach", 0, 700), ("grasp", 700, 1500), ("transport", 1500, 2900))


def make_workspace(folder):
    write_lerobot([make_marked_recording(n, FRAMES, cameras=1, size=(64, 48)) for n in (1, 2, 3)], folder / "set")
    create_workspace(folder / "w")
    here = open_workspace(folder / "w")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "run_each", lambda work, items, **_: map(work, items))
        ingest.ingest_logs(here, (folder / "set",))
    here.write(DeploymentAudited(Audit("d", (), 1.0, True)))
    for one in here.store.find(Episode):
        here.write(EpisodeJudged("p", EpisodeReport(one.id, one.name, Status.PASSED, ())))
        annotate(here, one, "machine:signals", PROPOSED, 0.8)
    return here


def annotate(workspace, episode, author, rows, confidence=None):
    spans = tuple(
        Annotation(episode.id, "phase", label, episode.start_ns + start * MS, episode.start_ns + end * MS, author,
                   confidence=confidence)
        for label, start, end in rows
    )  # fmt: skip
    workspace.write(EpisodeAnnotated(episode.id, "phase", author, spans))


@contextmanager
def serving(workspace):
    app = build_app(lambda: workspace)
    mount_ui(app, lambda: workspace)
    listening = bind_socket("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)


class Desk:
    """One page of an annotator."""

    def __init__(self, context, address, episode, query=""):
        self.page = context.new_page()
        self.wrong = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.goto(f"{address}/annotate/{episode.id}{query}")
        self.wait()

    def wait(self):
        self.until(f"{EDITOR} && document.querySelector('[data-island]').dataset.ready && {EDITOR}.player.settled")

    def get(self, expression):
        return self.page.evaluate(f"{EDITOR}.{expression}")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, seconds):
        self.page.evaluate(f"{EDITOR}.player.seekTime({seconds})")

    def strike(self, key):
        """Strike a key inside the page, and return the playhead's time at that very moment."""
        return self.page.evaluate(
            f"(key) => {{ const t = {EDITOR}.player.time; document.body.dispatchEvent(new KeyboardEvent('keydown', "
            "{ key, bubbles: true })); return t; }",
            key,
        )

    def shows(self):
        """What the own lane shows: label, start, end."""
        rows = json.loads(self.page.evaluate(f"JSON.stringify({EDITOR}.list)"))
        return [(one["label"], round(one["start_s"], 3), round(one["end_s"], 3)) for one in rows]

    def until(self, expression, seconds=15):
        """Wait for something. Playwright's own wait needs `eval`, which the page's policy forbids."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            with contextlib.suppress(Error):
                if self.page.evaluate(expression):
                    return
            self.page.wait_for_timeout(15)
        shown = self.page.evaluate(
            f"() => {{ const e = {EDITOR}, p = e?.player; return p && [p.playing, p.frame, p.settled, document.hidden, "
            "document.activeElement.tagName, e.said, e.draft.state]; }"
        )
        pytest.fail(f"never came: {expression}; {shown} {self.wrong}")

    def until_state(self, state):
        self.until(f"document.querySelector('.an').dataset.save === '{state}'")
