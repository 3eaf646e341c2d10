"""NVIDIA's client of Triton infers on our server over gRPC and HTTP; its copy of the protocol has our field numbers."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.oracles import venvs
from tests.serve.running import Numbered, run_engine
from tests.serve.test_kserve import open_grpc

from fieldloop.serve.kserve.schema import MESSAGES, load_messages

pytestmark = pytest.mark.oracle

CLIENT = Path(__file__).with_name("triton_infers.py")


@pytest.fixture(scope="module")
def found():
    pytest.importorskip("grpc")
    python = venvs.triton()
    names = ",".join(name for name in MESSAGES if "." not in name)
    with open_grpc(Numbered(1)) as grpc_port, run_engine(Numbered(1)) as port:
        command = [python, CLIENT, str(grpc_port), str(port), names]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_infers_over_grpc_and_http(found):
    assert found["ready"] == [True] * 6
    assert found["server"] == "fieldloop"
    assert found["shapes"] == {"images/cam_high": [4, 5, 3], "state": [3], "prompt": [1]}
    assert found["grpc"] == found["http"] == [[1.0, 1.0]] * 4
    assert all("lacks images/cam_high" in found[f"{door} refused"] for door in ("grpc", "http"))


def test_our_field_numbers_and_types_are_those_of_its_generated_code(found):
    theirs = {(place, name): (number, kind) for place, name, number, kind in found["numbers"]}
    ours, open_ = {}, [kind.DESCRIPTOR for kind in load_messages().values()]
    while open_:
        message = open_.pop()
        place = message.full_name.removeprefix("inference.")
        ours |= {(place, field.name): (field.number, field.type) for field in message.fields}
        open_ += message.nested_types
    assert {key: theirs.get(key) for key in ours} == ours
