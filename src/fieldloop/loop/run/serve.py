"""Serve a policy version on a port, or probe its health."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from fieldloop.errors import Refused
from fieldloop.loop.run.policies import find_policy, load_engine
from fieldloop.loop.run.rollout import find_last_gate_decision
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Latency
from fieldloop.model.finding import Finding, Status
from fieldloop.say.findings import write_finding
from fieldloop.serve.admission import judge_latency_limit
from fieldloop.serve.bench import benchmark_under_load
from fieldloop.serve.engine import Engine, Health, make_blank_observation, probe_engine
from fieldloop.serve.server import make_app, run_server


@dataclass(frozen=True, slots=True)
class PolicyHealth:
    """One dummy inference, many timed ones, and whether a controller may use this policy."""

    policy: str
    health: Health
    latency: Latency
    admission: Finding

    @property
    def status(self) -> Status:
        """Whether it is healthy and fast enough."""
        return self.admission.status if self.health.status is Status.PASSED else self.health.status


def serve_policy(
    workspace: Workspace,
    policy: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8600,
    override: str = "",
    tell: Callable[..., None] = print,
) -> None:
    """Serve a policy version over HTTP and WebSocket until interrupted; a policy that is too slow is refused.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        host: the address to listen on
        port: the port to listen on
        override: reason to serve a version that did not pass its last gate
    """
    version = find_policy(workspace, policy)
    gate = find_last_gate_decision(workspace, version.id)
    if (gate is None or gate.status is not Status.PASSED) and not override.strip():
        reason = f"the verdict of its last gate is {gate.status}" if gate else "it was never gated"
        raise Refused(f"{version.name} is not served: {reason}. To serve it anyway, give a reason: --override")
    engine = load_engine(workspace, version)
    admission = measure_latency(workspace, engine)[1]
    if admission.status is not Status.PASSED:
        raise Refused(
            f"{version.name} is not served because of its latency ({admission.status}): {write_finding(admission)}"
        )
    settings = workspace.operations["serve"]
    tell(f"{version.name}: http://{host}:{port}/act and ws://{host}:{port}/ws   health: /health   Ctrl+C ends")
    run_server(make_app(engine, settings, workspace.clock), host, port, settings)


def measure_policy_health(workspace: Workspace, policy: str) -> PolicyHealth:
    """Time a thousand inferences, and judge whether the policy is fast enough for its robot.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
    """
    version = find_policy(workspace, policy)
    engine = load_engine(workspace, version)
    latency, admission = measure_latency(workspace, engine)
    return PolicyHealth(version.id, probe_engine(engine, time.perf_counter_ns), latency, admission)


def measure_latency(workspace: Workspace, engine: Engine, clients: int = 1) -> tuple[Latency, Finding]:
    """Measure how long a policy takes when `clients` robots ask at once, and compare it with the gate's limit."""
    # real time, because the workspace's clock may be simulated
    latency = benchmark_under_load(
        engine, make_blank_observation(engine.bundle.inputs), workspace.operations["serve"], time.perf_counter_ns,
        clients,
    )  # fmt: skip
    return latency, judge_latency_limit(latency, engine.bundle.control_hz, workspace.operations["gate"])
