"""Serve policy versions on a port, or probe the health of one."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.house.tokens import find_actor_by_secret
from fieldloop.loop.run.policies import find_policy, load_engine
from fieldloop.loop.run.rollout import find_last_gate_decision, find_version_in_production
from fieldloop.loop.run.serving_record import ServingRecord, keep_to_rollout
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Latency
from fieldloop.model.finding import Finding, Status
from fieldloop.model.person import Actor, Token
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.serving import Moved
from fieldloop.say.findings import write_finding
from fieldloop.serve.access import Access, is_loopback_host
from fieldloop.serve.admission import judge_policy_latency
from fieldloop.serve.bench import benchmark_under_load
from fieldloop.serve.doors.parts import Change, House
from fieldloop.serve.engine import Engine, Health, make_blank_observation, probe_engine
from fieldloop.serve.rehearsal import measure_through_socket
from fieldloop.serve.server import make_app, open_listening_socket, run_server
from fieldloop.serve.versions import Roster, Version


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


def serve_policies(  # noqa: PLR0913 - a server has this many choices
    workspace: Workspace,
    policies: tuple[str, ...] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 8600,
    grpc: int = 0,
    robots: int = 0,
    follow: bool = False,
    override: str = "",
    tell: Callable[..., None] = print,
) -> None:
    """Serve policy versions over HTTP and WebSocket until interrupted; one that is too slow is refused.

    Each is measured first: a thousand calls through a socket, from several robots at once. The first one named is in
    force; the others are at /v1/policies/NAME.

    Arguments:
        policies: ids, unique beginnings of them, or names of policies
        host: the address to listen on; another one than loopback needs a token
        port: the port to listen on
        grpc: the port for KServe's gRPC protocol (default: none)
        robots: how many robots ask at the same moment during the measurement (default: serve.admission_robots)
        follow: serve the version in production and the candidate of the rollout, and change when the rollout does
        override: reason to serve versions that did not pass their last gate; recorded with the user
    """
    named = list(policies) or ([find_version_in_production(workspace) or ""] if follow else [])
    if not any(named):
        nothing = "no version is in production" if follow else "no policy is named"
        raise BadInput(f"Nothing to serve: {nothing}. Name a policy: fieldloop serve POLICY")
    _refuse_open_door(workspace, host)
    settings = workspace.operations["serve"]
    roster = Roster(settings, workspace.clock)
    record = ServingRecord(workspace, f"http://{host}:{port}", make_loader(workspace, robots))
    added: list[tuple[Version, str]] = []
    for name in named:
        gated = has_passed(workspace, find_policy(workspace, name))
        added.append((record.load(roster, name, override, workspace.actor)(), "" if gated else override.strip()))
    for version, reason in added:
        record.record(roster, Change(Moved.STARTED, version, workspace.actor, override=reason))
    beside: list[Callable[[House], AbstractAsyncContextManager[Any]]] = []
    if follow:
        beside.append(lambda house: keep_to_rollout(workspace, record, house))
    if grpc:
        from fieldloop.serve.kserve.grpc_door import load_grpc, serve_grpc

        load_grpc()
        open_listening_socket(host, grpc).close()  # a port in use is refused before anything starts
        beside.append(lambda house: serve_grpc(house, host, grpc))
    access = Access(
        lambda secret: find_actor_by_secret(workspace, secret), settings.number("token_cache_s"),
        settings.number("unknown_token_s"), int(settings["max_unknown_tokens"]),
    )  # fmt: skip
    names = ", ".join(version.name for version, _ in added)
    tell(f"{names}: http://{host}:{port}/act and ws://{host}:{port}/ws   health: /health   Ctrl+C ends")
    try:
        run_server(make_app(roster, settings, access, record, beside), host, port, settings)
    finally:
        record.record(roster, Change(Moved.STOPPED, roster.in_force, workspace.actor))


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
    return latency, judge_policy_latency(latency, engine.bundle, workspace.operations["gate"])


def measure_admission(workspace: Workspace, engine: Engine, robots: int = 0) -> tuple[Latency, Finding]:
    """Measure how long robots wait that ask at once through a socket, and compare it with the gate's limit."""
    settings = workspace.operations["serve"]
    latency = measure_through_socket(engine, settings, robots or int(settings["admission_robots"]))
    return latency, judge_policy_latency(latency, engine.bundle, workspace.operations["gate"])


def has_passed(workspace: Workspace, version: PolicyVersion) -> bool:
    """Return whether the last gate over the whole deployment passed a version."""
    gate = find_last_gate_decision(workspace, version.id)
    return gate is not None and gate.status is Status.PASSED


def make_loader(workspace: Workspace, robots: int = 0) -> Callable[[Roster, str, str, Actor], Callable[[], Version]]:
    """Return what loads a version for a server: gated or overridden, and fast enough through a socket."""

    def load(roster: Roster, policy: str, override: str, _actor: Actor) -> Callable[[], Version]:
        version = find_policy(workspace, policy)
        gate = find_last_gate_decision(workspace, version.id)
        if (gate is None or gate.status is not Status.PASSED) and not require_stated_reason(workspace, override):
            reason = f"the verdict of its last gate is {gate.status}" if gate else "it was never gated"
            raise Refused(f"{version.name} is not served: {reason}. To serve it anyway, give a reason: --override")
        engine = load_engine(workspace, version)
        latency, admission = measure_admission(workspace, engine, robots)
        if admission.status is not Status.PASSED:
            raise Refused(
                f"{version.name} is not served because of its latency ({admission.status}): {write_finding(admission)}"
            )
        return lambda: roster.add(engine, latency, admission.maximum)

    return load


def _refuse_open_door(workspace: Workspace, host: str) -> None:
    """Beyond loopback every request needs a token, so without one issued no robot could be served."""
    if is_loopback_host(host):
        return
    if not any(token.revoked_ns is None for token in workspace.find_all(Token)):
        raise Refused(
            f"Listening on {host} lets other machines ask for actions, and no token was issued. "
            "Issue one for the robots first: fieldloop token NAME --role robot"
        )
