"""A workspace for annotation with a complete audit and accepted episodes, written as events: fast to make."""

import json
from contextlib import contextmanager

from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.audit import Audit
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import DeploymentAudited, EpisodeJudged, LogIngested
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.person import Actor, Role
from fieldloop.simulate.clock import SimulatedClock
from fieldloop.store import open_shelf, open_store

S = 10**9
NOW_NS = 1_760_000_000 * S
LENGTH_S = 8
BOUNDARIES = (0, 1, 2, 3, 4, 5, 6, 7, 8)


def episode(number, **facts):
    start = (1_700_000_000 + 100 * number) * S
    return Episode(f"{number:064x}", f"e{number}", "mcap", task="pick", start_ns=start,
                   end_ns=start + LENGTH_S * S, **facts)  # fmt: skip


@contextmanager
def annotated_workspace(root, episodes=3, *, edge=(), in_files=False):
    """Open a workspace with this many accepted episodes; those in `edge` were recorded in rare conditions."""
    create_workspace(root / "site", name="leipzig")
    clock = SimulatedClock(NOW_NS)
    kept = {} if in_files else {"store": open_store("sqlite://"), "shelf": open_shelf("memory://")}
    opened = open_workspace(root / "site", clock=clock, **kept)
    opened.write(DeploymentAudited(Audit("d", (), 1.0, True)))
    made = [episode(n, stratum=Stratum.of({"lighting": "dim" if n in edge else "bright"})) for n in range(episodes)]
    opened.write(LogIngested(Log(Blob("a" * 64, 1), "log", "mcap", tuple(e.id for e in made)), tuple(made)))
    opened.write(*(EpisodeJudged("pick v1", EpisodeReport(e.id, e.name, Status.PASSED, ())) for e in made))
    yield opened
    opened.close()


def acting(workspace, name, role=Role.ANNOTATOR, *duties):
    return workspace.acting_as(Actor(name, role, duties))


def segments(*rows):
    return json.dumps([{"label": label, "start_s": start, "end_s": end} for label, start, end in rows])
