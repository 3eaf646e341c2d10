"""How long a release of many episodes takes to freeze, to compare and to verify, and to write as files.

The episodes are planted as events: ten thousand, in sessions of twenty, of four operators and three strata, judged and
labelled with eight phases each. Freezing asks every dataset check and searches the split. Comparing leaves values out,
so that no log is opened. Exporting writes LeRobot files of as many short episodes of numbers (metadata is what costs),
and of episodes with a video of 160 × 120.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.harness import Figure, summarise
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_diff import compare_two_releases
from fieldloop.loop.workspace import Workspace, create_workspace, open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Blob, Episode, Log, Recording
from fieldloop.model.event import DeploymentMapped, EpisodeAnnotated, EpisodeJudged, Event, LogIngested
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.taxonomy import PHASES
from fieldloop.release.writers import write_lerobot
from fieldloop.testing.barcode import MarkedPictures

PASSED = Finding("timing.jitter", NO_SUBJECT, Status.PASSED, 0.1, None, 1.0, "ms")
START_NS, EACH, CHUNK, HZ, FAILED_SHARE = 1_760_000_000 * NS_PER_S, 20, 2_000, 30, 0.1
STRATA = (Stratum.of(lighting="bright"), Stratum.of(lighting="dim"), Stratum.of(lighting="bright", bin="side"))


def measure_freezing(folder: Path, episodes: int, rounds: int) -> Iterator[tuple[str, Figure]]:
    """Freeze and compare `rounds` times, on copies with other seeds."""
    workspace = plant(folder / "site", episodes)
    froze, compared, spent = [], [], []
    name = f"{episodes // 1000}k"
    try:
        for k in range(rounds):
            began, used = time.perf_counter(), time.process_time()
            freeze_release(workspace, f"r{k}", seed=k, override="a planted case")
            froze.append(time.perf_counter() - began)
            spent.append(time.process_time() - used)
        freeze_release(workspace, "dim", where=("lighting=dim",), override="a planted case")
        for k in range(rounds):
            began = time.perf_counter()
            compare_two_releases(workspace, f"r{k}", "dim", facts_only=True)
            compared.append(time.perf_counter() - began)
    finally:
        workspace.close()
    yield f"freeze_{name}_s", summarise(froze, "s")
    yield f"freeze_{name}_cpu_s", summarise(spent, "CPU s")
    yield f"diff_{name}_s", summarise(compared, "s")


def plant(root: Path, episodes: int) -> Workspace:
    """Make a workspace with judged and labelled episodes."""
    create_workspace(root)
    workspace = open_workspace(root)
    workspace.write(DeploymentMapped(Deployment("d", "pick", (), (), measured=(Exposure(STRATA[0], 1.0),))))
    random = np.random.default_rng(0)
    for first in range(0, episodes, CHUNK):
        made = [_make_episode(n, random) for n in range(first, min(first + CHUNK, episodes))]
        log = Log(Blob(f"{first:064x}", 1), f"log-{first}", "mcap", tuple(e.id for e in made))
        events: list[Event] = [LogIngested(log, tuple(made))]
        events += [EpisodeJudged("p", EpisodeReport(e.id, e.name, Status.PASSED, (PASSED,))) for e in made]
        events += [EpisodeAnnotated(e.id, "phase", "anna", tuple(_label(e))) for e in made]
        workspace.write(*events)
    return workspace


def _make_episode(number: int, random: np.random.Generator) -> Episode:
    start = START_NS + number * 20 * NS_PER_S
    failed = bool(random.random() < FAILED_SHARE)
    return Episode(
        f"{number:08x}" * 8, f"e{number}", "mcap", "pick", "arm-1", "hall-1", f"op-{number // EACH % 4}",
        f"session-{number // EACH}", stratum=STRATA[int(random.choice(3, p=(0.6, 0.3, 0.1)))], start_ns=start,
        end_ns=start + int(random.normal(9, 1) * NS_PER_S), simulated=False, succeeded=not failed,
        failure="slip" if failed else "", facts=(("sku", f"SKU-{random.integers(200)}"),),
    )  # fmt: skip


def _label(episode: Episode) -> Iterator[Annotation]:
    step = (episode.end_ns - episode.start_ns) // len(PHASES)
    for k, name in enumerate(PHASES):
        start = episode.start_ns + k * step
        yield Annotation(episode.id, "phase", name, start, start + step, "anna")


def measure_exports(folder: Path, numbers: int, videos: int) -> Iterator[tuple[str, Figure]]:
    """Write LeRobot files once: many episodes of numbers, some with video."""
    began = time.perf_counter()
    write_lerobot((_make_recording(n, video=False) for n in range(numbers)), folder / "numbers")
    yield f"export_{numbers}_numbers_s", Figure(time.perf_counter() - began, unit="s")
    began = time.perf_counter()
    write_lerobot([_make_recording(n, video=True) for n in range(videos)], folder / "videos", codec="h264")
    yield f"export_{videos}_videos_s", Figure(time.perf_counter() - began, unit="s")


def _make_recording(number: int, *, video: bool) -> Recording:
    frames = 90 if video else 20
    stamps = START_NS + number * 60 * NS_PER_S + np.arange(frames) * (NS_PER_S // HZ)
    random = np.random.default_rng(number)
    clocks = {ClockKind.HEADER: stamps}
    streams = [
        Stream("joints", StreamKind.JOINT_POSITION, "rad", clocks, random.normal(size=(frames, 7)), nominal_hz=HZ),
        Stream("action", StreamKind.ACTION, "rad", clocks, random.normal(size=(frames, 7)), nominal_hz=HZ),
    ]
    if video:
        source = MarkedPictures(0, number, frames, (160, 120), False)
        streams.append(Stream("camera/front", StreamKind.RGB, "8-bit", clocks, pictures=source, nominal_hz=HZ))
    episode = Episode(f"{number:08x}" * 8, f"e{number}", "made", "pick", session=f"s{number // EACH}")
    return Recording(episode, {stream.name: stream for stream in streams})
