"""Jobs on several processes, each finished one a line of JSON: a run that was stopped goes on where it was."""

import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.closed_loop import floors
from bench.closed_loop.trials import Trial
from bench.plan_loop import Run, Sizes
from fieldloop.protocol import default_operations

Line = dict[str, Any]
FLOORS = ("src/fieldloop/simulate/picking/*.py", "src/fieldloop/train/cloning.py", "bench/plan_loop.py")
PLANNERS = ("src/fieldloop/plan/*.py",)
"""What floors depend on, and what strategies do besides, with the settings of `plan`."""


@dataclass(frozen=True, slots=True)
class Job:
    """Prepare a floor (no strategy), or take a strategy through a trial on it."""

    trial: Trial
    seed: int
    strategy: str = ""

    @property
    def key(self) -> str:
        """What tells finished jobs from open ones; trials of one preset share their floors."""
        if not self.strategy:
            return f"{self.trial.preset} {self.seed}"
        rounds = self.trial.rounds_of(self.strategy)
        return f"{self.trial.name} {self.trial.budget:g}x{rounds} {self.seed} {self.strategy}"


def finished(folder: Path, sizes: Sizes) -> dict[str, Line]:
    """Read what this code has done with these sizes; a line that was cut off counts as not done."""
    file, found = folder / "rows.jsonl", dict[str, Line]()
    for text in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        if line["sizes"] == asdict(sizes) and line["code"] == code(planned="rows" in line):
            found[line["key"]] = line
    return found


def work(folder: Path, trials: Sequence[tuple[Trial, range, Sequence[str]]], sizes: Sizes, workers: int) -> None:
    """Do what is not done yet: floors first, then the strategies, in the order of the trials."""
    folder.mkdir(parents=True, exist_ok=True)
    for planned in (False, True):
        code(planned=planned)  # as it is now: what is edited meanwhile is not what runs
    floor_jobs = {job.key: job for trial, seeds, _ in trials for job in (Job(trial, seed) for seed in seeds)}
    for jobs in (list(floor_jobs.values()), list(_runs(trials))):
        done = finished(folder, sizes)
        _each(folder, [job for job in jobs if job.key not in done], sizes, workers)


def _runs(trials: Sequence[tuple[Trial, range, Sequence[str]]]) -> Iterator[Job]:
    for trial, seeds, strategies in trials:
        # the longest first, so that no core waits for one that began late
        for strategy in sorted(strategies, key=trial.rounds_of, reverse=True):
            yield from (Job(trial, seed, strategy) for seed in seeds)


def _each(folder: Path, jobs: Sequence[Job], sizes: Sizes, workers: int) -> None:
    with (folder / "rows.jsonl").open("a", encoding="utf-8") as file:

        def keep(line: Line) -> None:
            # begun with a line's end: what was cut off before stays a line of its own
            file.write("\n" + json.dumps(line))
            file.flush()
            print(f"{line['key']}: {line['cpu_s']:.0f} s", file=sys.stderr)

        if workers <= 1:
            for job in jobs:
                keep(_do(folder, job, sizes))
            return
        # processes fill the cores; threads of the linear algebra would only wait for each other
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            for future in as_completed([pool.submit(_do, folder, job, sizes) for job in jobs]):
                keep(future.result())


@cache
def code(*, planned: bool) -> str:
    """A name for the state of what floors, or what plans on them depend on: two states do not stand in one table."""
    root = Path(__file__).parents[2]
    patterns = FLOORS + PLANNERS if planned else FLOORS
    files = sorted(file for pattern in patterns for file in root.glob(pattern))
    text = b"".join(file.read_bytes() for file in files)
    settings = default_operations()["plan"].fingerprint if planned else ""
    return hashlib.sha256(text + settings.encode()).hexdigest()[:12]


def _do(folder: Path, job: Job, sizes: Sizes) -> Line:
    began, trial = time.process_time(), job.trial
    line: Line = {"key": job.key, "code": code(planned=bool(job.strategy)), "sizes": asdict(sizes)}
    if job.strategy:
        here = floors.opened(folder, trial.preset, job.seed, sizes)
        settings = default_operations()["plan"].replace_values(
            draws=2
        )  # intervals of expected gains are not looked at here
        taken = Run(here, job.strategy, trial.budget, settings).rows(trial.rounds_of(job.strategy))
        line |= {"rows": [asdict(row) for row in taken]}
    else:
        line |= floors.prepare(folder, trial.preset, job.seed, sizes)
    return line | {"cpu_s": time.process_time() - began}
