"""A policy version answers: engines load bundles, `bench` and `admission` judge their speed, `server` opens a port.

`engines.onnx.load_bundle(folder)` opens a bundle; `server.make_app(engine, settings)` serves it; the robot's side of
the wire is `fieldloop_robot.client`. Nothing heavy is imported here.
"""

from fieldloop.model.policy import Input
from fieldloop.serve.admission import judge_latency_limit
from fieldloop.serve.bench import benchmark_latency, benchmark_under_load
from fieldloop.serve.bundle import Bundle, read_bundle
from fieldloop.serve.engine import Engine, Health, probe_engine

__all__ = [
    "Bundle",
    "Engine",
    "Health",
    "Input",
    "benchmark_latency",
    "benchmark_under_load",
    "judge_latency_limit",
    "probe_engine",
    "read_bundle",
]
