"""One loaded policy for all tests of the room; invariants are tried on the same examples, never against a clock."""

import pytest
from tests.serve.hand_made_policy import write

from fieldloop.protocol import default_operations
from fieldloop.serve.engines import onnx as engine_onnx


@pytest.fixture(scope="session")
def bundle_folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="session")
def engine(bundle_folder):
    return engine_onnx.load_bundle(bundle_folder)


@pytest.fixture
def settings():
    return default_operations()["serve"]
