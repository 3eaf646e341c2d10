"""Admission: a policy answers a thousand calls through a socket, from several robots at once, before any robot asks."""

import json
import subprocess
import sys
import threading

import numpy as np

from fieldloop.errors import Refused
from fieldloop.model.decision import Latency
from fieldloop.protocol import Section
from fieldloop.serve.bench import summarise_latency
from fieldloop.serve.engine import Engine, RememberingEngine
from fieldloop.serve.server import make_app, make_roster, make_server_config, open_listening_socket

HOST = "127.0.0.1"
START_S = 30.0


def measure_through_socket(engine: Engine, settings: Section, robots: int) -> Latency:
    """Serve a policy on a port of its own, ask from another process, and return what each robot waited.

    All robots ask at the same moment; a policy that remembers its episode serves one. Settings: the section `serve`.
    """
    import uvicorn

    listening = open_listening_socket(HOST, 0)
    port = listening.getsockname()[1]
    server = uvicorn.Server(make_server_config(make_app(make_roster(engine, settings), settings), HOST, port, settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True, name="rehearsal")
    thread.start()
    try:
        waits_ms = _ask_from_another_process(port, 1 if isinstance(engine, RememberingEngine) else robots, settings)
    finally:
        server.should_exit = True
        thread.join(START_S)
        listening.close()
    return summarise_latency(np.asarray(waits_ms))


def _ask_from_another_process(port: int, robots: int, settings: Section) -> list[float]:
    budget_s, timeout_s = settings.number("admission_s"), settings.number("answer_timeout_s")
    command = [
        sys.executable, "-m", "fieldloop_robot.round_trips", f"ws://{HOST}:{port}/", "--calls",
        str(int(settings["benchmark_calls"])), "--warm-up", str(int(settings["warm_up_calls"])), "--robots",
        str(robots), "--timeout", str(timeout_s), "--budget", str(budget_s),
    ]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - this Python, our module, and numbers
            command, capture_output=True, text=True, check=False, timeout=budget_s + START_S + timeout_s
        )
    except subprocess.TimeoutExpired as slow:
        raise Refused(f"The policy did not finish its rehearsal within {budget_s:g} s.") from slow
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Refused(f"The policy failed its rehearsal: {last}")
    waits_ms: list[float] = json.loads(done.stdout)["waits_ms"]
    return waits_ms
