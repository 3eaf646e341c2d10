"""How fast is the data of each page read, over a million outcomes and twenty thousand episodes?

Home, the list of episodes, the floor and one call of the monitor, on SQLite. Beside them the plain way: every noun
read and counted one by one, on the same store. Both ways give the same answers; tests compare them.
"""

import itertools
import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import event as database_event

from bench.harness import Figure, main, summarise
from fieldloop.loop.audit.audit import audit, require_latest_deployment
from fieldloop.loop.home.diagnoses import show_diagnosis
from fieldloop.loop.home.episodes import find_episodes
from fieldloop.loop.home.floor import show_floor
from fieldloop.loop.home.home import show_home
from fieldloop.loop.plan.plan import plan
from fieldloop.loop.run.monitor import list_baselines, monitor
from fieldloop.loop.workspace import Workspace, create_workspace, open_workspace
from fieldloop.model.alarm import Alarm
from fieldloop.model.annotation import Annotation
from fieldloop.model.deployment import Deployment
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import (
    EpisodeAnnotated,
    EpisodeJudged,
    Event,
    LogIngested,
    OutcomeRecorded,
    PolicyTrained,
    ReleaseFrozen,
    RolloutMoved,
)
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.model.response_event import AlarmRaised, DiagnosisMade
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.stream import NS_PER_DAY, NS_PER_S
from fieldloop.model.taxonomy import PHASES
from fieldloop.monitor import count_daily_rates, watch_production
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.mix import get_deployment_toml
from fieldloop.store import open_shelf
from fieldloop.testing.samples import make_sample_noun

NOW_NS = 1_760_000_000 * NS_PER_S
DAYS = 120
"""The outcomes spread over this long; the charts show eight weeks of it."""
POLICIES = [f"{number:064x}" for number in range(0xABC0, 0xABC4)]
CHUNK = 20_000
SINCE_THE_PLAN = 10
"""One episode in this many came in after the plan was drawn."""


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Build a store, then read each page's data several times."""
    outcomes, episodes, rounds = (100_000, 2_000, 7) if short else (1_000_000, 20_000, 15)
    with tempfile.TemporaryDirectory(prefix="bench-reads-") as name:
        workspace = build(Path(name), outcomes, episodes)
        pages: dict[str, Callable[[], Any]] = {
            "home": lambda: show_home(workspace),
            "episodes": lambda: find_episodes(workspace),
            "episodes_filtered": lambda: find_episodes(workspace, status="failed", text="bin", where=("site=leipzig",)),
            "floor": lambda: show_floor(workspace),
            "diagnosis": lambda: show_diagnosis(workspace),
        }
        figures: dict[str, Figure] = {}
        for page, read in pages.items():
            figures[f"{page}_ms"] = summarise([1000 * s for s in seconds(read, rounds)], "ms", "≤ 200")
            figures[f"queries_{page}"] = Figure(float(queries(workspace, read)), unit="queries", aim="≤ 20")
        figures["monitor_s"] = summarise(seconds(lambda: monitor(workspace), rounds), "s")
        figures["queries_monitor"] = Figure(float(queries(workspace, lambda: monitor(workspace))), unit="queries")
        few = 1 if not short else 3
        figures["monitor_plain_s"] = summarise(seconds(lambda: plain_monitor(workspace), few), "s")
        plain = seconds(lambda: plain_episodes(workspace), few)
        figures["episodes_plain_ms"] = summarise([1000 * s for s in plain], "ms")
        workspace.close()
    return figures


def seconds(read: Callable[[], Any], rounds: int) -> list[float]:
    """Time a read; the first call, which loads modules, is not counted."""
    read()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        read()
        times.append(time.perf_counter() - begin)
    return times


def queries(workspace: Workspace, read: Callable[[], Any]) -> int:
    """Count the statements that reach the database."""
    asked: list[str] = []
    engine = workspace.store._database._engine  # type: ignore[attr-defined]  # noqa: SLF001 - nothing else sees them

    def count(*given: Any) -> None:
        asked.append(given[2])

    database_event.listen(engine, "before_cursor_execute", count)
    try:
        read()
    finally:
        database_event.remove(engine, "before_cursor_execute", count)
    return len(asked)


def plain_monitor(workspace: Workspace) -> Any:
    """Read every outcome, count days, then look for alarms."""
    zones = {site.id: site.time_zone for site in require_latest_deployment(workspace).sites}
    days = count_daily_rates(workspace.store.find(Outcome, {"stage": Stage.PRODUCTION}), zones)
    settings = workspace.operations["monitor"]
    earlier = workspace.store.find(Alarm)
    return watch_production(days, list_baselines(workspace), settings, workspace.clock(), workspace.ids, earlier)


def plain_episodes(workspace: Workspace) -> Any:
    """Read every episode twice, as statuses and as nouns, and filter them here."""
    statuses = {e.id: status for status in Status for e in workspace.store.find(Episode, {"status": status})}
    every = workspace.store.find(Episode, newest=True)
    return [one for one in every if statuses.get(one.id) is Status.FAILED and "bin" in str(one.stratum)]


