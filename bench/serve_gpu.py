"""How fast do policies of real size answer on a GPU? ACT by mode, and a model of the size of π0 by batch.

ACT: 66 M parameters at inference (7 decoder layers), two cameras of 3 × 224 × 224 as uint8, chunk 100 × 14, random
weights; the engine is the one that serves LeRobot's ACT checkpoints, timed call by call from the arrays of an
observation to the actions in NumPy, copies to and from the GPU included. Then the same engine behind the WebSocket
server, where its packages are installed: one robot in another process on loopback, one call after the other.

Large: `bench.vla_stand_in`, 3.2 billion parameters in bfloat16, chunk 50, ten flow steps, by batch size. A batch of n
robots that each replan at `REPLANS_HZ` must be answered within one period; robots at 10 Hz is the largest batch whose
p99 is within 100 ms.

    PYTHONPATH=src:robot/src python bench/serve_gpu.py --json FILE         needs torch and NumPy only
    PYTHONPATH=src:robot/src python bench/serve_gpu.py --small --device cpu --calls 5     a try without a GPU
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import vla_stand_in as large
from bench.act_weights import draw_act_weights
from fieldloop.model.policy import Input, Observation
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.engines.act import make_act_function, make_blank_batch
from fieldloop.serve.engines.arrays import ChunkEngine
from fieldloop.serve.engines.torch_runner import TorchRunner
from fieldloop.serve.networks.act import ActShape
from fieldloop.serve.normaliser import Scaling

REPLANS_HZ = 10.0
CAMERAS = ("observation.images.front", "observation.images.wrist")
STATE, ACTIONS, CHUNK = "observation.state", 14, 100
WARM_UP = 50
LARGE_MODES = ("eager", "cuda_graph")  # compiling 225 layers anew for each batch takes minutes: ask with --large-modes
BATCHES = (1, 2, 4, 8, 16, 32)
ACT_RUNS = (
    ("eager", "float32"), ("eager", "bfloat16"), ("compiled", "float32"), ("compiled", "bfloat16"),
    ("cuda_graph", "float32"), ("cuda_graph", "tf32"), ("cuda_graph", "bfloat16"), ("cuda_graph", "float16"),
    ("compiled_cuda_graph", "tf32"), ("compiled_cuda_graph", "bfloat16"),
)  # fmt: skip
Row = dict[str, Any]


def make_act_engine(mode: str, precision: str, device: str, *, small: bool) -> tuple[ChunkEngine, int]:
    """Make an engine with random weights, and count its parameters."""
    side, width, hidden, layers = (64, 32, 48, (1, 2)) if small else (224, 512, 3200, (4, 7))
    state = draw_act_weights(width, hidden, layers, values=ACTIONS, chunk=CHUNK)
    kinds = dict.fromkeys(CAMERAS, "VISUAL") | {STATE: "STATE"}
    one, zero = np.ones(ACTIONS), np.zeros(ACTIONS)
    scalings: dict[str, Scaling | None] = {STATE: Scaling(zero, one), "action": Scaling(zero, one)}
    scalings |= {name: Scaling(np.full((3, 1, 1), 0.45), np.full((3, 1, 1), 0.22)) for name in CAMERAS}
    shape = ActShape(4 if small else 8, *layers)
    function = make_act_function(state, shape, kinds, scalings, device=device, precision=precision)
    runner = TorchRunner(function, mode=mode, device=device)
    inputs = (*(Input(name, (side, side, 3), "uint8") for name in CAMERAS), Input(STATE, (ACTIONS,), "float32"))
    names = tuple(f"joint_{n}" for n in range(ACTIONS))
    bundle = Bundle("act", "act", "", "", inputs, names, 50.0, {}, "", engine="lerobot", horizon=CHUNK)
    runner.prepare(make_blank_batch(bundle))
    return ChunkEngine(bundle, runner.run, ()), sum(array.size for array in state.values())


def time_calls(call: Callable[[int], object], calls: int, warm_up: int = WARM_UP) -> Row:
    """Call and time; percentiles are calls that really happened."""
    for n in range(min(warm_up, calls)):
        call(n)
    took = np.empty(calls)
    for n in range(calls):
        began = time.perf_counter_ns()
        call(n)
        took[n] = (time.perf_counter_ns() - began) / 1e6
    p50, p95, p99 = np.percentile(took, (50, 95, 99), method="inverted_cdf")
    return {"calls": calls, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99, "max_ms": took.max(), "mean_ms": took.mean()}


def make_observations(engine: ChunkEngine, n: int = 8) -> list[Observation]:
    """Make observations that differ from call to call."""
    rng = np.random.default_rng(1)
    size = next(i.shape for i in engine.bundle.inputs if i.name == CAMERAS[0])
    return [
        Observation(0, {c: rng.integers(0, 256, size, np.uint8) for c in CAMERAS}, {STATE: rng.normal(size=ACTIONS)})
        for _ in range(n)
    ]


def measure_act(device: str, calls: int, *, small: bool) -> Iterator[Row]:
    """Time the engine in each mode, alone and behind the WebSocket server; answers of all modes are compared."""
    first: NDArray[np.float64] | None = None
    for mode, precision in ACT_RUNS:
        row: Row = {"what": "act", "mode": mode, "precision": precision, "device": device}
        try:
            engine, parameters = make_act_engine(mode, precision, device, small=small)
            seen = make_observations(engine)
            answer = engine.act(seen[0]).chunk
            first = answer if first is None else first
            row |= {"parameters": parameters, "largest_difference_from_first": float(np.abs(answer - first).max())}
            row |= time_calls(lambda n, e=engine, s=seen: e.act(s[n % len(s)]), calls)  # type: ignore[misc]
            row["server"] = measure_through_server(engine, calls)
        except Exception as wrong:  # noqa: BLE001 - one mode that fails must not lose the others
            row["failed"] = f"{type(wrong).__name__}: {str(wrong).splitlines()[:1]}"
        yield row


def measure_through_server(engine: ChunkEngine, calls: int, robots: int = 1) -> Row:
    """Time robots in another process over loopback; without the server's packages, state which is missing."""
    try:
        import fastapi  # noqa: F401 - the server's, as is uvicorn
        import msgpack  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401

        from fieldloop.protocol import default_operations
        from fieldloop.serve.rehearsal import measure_through_socket
    except ImportError as missing:
        return {"skipped": str(missing)}
    settings = default_operations()["serve"].replace_values(benchmark_calls=calls)
    found = measure_through_socket(engine, settings, robots)
    return {"robots": robots, **{key: getattr(found, key) for key in ("calls", "p50_ms", "p95_ms", "p99_ms", "max_ms")}}


