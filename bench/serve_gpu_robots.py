"""How many robots does one GPU hold at 10 Hz? A model of the size of π0 behind our server, asked by processes.

Each robot is a process of its own with its own socket. It asks every 100 ms, from a random moment on, with three
pictures of 224 × 224, a state and a prompt, and waits for its chunk before it asks again. A run holds if 99 %
of all answers came within their period. The server batches whatever robots ask for at about the same time.

    PYTHONPATH=src:robot/src python bench/serve_gpu_robots.py --json FILE       needs torch, the server's packages
"""

import argparse
import json
import multiprocessing
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import vla_stand_in as large
from bench.serve_gpu import describe_machine, make_large_feed
from fieldloop.model.policy import Input
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.engines.arrays import ChunkEngine
from fieldloop.serve.engines.torch_runner import TorchRunner

PERIOD_S = 0.1
SHARE_IN_TIME = 0.99
ROBOTS = (1, 2, 4, 6, 7, 8, 9, 10, 11, 12)
Row = dict[str, Any]


def make_large_engine(sizes: large.Sizes, mode: str, device: str) -> ChunkEngine:
    """Make the large stand-in an engine of the server; the noise that the flow starts from comes with the request."""
    import torch

    dtype = torch.float32 if device == "cpu" else torch.bfloat16
    runner = TorchRunner(large.make_function(sizes, large.make_weights(sizes, device, dtype)), mode=mode, device=device)
    feed = make_large_feed(sizes, 1)
    runner.prepare(feed, ROBOTS[-1])
    inputs = tuple(Input(name, array.shape[1:], str(array.dtype)) for name, array in feed.items())
    names = tuple(f"value_{n}" for n in range(sizes.actions))
    bundle = Bundle("large", "large", "", "", inputs, names, 50.0, {}, "", horizon=sizes.chunk)
    return ChunkEngine(bundle, runner.run, ())


def run_robot(port: int, seconds: float, seed: int, message: dict[str, Any], waits: Any) -> None:
    """Ask once a period until the time is over; a late answer delays the next question."""
    from fieldloop_robot.client import PolicyClient

    rng, took = np.random.default_rng(seed), []
    with PolicyClient(f"ws://127.0.0.1:{port}", timeout_s=10.0, robot=f"robot-{seed}") as client:
        client.ask(message)
        begun = time.perf_counter() + rng.uniform(0.2, 0.2 + PERIOD_S)
        due = begun
        while due < begun + seconds:
            time.sleep(max(0.0, due - time.perf_counter()))
            asked = time.perf_counter()
            client.ask(message)
            answered = time.perf_counter()
            took.append((answered - asked) * 1e3)
            due = max(due + PERIOD_S, answered)
    waits.put(took)


def measure_robots(port: int, robots: int, seconds: float, message: dict[str, Any]) -> Row:
    """Let several robots ask for some seconds."""
    spawn = multiprocessing.get_context("spawn")
    waits = spawn.Queue()
    processes = [
        spawn.Process(target=run_robot, args=(port, seconds, seed, message, waits), daemon=True)
        for seed in range(robots)
    ]
    for process in processes:
        process.start()
    took = np.concatenate([waits.get(timeout=seconds + 60) for _ in processes])
    for process in processes:
        process.join(10)
    in_time = float(np.mean(took <= PERIOD_S * 1e3))
    p50, p99 = np.percentile(took, (50, 99), method="inverted_cdf")
    return {
        "what": "robots", "robots": robots, "answers": len(took), "asked_hz": len(took) / robots / seconds,
        "in_time": in_time, "p50_ms": float(p50), "p99_ms": float(p99), "held": in_time >= SHARE_IN_TIME,
    }  # fmt: skip


def main() -> None:
    """Measure, print one line a row, and write all as JSON."""
    import uvicorn

    from fieldloop.protocol import default_operations
    from fieldloop.serve.server import make_app, make_roster, make_server_config

    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--device", default="cuda")
    asked.add_argument("--mode", default="cuda_graph")
    asked.add_argument("--seconds", type=float, default=10.0)
    asked.add_argument("--small", action="store_true", help="tiny sizes: a try without a GPU")
    asked.add_argument("--json", type=Path)
    given = asked.parse_args()
    sizes = large.SMALL if given.small else large.Sizes()
    engine, settings = make_large_engine(sizes, given.mode, given.device), default_operations()["serve"]
    app = make_app(make_roster(engine, settings), settings)
    server = uvicorn.Server(make_server_config(app, "127.0.0.1", 0, settings))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    message = {name: array[0] for name, array in make_large_feed(sizes, 1).items()}
    result: Row = {"machine": describe_machine(given.device), "mode": given.mode, "rows": []}
    for robots in ROBOTS:
        result["rows"].append(measure_robots(port, robots, given.seconds, message))
        print(json.dumps(result["rows"][-1]), flush=True)
        result["robots_at_10hz"] = max((row["robots"] for row in result["rows"] if row["held"]), default=0)
        if given.json:
            given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({"robots_at_10hz": result["robots_at_10hz"], "machine": result["machine"]}))
    server.should_exit = True


if __name__ == "__main__":
    main()
