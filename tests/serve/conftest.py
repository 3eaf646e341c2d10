"""One loaded policy for all tests of the room; invariants are tried on the same examples, never against a clock."""

import warnings

import pytest
from tests.serve.hand_made_policy import write

from fieldloop.protocol import default_operations
from fieldloop.serve.engines import onnx as engine_onnx
from fieldloop.serve.server import make_app, make_roster

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2; httpx is what the suite installs
    from fastapi.testclient import TestClient


class LoopbackClient(TestClient):
    """A client on this machine."""

    def __init__(self, app, client=("127.0.0.1", 50000)):
        super().__init__(app, base_url="http://127.0.0.1", client=client)

    def websocket_connect(self, url, *given, **more):
        return super().websocket_connect(f"ws://127.0.0.1{url}", *given, **more)


@pytest.fixture(scope="session")
def bundle_folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="session")
def engine(bundle_folder):
    return engine_onnx.load_bundle(bundle_folder)


@pytest.fixture
def settings():
    return default_operations()["serve"]


@pytest.fixture
def served(settings):
    """Return how a test talks to a server of one engine: a client on loopback."""

    def open_client(engine, numbers=settings, **more):
        clock = {"clock": more.pop("clock")} if "clock" in more else {}
        return LoopbackClient(make_app(make_roster(engine, numbers, **clock), numbers, **more))

    return open_client
