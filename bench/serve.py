"""What serving adds to a policy's own latency, beside openpi's server pattern and LitServe, and robots held at 10 Hz.

Every server answers the same observation (two cameras of 224 × 224, 14 joints) with the same policy, on loopback, to a
client in a process of its own. The p99 of a block of calls is one run; servers take turns, so that what else the
machine does falls on all of them. `openpi pattern` is written here after openpi's server: one asyncio handler, msgpack,
and inference in the event loop. LitServe runs if it is installed, here or in the Python that LITSERVE_PYTHON names.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from bench.harness import Figure, Skipped, main, summarise

HERE = Path(__file__).parent
SERVERS = ("fieldloop", "openpi", "litserve")
PERIOD_S = 0.1
SHARE_IN_TIME = 0.99
MOST_ROBOTS = 48
START_S = 60.0


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Measure added latency by server, and how many robots each holds at 10 Hz."""
    blocks, calls = (8, 200) if short else (30, 300)
    figures: dict[str, Figure | Skipped] = {}
    with contextlib.ExitStack() as opened:
        ports = {name: opened.enter_context(_run_server(name)) for name in SERVERS}
        added: dict[str, list[tuple[float, float]]] = {name: [] for name in ports}
        for _ in range(blocks):
            for name, port in ports.items():
                if port:
                    waits = np.asarray(_ask(name, port, "latency", calls))
                    added[name].append((float(np.median(waits)), float(np.quantile(waits, 0.99))))
        for name, port in ports.items():
            figures |= _summarise_server(name, added[name], port)
        for name, port in ports.items():
            key = "robots_at_10hz" if name == "fieldloop" else f"robots_at_10hz_{name}"
            figures[key] = _find_most_robots(name, port, short=short) if port else _explain_missing()
    return figures


def _summarise_server(name: str, added: list[tuple[float, float]], port: int | None) -> dict[str, Figure | Skipped]:
    ending = "" if name == "fieldloop" else f"_{name}"
    aim = "≤ 1.5" if name == "fieldloop" else ""
    if not port:
        return {f"added_p99_ms{ending}": _explain_missing()}
    return {
        f"added_p99_ms{ending}": summarise([p99 for _, p99 in added], "ms", aim),
        f"added_p50_ms{ending}": summarise([p50 for p50, _ in added], "ms"),
    }


def _explain_missing() -> Skipped:
    return Skipped("LitServe is not installed; name a Python that has it in LITSERVE_PYTHON")


def _find_most_robots(name: str, port: int, *, short: bool) -> Figure:
    """Return the most robots of which 99 % of answers came within the control period, in two runs out of three."""
    seconds, held, robots = 2.0 if short else 5.0, 0, 4
    while robots <= MOST_ROBOTS:
        runs = [_ask(name, port, "robots", robots, seconds) for _ in range(3)]
        in_time = sorted(float(np.mean(np.asarray(waits) <= PERIOD_S * 1e3)) for waits in runs)
        if in_time[1] < SHARE_IN_TIME:
            break
        held = robots
        robots += 4
    return Figure(held, unit="robots", aim=f"of at most {MOST_ROBOTS} tried")


@contextlib.contextmanager
def _run_server(name: str) -> Iterator[int | None]:
    """Run one server in its own process and yield its port; None where it cannot be run."""
    python = os.environ.get("LITSERVE_PYTHON", sys.executable) if name == "litserve" else sys.executable
    if name == "litserve" and not _can_import(python, "litserve"):
        yield None
        return
    with subprocess.Popen(
        [python, str(HERE / "serving_peers.py"), name], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))} if name != "litserve" else None,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield _read_port(process)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # LitServe's workers are processes of their own


def _read_port(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline() if ready else ""
    if not line.startswith("port "):
        raise RuntimeError("The server did not start.")
    return int(line.split()[1])


def _can_import(python: str, module: str) -> bool:
    return not subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode


def _ask(name: str, port: int, *more: object) -> list[float]:
    """Run the client in a process of its own and return its waits in ms."""
    command = [sys.executable, str(HERE / "serving_client.py"), name, str(port), *map(str, more)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    waits: list[float] = json.loads(done.stdout)
    return waits


if __name__ == "__main__":
    main(measure)