def build(folder: Path, outcomes: int, episodes: int) -> Workspace:
    """Fill a workspace: a mapped floor, episodes with verdicts and phases, a plan, policies, months of outcomes."""
    create_workspace(folder / "w", name="bench")
    (folder / "w" / "deployment.toml").write_text(get_deployment_toml(), encoding="utf-8")
    (folder / "w" / "skus.csv").write_text(get_item_master_csv(), encoding="utf-8")
    workspace = open_workspace(folder / "w", shelf=open_shelf("memory://"), clock=lambda: NOW_NS)
    audit(workspace)
    made = list(itertools.chain.from_iterable(_episodes(workspace, range(episodes))))
    before = len(made) * (SINCE_THE_PLAN - 1) // SINCE_THE_PLAN
    _write(workspace, made[:before])
    plan(workspace, budget=100)
    _write(workspace, made[before:])
    _write(workspace, _shipped(episodes))
    mapped = require_latest_deployment(workspace)
    for start in range(0, outcomes, CHUNK):
        _write(workspace, [_outcome(mapped, n, outcomes) for n in range(start, min(start + CHUNK, outcomes))])
    _write(workspace, [_trial(mapped, n) for n in range(400)])
    return workspace


def _write(workspace: Workspace, events: Sequence[Event]) -> None:
    for start in range(0, len(events), CHUNK):
        workspace.write(*events[start : start + CHUNK])


def _episodes(workspace: Workspace, numbers: range) -> Any:
    chance = random.Random(0)
    mapped = require_latest_deployment(workspace)
    skus = [sku.id for sku in mapped.skus]
    passing = Finding("timing.rate", Subject("camera"), Status.PASSED, 30.0, 25.0, None, "Hz")
    failing = Finding("motion.jerk", Subject("arm"), Status.FAILED, 9.0, None, 5.0, "m/s³")
    for number in numbers:
        stratum = chance.choice(mapped.exposures).stratum
        start_ns = NOW_NS - (len(numbers) - number) * DAYS * NS_PER_DAY // len(numbers)
        episode = Episode(
            f"{number:064x}", f"pick-{number}", "mcap", "pick", f"arm-{number % 12}", stratum.level("site") or "",
            f"op-{number % 20}", stratum=stratum, start_ns=start_ns, end_ns=start_ns + 12 * NS_PER_S, simulated=False,
            succeeded=True, facts=(("sku", chance.choice(skus)), ("lux", str(number % 700))),
        )  # fmt: skip
        log = Log(Blob(f"{number:064x}", 10_000_000), f"pick-{number}.mcap", "mcap", (episode.id,))
        bad = number % 9 == 0
        findings = (passing,) * 70 + ((failing,) if bad else ())
        report = EpisodeReport(episode.id, episode.name, Status.FAILED if bad else Status.PASSED, findings)
        yield [LogIngested(log, (episode,)), EpisodeJudged("pick v1", report), _phases(episode)]


def _phases(episode: Episode) -> Event:
    edges = [episode.start_ns + at * 3 * NS_PER_S for at in range(len(PHASES) + 1)]
    spans = (Annotation(episode.id, "phase", p, edges[n], edges[n + 1], "auto") for n, p in enumerate(PHASES))
    return EpisodeAnnotated(episode.id, "phase", "auto", tuple(spans))


def _shipped(episodes: int) -> list[Event]:
    ids = tuple(f"{number:064x}" for number in range(episodes) if number % 9)
    release = replace(
        make_sample_noun(Release), id="e" * 64, name="r1", episodes=ids, train=ids, validation=(), excluded=()
    )
    versions = [
        replace(make_sample_noun(PolicyVersion), id=policy, name=f"p{n}", release=release.id)
        for n, policy in enumerate(POLICIES)
    ]
    fleet = replace(make_sample_noun(Rollout), candidate=POLICIES[0], incumbent=None, rung=Rung.FLEET)
    alarms = [
        replace(make_sample_noun(Alarm, n), policy=POLICIES[0], raised_ns=NOW_NS - n * NS_PER_DAY)
        for n in range(10, 20)
    ]
    found = [replace(make_sample_noun(Diagnosis, n), policy=POLICIES[0], site="", made_ns=NOW_NS) for n in range(5)]
    return [
        ReleaseFrozen(release), *map(PolicyTrained, versions), RolloutMoved(fleet), *map(AlarmRaised, alarms),
        *map(DiagnosisMade, found),
    ]  # fmt: skip


def _outcome(mapped: Deployment, number: int, total: int) -> OutcomeRecorded:
    """Make an outcome; most are of the version in production."""
    stratum = mapped.exposures[number * 7919 % len(mapped.exposures)].stratum
    succeeded = number % 7 != 0
    return OutcomeRecorded(
        Outcome(
            f"outcome_{number:026d}",
            POLICIES[0] if number % 5 else POLICIES[number % 4],
            stratum,
            Stage.PRODUCTION,
            stratum.level("site") or "",
            f"arm-{number % 12}",
            NOW_NS - (total - number) * DAYS * NS_PER_DAY // total,
            succeeded,
            "sensor",
            None if succeeded else FailureClass.GRASP,
            cycle_s=6.25,
            confidence=0.5,
            item=mapped.skus[number % len(mapped.skus)].id,
        )
    )


def _trial(mapped: Deployment, number: int) -> OutcomeRecorded:
    usual = _outcome(mapped, number, 400).outcome
    return OutcomeRecorded(replace(usual, id=f"trial_{number}", stage=Stage.LAB, policy=POLICIES[number % 4]))


if __name__ == "__main__":
    main(measure)
