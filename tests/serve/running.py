"""A policy server on a real port, engines that answer with a number of their own, and a control that loads them."""

import contextlib
import dataclasses
import socket
import threading
import time

import numpy as np
import uvicorn
from tests.serve.hand_made_policy import GUARD

from fieldloop.errors import Refused
from fieldloop.model.policy import Action, Input
from fieldloop.protocol import default_operations
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.server import make_app, make_roster, make_server_config

SETTINGS = default_operations()["serve"]
CARD = Bundle(
    "1" * 64, "p1", "r", "none", (Input("images/cam_high", (4, 5, 3), "uint8"), Input("state", (3,), "float32")),
    ("x", "y"), 10.0, GUARD, "", horizon=4, takes_prompt=True,
)  # fmt: skip


class Numbered:
    """Answers every observation with its version's number, after `think_s`."""

    def __init__(self, number, think_s=0.0, **changes):
        self.bundle = dataclasses.replace(CARD, policy=str(number) * 64, name=f"p{number}", **changes)
        self.number, self.think_s, self.seen = number, think_s, []

    def act(self, observation):
        self.seen.append(observation)
        if self.think_s:
            time.sleep(self.think_s)
        return Action(self.bundle.action_names, np.full((4, len(self.bundle.action_names)), float(self.number)))


class Loads:
    """A control that loads what a test made, and keeps what is recorded."""

    def __init__(self, *engines):
        self.engines, self.changes = {engine.bundle.name: engine for engine in engines}, []

    def load(self, roster, policy, override, actor):  # noqa: ARG002 - a Control
        if policy not in self.engines:
            raise Refused(f"{policy} was never gated.")
        return lambda: roster.add(self.engines[policy])

    def require_reason(self, override):
        return override

    def record(self, roster, change):  # noqa: ARG002 - a Control
        self.changes.append((change.moved, change.version.name, change.actor.id, change.reason, change.override))


class Announcing(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, how):
        super().__init__(how)
        self.up = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.up.set()


@contextlib.contextmanager
def run_app(app, settings=SETTINGS):
    """Serve an app on a free port and return the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Announcing(make_server_config(app, "127.0.0.1", 0, settings))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        assert server.up.wait(30)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(30)


@contextlib.contextmanager
def run_engine(engine, settings=SETTINGS, **more):
    with run_app(make_app(make_roster(engine, settings), settings, **more), settings) as port:
        yield port


def see(**changes):
    """Return an observation in the words of openpi's ALOHA clients."""
    picture = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)  # channels first
    return {"images": {"cam_high": picture}, "state": np.arange(3.0), "prompt": "pick"} | changes
