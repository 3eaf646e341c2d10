"""The client of the serving bench, in a process of its own; it prints waits in ms as JSON.

`latency N`: what N calls took beyond the policy's own time. `robots N S`: the whole wait of each answer, for N robots
that ask ten times a second, for S seconds.
"""

import base64
import contextlib
import http.client
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
from websockets.sync.client import connect

from fieldloop_robot import wire

SHAPE, JOINTS = (224, 224, 3), 14
WARM_UP = 20
PERIOD_S = 0.1
READY_S = 60.0

Ask = Callable[[], float]
"""Ask once and return the policy's own time in ms."""


@contextlib.contextmanager
def open_socket(port: int, robot: int) -> Iterator[Ask]:
    """Ask over a socket, as robots do; each time the message is packed and the answer unpacked."""
    picture, state = np.random.default_rng(robot).integers(0, 256, SHAPE, np.uint8), np.zeros(JOINTS)
    with connect(f"ws://127.0.0.1:{port}/", compression=None, max_size=None, proxy=None) as line:
        line.recv()

        def ask() -> float:
            line.send(wire.pack({"base": picture, "wrist": picture, "state": state, "robot": f"arm-{robot}"}))
            reply = line.recv()
            if isinstance(reply, str):
                raise RuntimeError(reply)  # noqa: TRY004 - a text is a refusal
            return float(wire.unpack(reply)["server_timing"]["infer_ms"])

        yield ask


@contextlib.contextmanager
def open_http(port: int, robot: int) -> Iterator[Ask]:
    """Ask LitServe over one kept connection."""
    picture = np.random.default_rng(robot).integers(0, 256, SHAPE, np.uint8)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as line:

        def ask() -> float:
            text = base64.b64encode(picture.tobytes()).decode()
            body = json.dumps({"base": text, "wrist": text, "state": [0.0] * JOINTS})
            line.request("POST", "/predict", body, {"content-type": "application/json"})
            reply = json.loads(line.getresponse().read())
            np.asarray(reply["actions"])
            return float(reply["infer_ms"])

        yield ask


def measure_latency(
    way: Callable[[int, int], contextlib.AbstractContextManager[Ask]], port: int, calls: int
) -> list[float]:
    """Return what each call took beyond the policy's own time."""
    with way(port, 0) as ask:
        for _ in range(WARM_UP):
            ask()
        added = []
        for _ in range(calls):
            began = time.perf_counter()
            own_ms = ask()
            added.append((time.perf_counter() - began) * 1e3 - own_ms)
    return added


def drive_robots(
    way: Callable[[int, int], contextlib.AbstractContextManager[Ask]], port: int, robots: int, seconds: float
) -> list[float]:
    """Return the waits of robots that ask at 10 Hz, each at a phase of its own; a wait counts from when it was due."""
    waits: list[float] = []
    start = time.perf_counter() + 1.0

    def drive(robot: int) -> None:
        with way(port, robot) as ask:
            due = start + PERIOD_S * robot / robots
            while due < start + seconds:
                time.sleep(max(0.0, due - time.perf_counter()))
                ask()
                waits.append((time.perf_counter() - due) * 1e3)
                due += PERIOD_S

    threads = [threading.Thread(target=drive, args=(n,)) for n in range(robots)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return waits


def wait_for_http(port: int) -> None:
    """Wait until LitServe's workers answer."""
    until = time.monotonic() + READY_S
    while True:
        try:
            with open_http(port, 0) as ask:
                ask()
        except (OSError, KeyError, ValueError, http.client.HTTPException):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
        else:
            return


def main(name: str, port: int, what: str, *more: str) -> None:
    """Print the waits."""
    way = open_http if name == "litserve" else open_socket
    if name == "litserve":
        wait_for_http(port)
    found = (
        measure_latency(way, port, int(more[0]))
        if what == "latency"
        else drive_robots(way, port, int(more[0]), float(more[1]))
    )
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
