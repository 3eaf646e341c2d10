"""Runs worlds of a family on several cores and keeps their rows."""

import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from bench.answered.families import ANSWERED
from bench.answered.results import append_row, describe_run, read_finished, result_file, write_in_order
from bench.answered.row import Row
from bench.answered.seeds import derive_seed

Head = dict[str, Any]


def run_final(family: str, commit: str, worlds: int, workers: int, folder: Path | None) -> tuple[Head, list[Row]]:
    """Run the worlds that a commit determines; those already in the file are not run again."""
    file, head = result_file(family), describe_run(family, commit)
    seeds = [derive_seed(commit, index) for index in range(worlds)]
    done = read_finished(file, head)
    rest = [seed for seed in seeds if seed not in done]
    for row in run_worlds(family, rest, workers, folder, file, head):
        done[row.seed] = row
    rows = [done[seed] for seed in seeds]
    write_in_order(file, head, rows)
    return head, rows


def run_development(family: str, seeds: Sequence[int], workers: int, folder: Path | None) -> tuple[Head, list[Row]]:
    """Run worlds of chosen seeds anew; rows are left in the folder, where one is given."""
    file, head = folder / f"diagnose_{family}_development.jsonl" if folder else None, describe_run(family, "")
    if file:
        file.unlink(missing_ok=True)
    return head, run_worlds(family, seeds, workers, folder, file, head)


def run_worlds(
    family: str, seeds: Sequence[int], workers: int, folder: Path | None, file: Path | None, head: Mapping[str, Any]
) -> list[Row]:
    """Run worlds; each is written when it ends, so that a run that is stopped loses little."""
    answer, rows = ANSWERED[family].answer, []
    with ProcessPoolExecutor(max_workers=workers) as pool:
        waiting = {pool.submit(answer, seed, folder): seed for seed in seeds}
        for number, future in enumerate(as_completed(waiting), start=1):
            rows.append(future.result())
            if file:
                append_row(file, head, rows[-1])
            print(f"{number} of {len(seeds)}: world {waiting[future]}", file=sys.stderr, flush=True)
    return sorted(rows, key=lambda row: list(seeds).index(row.seed))