def measure_large(device: str, calls: int, sizes: large.Sizes, modes: tuple[str, ...]) -> Iterator[Row]:
    """Time the large stand-in by batch; a period of 100 ms is what robots that replan at 10 Hz have."""
    import torch

    dtype = torch.bfloat16 if device != "cpu" else torch.float32
    weights = large.make_weights(sizes, device, dtype)
    parameters = large.count_parameters(weights)
    for mode in modes:
        runner = TorchRunner(large.make_function(sizes, weights), mode=mode, device=device)
        for batch in BATCHES:
            row: Row = {"what": "large", "mode": mode, "batch": batch, "device": device, "parameters": parameters}
            try:
                feed = make_large_feed(sizes, batch)
                runner.run(feed)
                row |= time_calls(lambda _n, r=runner, f=feed: r.run(f), calls, warm_up=5)  # type: ignore[misc]
                row["answers_a_second"] = batch / row["mean_ms"] * 1e3
            except Exception as wrong:  # noqa: BLE001 - one batch that fails must not lose the others
                row["failed"] = f"{type(wrong).__name__}: {str(wrong).splitlines()[:1]}"
            yield row


def make_large_feed(sizes: large.Sizes, batch: int) -> dict[str, NDArray[Any]]:
    """Make what n robots send: pictures, prompt, state, and the noise that the flow starts from."""
    rng = np.random.default_rng(batch)
    side = sizes.picture
    return {
        "pictures": rng.integers(0, 256, (batch, sizes.cameras, side, side, 3), np.uint8),
        "words": rng.integers(0, sizes.vocabulary, (batch, sizes.prompt)),
        "state": rng.normal(size=(batch, sizes.state)).astype(np.float32),
        "noise": rng.normal(size=(batch, sizes.chunk, sizes.actions)).astype(np.float32),
    }


def count_robots(rows: list[Row]) -> dict[str, int]:
    """Return the largest batch that is answered within one period at p99, by mode."""
    period_ms = 1e3 / REPLANS_HZ
    held: dict[str, int] = {}
    for row in rows:
        if row["what"] == "large" and row.get("p99_ms", np.inf) <= period_ms:
            held[row["mode"]] = max(held.get(row["mode"], 0), row["batch"])
    return held


def describe_machine(device: str) -> Mapping[str, str]:
    """Name the GPU and the libraries."""
    import platform

    import torch

    name = torch.cuda.get_device_name() if device.startswith("cuda") else platform.processor() or platform.machine()
    return {"device": name, "torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()}


def main() -> None:
    """Measure, print one line a row, and write all as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--large-calls", type=int, default=200)
    parser.add_argument("--small", action="store_true", help="tiny sizes: a try without a GPU")
    parser.add_argument("--only", choices=("act", "large"))
    parser.add_argument("--large-modes", nargs="*", default=list(LARGE_MODES))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    sizes = large.SMALL if given.small else large.Sizes()
    kinds: list[Iterator[Row]] = []
    if given.only != "large":
        kinds.append(measure_act(given.device, given.calls, small=given.small))
    if given.only != "act":
        kinds.append(measure_large(given.device, given.large_calls, sizes, tuple(given.large_modes)))
    rows: list[Row] = []
    result: dict[str, Any] = {"machine": describe_machine(given.device), "small": given.small, "rows": rows}
    for rows_of_kind in kinds:
        for row in rows_of_kind:
            rows.append({key: round(v, 4) if isinstance(v, float) else v for key, v in row.items()})
            print(json.dumps(rows[-1], default=float), flush=True)
            result["robots_at_10hz"] = count_robots(rows)
            if given.json:  # at once: a lease that ends leaves what was measured
                given.json.write_text(json.dumps(result, indent=1, default=float) + "\n", encoding="utf-8")
    print(json.dumps({"machine": result["machine"], "robots_at_10hz": result["robots_at_10hz"]}))


if __name__ == "__main__":
    main()
