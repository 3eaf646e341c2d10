"""Checks: what all numeric ones cost beside merely reading, and how throughput grows with workers, here and on Ray.

One LeRobot dataset (14 joints and actions, two cameras, 300 frames an episode; 200 episodes in the long form, 26 in the
short one) made by our own writer. CPU seconds of one process, files in the page cache: `ingest --dry-run` reads every
stream; the check reads the same, asks every question that needs no pixels, takes imprints, asks the questions about
many and judges. The ratio is taken run by run, one after the other.
Throughput counts wall time of all parts by as many workers, their start included; there are as many cores as the table
says, more workers than that cannot help.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.format_speed.lerobot_read import Corpus
from bench.harness import Figure, main, summarise
from fieldloop.loop.data.check import Gathered
from fieldloop.loop.data.dry_run import list_log
from fieldloop.loop.work.measure_part import Part, PartResult, Rules, measure_part
from fieldloop.loop.work.parts import cut_into_parts
from fieldloop.loop.work.run_on import count_cores, run_each
from fieldloop.protocol import default_protocol
from fieldloop.release.writers import write_lerobot

SHORT, LONG = 26, 200
SHORT_PICTURES, LONG_PICTURES = 6, 25


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure ratios and throughput."""
    episodes, repeats = (SHORT, 6) if short else (LONG, 9)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "dataset"
        write_lerobot(Corpus(episodes), folder)
        figures = {
            **_cost(folder, episodes, repeats),
            **_pictures_cost(folder, SHORT_PICTURES if short else LONG_PICTURES),
            **_throughput(folder, episodes),
        }
    return {"episodes": Figure(episodes), "cores": Figure(count_cores()), **figures}


def _cost(folder: Path, episodes: int, repeats: int) -> dict[str, Figure]:
    parts = cut_into_parts((folder,), None, pixels=False).parts
    list_log((folder, ""), mapping=None)
    _check(parts)  # everything imported, the page cache warm
    reading, checking = [], []
    for _ in range(repeats):
        reading.append(_cpu(lambda: list_log((folder, ""), mapping=None)))
        checking.append(_cpu(lambda: _check(parts)))
    ratios = [c / r for c, r in zip(checking, reading, strict=True)]
    return {
        "numeric_vs_dry_run": summarise(ratios, "× ingest --dry-run", aim="≤ 3"),
        "dry_run_ms_per_episode": summarise([1e3 * r / episodes for r in reading], "ms"),
        "numeric_ms_per_episode": summarise([1e3 * c / episodes for c in checking], "ms"),
    }


def _pictures_cost(folder: Path, count: int) -> dict[str, Figure]:
    """Time the checks of some episodes with their pictures, one by one; the first only warms up."""
    rules, (whole, *_) = Rules(default_protocol()), cut_into_parts((folder,), None).parts
    each = [replace(whole, start=start, stop=start + 1) for start in range(count + 1)]
    spent = [_cpu(partial(measure_part, part, rules)) for part in each][1:]
    return {"with_pictures_ms_per_episode": summarise([1e3 * seconds for seconds in spent], "ms")}


def _check(parts: tuple[Part, ...]) -> None:
    rules = Rules(default_protocol())
    gathered = Gathered(rules)
    for part, result in gathered.add_and_yield_results((part, measure_part(part, rules)) for part in parts):
        gathered.add_result(part, result)
    gathered.make_report("bench")


def _throughput(folder: Path, episodes: int) -> dict[str, Figure]:
    parts = cut_into_parts((folder,), None, pixels=False).parts
    figures = {}
    for workers in (1, 2):
        spent = _wall(partial(_all, parts, workers))
        figures[f"episodes_per_s_{workers}_workers"] = Figure(episodes / spent, unit="episodes/s, once")
    for nodes in (1, 2):
        with _cluster(nodes) as there:
            if there:
                spent = _wall(lambda: list(run_each(_measured(), parts, on="ray")))
                figures[f"episodes_per_s_ray_{nodes}_nodes"] = Figure(episodes / spent, unit="episodes/s, once")
    return figures


def _measured() -> Callable[[Part], PartResult]:
    return partial(measure_part, rules=Rules(default_protocol()))


def _all(parts: Sequence[Part], workers: int) -> None:
    for _ in run_each(_measured(), parts, workers=workers):
        pass


@contextmanager
def _cluster(nodes: int) -> Iterator[bool]:
    """Start real nodes of one core each on this machine; nothing where Ray is not installed."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        yield False
        return
    one = {"num_cpus": 1, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=one)
    for _ in range(nodes - 1):
        made.add_node(num_cpus=1)
    made.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = made.address
    try:
        yield True
    finally:
        del os.environ["RAY_ADDRESS"]
        made.shutdown()


def _cpu(do: Callable[[], object]) -> float:
    start = time.process_time()
    do()
    return time.process_time() - start


def _wall(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(measure)
