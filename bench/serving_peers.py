"""One server of the serving bench, in a process of its own: ours, openpi's pattern, or LitServe.

All three run the same stand-in: it waits as for a GPU (the interpreter is free meanwhile), for one observation as long
as for a batch. It reports its own time, so that the client can subtract it.
"""

import base64
import socket
import sys
import time
from typing import Any

import numpy as np

CAMERAS = ("base", "wrist")
SIDE, JOINTS, HORIZON = 224, 14, 50
THINK_S = 0.002


def think() -> float:
    """Wait as the policy would, and return how long it took in ms."""
    began = time.perf_counter()
    time.sleep(THINK_S)
    return (time.perf_counter() - began) * 1e3


def serve_fieldloop(listening: socket.socket) -> None:
    """Serve as `fieldloop serve` does."""
    import uvicorn

    from fieldloop.model.policy import Action, Input
    from fieldloop.protocol import default_operations
    from fieldloop.serve.bundle import Bundle
    from fieldloop.serve.server import make_app, make_roster, make_server_config

    inputs = (*(Input(name, (SIDE, SIDE, 3), "uint8") for name in CAMERAS), Input("state", (JOINTS,), "float32"))
    names = tuple(f"j{n}" for n in range(JOINTS))

    class StandIn:
        bundle = Bundle("0" * 64, "stand-in", "", "", inputs, names, 10.0, {}, "", horizon=HORIZON)

        def act(self, _observation: Any) -> Action:
            return self.act_together([None])[0]

        def act_together(self, observations: Any) -> list[Action]:
            took_ms = think()
            return [Action(names, np.zeros((HORIZON, JOINTS)), None, took_ms) for _ in observations]

    settings = default_operations()["serve"]
    app = make_app(make_roster(StandIn(), settings), settings)
    uvicorn.Server(make_server_config(app, "127.0.0.1", 0, settings)).run(sockets=[listening])


def serve_as_openpi(listening: socket.socket) -> None:
    """Serve as openpi's server does: one handler per socket, inference in the event loop, msgpack, no compression."""
    import asyncio

    import websockets.asyncio.server

    from fieldloop_robot import wire

    async def handle(line: Any) -> None:
        await line.send(wire.pack({"action_horizon": HORIZON}))
        previous_ms = 0.0
        async for message in line:
            began = time.perf_counter()
            wire.unpack(message)
            took_ms = think()
            timing = {"infer_ms": took_ms, "prev_total_ms": previous_ms}
            await line.send(wire.pack({"actions": np.zeros((HORIZON, JOINTS)), "server_timing": timing}))
            previous_ms = (time.perf_counter() - began) * 1e3

    async def serve() -> None:
        async with websockets.asyncio.server.serve(handle, sock=listening, compression=None, max_size=None) as server:
            await server.serve_forever()

    asyncio.run(serve())


class LitStandIn:
    """The stand-in by LitServe's own ways: JSON with pictures in base64, batches of up to eight."""

    def setup(self, device: str) -> None:
        """Load nothing."""

    def decode_request(self, request: dict[str, Any]) -> Any:
        """Read the pictures."""
        return [np.frombuffer(base64.b64decode(request[name]), np.uint8) for name in CAMERAS]

    def batch(self, inputs: list[Any]) -> list[Any]:
        """Keep a batch as a list."""
        return inputs

    def unbatch(self, output: list[Any]) -> list[Any]:
        """Keep a batch as a list."""
        return output

    def predict(self, inputs: list[Any]) -> list[tuple[Any, float]]:
        """Answer all in one pass."""
        took_ms = think()
        return [(np.zeros((HORIZON, JOINTS)), took_ms) for _ in inputs]

    def encode_response(self, output: Any) -> dict[str, Any]:
        """Write one answer."""
        return {"actions": output[0].tolist(), "infer_ms": output[1]}


def serve_litserve(port: int) -> None:
    """Serve by LitServe."""
    import litserve

    server = litserve.LitServer(LitServed(max_batch_size=8, batch_timeout=0.001), accelerator="cpu", timeout=30)
    server.run(host="127.0.0.1", port=port, num_api_servers=1, log_level="error", generate_client_file=False)


if any("litserve" in word for word in sys.argv):  # its workers import this module anew, and look for the class here
    from litserve import LitAPI

    class LitServed(LitStandIn, LitAPI):  # type: ignore[misc]
        """The stand-in as a LitAPI."""


if __name__ == "__main__":
    opened = socket.create_server(("127.0.0.1", 0))
    number = opened.getsockname()[1]
    sys.stdout.write(f"port {number}\n")
    sys.stdout.flush()
    if sys.argv[1] == "litserve":
        opened.close()
        serve_litserve(number)
    else:
        {"fieldloop": serve_fieldloop, "openpi": serve_as_openpi}[sys.argv[1]](opened)
