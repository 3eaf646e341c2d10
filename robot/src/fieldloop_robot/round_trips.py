"""Measure how long a robot waits for a policy server's answer: `python -m fieldloop_robot.round_trips ws://host:port`.

Blank observations of the shapes that the server's metadata state; all robots ask at the same moment.
"""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

from fieldloop_robot import RobotError, wire

MS_PER_S = 1e3


class Unanswered(RobotError):
    """The server refused a blank observation, or did not answer in time."""


def make_blank_message(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Make an observation of zeros that fits a policy.

    >>> make_blank_message({"inputs": [{"name": "joints", "shape": [2], "dtype": "float32"}]})["joints"]
    array([0., 0.], dtype=float32)
    """
    message: dict[str, Any] = {i["name"]: np.zeros(i["shape"], i["dtype"]) for i in metadata.get("inputs", ())}
    return message | ({"prompt": ""} if metadata.get("takes_prompt") else {})


def measure_round_trips(
    url: str, calls: int, *, robots: int = 1, warm_up: int = 0, timeout_s: float = 10.0, budget_s: float = 120.0
) -> list[float]:
    """Return how long each robot waited, in ms, over at least `calls` calls, or those that the budget allows."""
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(_open_socket(url, timeout_s)) for _ in range(robots)]
        greetings = [wire.unpack(_read_reply(socket, timeout_s)) for socket in sockets]
        data = [wire.pack(make_blank_message(m) | {"robot": f"trial-{n}"}) for n, m in enumerate(greetings)]
        for _ in range(-(-warm_up // robots)):
            _measure_round(sockets, data, timeout_s)
        waits: list[float] = []
        until = time.perf_counter() + budget_s
        while len(waits) < calls and time.perf_counter() < until:
            waits += _measure_round(sockets, data, timeout_s)
    return waits


def main() -> None:
    """Print the waits as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--warm-up", type=int, default=50)
    parser.add_argument("--robots", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--budget", type=float, default=120.0)
    given = parser.parse_args()
    try:
        waits = measure_round_trips(
            given.url, given.calls, robots=given.robots, warm_up=given.warm_up, timeout_s=given.timeout,
            budget_s=given.budget,
        )  # fmt: skip
    except (RobotError, OSError, TimeoutError) as wrong:
        sys.exit(str(wrong) or type(wrong).__name__)
    sys.stdout.write(json.dumps({"robots": given.robots, "waits_ms": waits}) + "\n")


def _open_socket(url: str, timeout_s: float) -> ClientConnection:
    return connect(url, open_timeout=timeout_s, compression=None, max_size=wire.MAX_BYTES, proxy=None)


def _measure_round(sockets: Sequence[ClientConnection], data: Sequence[bytes], timeout_s: float) -> list[float]:
    began = time.perf_counter()
    for socket, message in zip(sockets, data, strict=True):
        socket.send(message)
    waits = []
    for socket in sockets:
        _read_reply(socket, timeout_s)
        waits.append((time.perf_counter() - began) * MS_PER_S)
    return waits


def _read_reply(socket: ClientConnection, timeout_s: float) -> bytes:
    reply = socket.recv(timeout=timeout_s)
    if isinstance(reply, str):
        raise Unanswered(reply)
    return reply


if __name__ == "__main__":
    main()
