"""Stand-ins for policy servers of other makers: they speak the protocol and answer by known arithmetic."""

import threading
from contextlib import contextmanager

import numpy as np
from tests.serve.foreign_policies import HORIZON, NAMES, expected
from websockets.sync.server import serve

from fieldloop.serve.engines import groot_wire
from fieldloop_robot import wire


def answer_openpi(message):
    """What a server of openpi would answer: nested pictures, the state, the task in words."""
    image, state = message["images"]["top"], message["state"]
    if message["prompt"] == "break":
        raise ValueError("out of memory")
    return {"actions": expected(image / 255, state) + len(message["prompt"])}


@contextmanager
def run_openpi_server(answer=answer_openpi, metadata=None):
    """Serve metadata first, then answers; an error travels as a text frame with a traceback, as openpi's does."""

    def handle(socket):
        socket.send(wire.pack({"action_horizon": HORIZON} | (metadata or {})))
        for frame in socket:
            try:
                socket.send(wire.pack(answer(wire.unpack(frame))))
            except ValueError as wrong:
                socket.send(f"Traceback (most recent call last):\n  File x\nValueError: {wrong}")

    with serve(handle, "127.0.0.1", 0, compression=None, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()


class GrootServer:
    """Answers requests as bytes; it remembers how many it answered since the last reset."""

    def __init__(self, encoding="nd", token=""):
        self.encoding, self.token, self.requests = encoding, token, []

    def reply(self, data):
        request = groot_wire.unpack(data)
        self.requests.append(request["endpoint"])
        if self.token and request.get("api_token") != self.token:
            return groot_wire.pack({"error": "Unauthorized: Invalid API token"})
        if request["endpoint"] == "reset":
            return groot_wire.pack({"status": "ok"})
        observation = request["data"]["observation"]
        video, state = observation["video"]["top"], observation["state"]["arm"]
        assert video.ndim == 5, "batch, time, height, width, channels"
        assert state.dtype == np.float32
        rows = np.stack([expected(v[0] / 255, s[0]) for v, s in zip(video, state, strict=True)])
        if ["break"] in observation["language"]["task"]:
            return groot_wire.pack({"error": "out of memory"})
        parts = {"arm": rows[..., :2], "gripper": rows[..., 2:]}
        return groot_wire.msgpack.packb(
            [parts, {}], default=groot_wire._encode_nd if self.encoding == "nd" else groot_wire._encode_npy
        )


@contextmanager
def run_groot_server(server):
    """Serve over real ZeroMQ."""
    import zmq

    socket = zmq.Context.instance().socket(zmq.REP)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.RCVTIMEO, 50)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    ends = threading.Event()

    def loop():
        while not ends.is_set():
            try:
                socket.send(server.reply(socket.recv()))
            except zmq.Again:
                continue

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield f"tcp://127.0.0.1:{port}"
    finally:
        ends.set()
        thread.join()
        socket.close()


REMOTE = {
    "control_hz": 10,
    "action_names": list(NAMES),
    "units": "rad",
    "horizon": HORIZON,
    "prompt": True,
    "inputs": {
        "image": {"shape": [6, 8, 3], "dtype": "uint8", "key": "images.top"},
        "state": {"shape": [2], "dtype": "float32"},
    },
    "options": {"timeout_s": 10},
}
"""Settings of a server with one camera and a state of two values."""


def groot_settings(**options):
    inputs = {
        "image": {"shape": [6, 8, 3], "dtype": "uint8", "key": "video.top"},
        "state": {"shape": [2], "dtype": "float32", "key": "state.arm"},
    }
    return REMOTE | {"inputs": inputs, "options": {"actions": {"arm": 2, "gripper": 1}, "timeout_s": 10} | options}
