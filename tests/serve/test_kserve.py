"""KServe's protocol: the same answers as over the socket, over HTTP as JSON and bytes, and over gRPC."""

import asyncio
import contextlib
import json
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.conftest import LoopbackClient
from tests.serve.running import CARD, SETTINGS, Numbered

from fieldloop.errors import BadInput
from fieldloop.serve.access import Access
from fieldloop.serve.doors.parts import House, NoControl
from fieldloop.serve.kserve import http_routes
from fieldloop.serve.kserve.schema import load_messages
from fieldloop.serve.kserve.tensors import DTYPES, NAMES, Tensor, read_array, read_message
from fieldloop.serve.server import make_app, make_roster

PICTURE = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)


@given(st.sampled_from(sorted(DTYPES)), st.lists(st.integers(0, 3), max_size=3), st.integers(0, 2**32))
def test_an_array_comes_back_from_its_bytes_and_from_its_numbers(datatype, shape, seed):
    values = np.random.default_rng(seed).integers(0, 2, shape).astype(DTYPES[datatype])
    assert NAMES[str(values.dtype)] == datatype
    for data in (values.tobytes(), values.reshape(-1).tolist()):
        found = read_array(Tensor("a", datatype, values.shape, data))
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        (Tensor("a", "FP32", (3,), b"1234"), "does not have 4 bytes"),
        (Tensor("a", "FP99", (1,), b"1"), "has the type 'FP99'"),
        (Tensor("a", "UINT8", (1,), [300]), "does not hold UINT8"),
        (Tensor("a", "UINT8", (1,), [1.5]), "does not hold UINT8"),
        (Tensor("a", "FP32", (2,), [1.0]), "does not hold FP32"),
        (Tensor("a", "FP32", (1,), ["x"]), "does not hold FP32"),
        (Tensor("a", "FP32", (-1,), b""), "has the shape"),
        (Tensor("a", "FP32", (0, 2**70), b""), "does not hold FP32"),
    ],
)
def test_a_tensor_that_contradicts_itself_is_refused(tensor, reason):
    with pytest.raises(BadInput, match=reason):
        read_array(tensor)


@pytest.mark.parametrize("data", [b"\x04\0\0\0pick", ["pick"], [b"pick"]])
def test_a_task_in_words_comes_as_bytes_or_as_a_list(data):
    message, batched = read_message([Tensor("prompt", "BYTES", (1,), data)], {"robot": "a", "other": 1}, CARD)
    assert (message, batched) == ({"prompt": "pick", "robot": "a"}, False)


@pytest.mark.parametrize("data", [b"\x05\0\0\0pick", [], ["a", "b"], [b"\xff"], [3]])
def test_what_is_not_one_text_is_refused(data):
    with pytest.raises(BadInput):
        read_message([Tensor("prompt", "BYTES", (1,), data)], {}, CARD)


def test_more_than_one_observation_in_a_request_is_refused():
    with pytest.raises(BadInput, match="send one observation"):
        read_message([Tensor("state", "FP32", (2, 3), [0.0] * 6)], {}, CARD)


def ask_as_json(batch):
    shape = ([1] if batch else []) + [4, 5, 3]
    return {
        "id": "7",
        "inputs": [
            {"name": "images/cam_high", "datatype": "UINT8", "shape": shape, "data": PICTURE.tolist()},
            {"name": "state", "datatype": "FP32", "shape": [3], "data": [0.0, 1.0, 2.0]},
            {"name": "prompt", "datatype": "BYTES", "shape": [1], "data": ["pick"]},
        ],
    }


@pytest.mark.parametrize("batch", [False, True])
def test_http_answers_tensors(served, batch):
    with served(Numbered(3)) as client:
        answer = client.post("/v2/models/p3/infer", json=ask_as_json(batch)).json()
    actions, confidence = answer["outputs"]
    assert (answer["model_name"], answer["id"]) == ("p3", "7")
    assert actions == {
        "name": "actions", "datatype": "FP64", "shape": [1, 4, 2] if batch else [4, 2], "data": [3.0] * 8,
    }  # fmt: skip
    assert confidence["name"] == "confidence"


def test_http_takes_tensors_as_bytes_after_the_json(served):
    asked = ask_as_json(batch=False)
    asked["inputs"][0] |= {"parameters": {"binary_data_size": 60}}
    del asked["inputs"][0]["data"]
    head = json.dumps(asked).encode()
    engine = Numbered(3)
    with served(engine) as client:
        headers = {"Inference-Header-Content-Length": str(len(head))}
        answer = client.post("/v2/models/p3/infer", content=head + PICTURE.tobytes(), headers=headers)
        short = client.post("/v2/models/p3/infer", content=head + b"few", headers=headers)
    assert answer.status_code == 200
    np.testing.assert_array_equal(engine.seen[-1].pictures["images/cam_high"], PICTURE)
    assert (short.status_code, "3 bytes are left" in short.json()["error"]) == (422, True)


def _make_row(**changes):
    return json.dumps({"name": "state", "datatype": "FP32", "shape": [3], "data": [0, 1, 2]} | changes)


@pytest.mark.parametrize(
    "row",
    [
        _make_row(shape=[float("inf")]),
        _make_row(data="DEEP").replace('"DEEP"', "[" * 900 + "]" * 900),
        _make_row(parameters={"binary_data_size": -1}),
        _make_row(parameters={"binary_data_size": float("inf")}),
        _make_row(shape=[0, 2**70], data=[]),
    ],
)
def test_http_refuses_numbers_that_no_array_has(served, row):
    with served(Numbered(3)) as client:
        answer = client.post("/v2/models/p3/infer", content=f'{{"inputs": [{row}]}}')
        listed = client.post("/v2/models/p3/infer", json={"inputs": [], "parameters": ["robot"]})
    assert (answer.status_code, listed.status_code) == (422, 422)


def test_both_doors_name_the_kind_of_an_unforeseen_failure_alone(served, monkeypatch):
    async def fail(*_):
        raise KeyError("a secret")

    monkeypatch.setattr(http_routes, "answer_message", fail)
    with served(Numbered(3)) as client:
        answer = client.post("/v2/models/p3/infer", json=ask_as_json(batch=False))
    assert (answer.status_code, answer.json()) == (500, {"error": "The server failed: KeyError."})
    grpc = pytest.importorskip("grpc")
    monkeypatch.setitem(pytest.importorskip("fieldloop.serve.kserve.grpc_door").ANSWERS, "ServerReady", fail)
    with open_grpc(Numbered(3)) as port, pytest.raises(grpc.RpcError) as refused:
        call(port, "ServerReady")
    assert (refused.value.code(), refused.value.details()) == (
        grpc.StatusCode.INTERNAL,
        "The server failed: KeyError.",
    )


def test_names_of_versions_are_for_known_senders():
    app = make_app(make_roster(Numbered(1), SETTINGS), SETTINGS, Access(), NoControl())
    with LoopbackClient(app, client=("192.0.2.7", 4000)) as abroad:
        ask_for_readiness(abroad)


def ask_for_readiness(abroad):
    for path in ("/v2/models/p1/ready", "/v2/models/guessed/ready"):
        answer = abroad.get(path)
        assert (answer.status_code, "p1" in answer.text) == (401, False)
    assert abroad.get("/v2/health/ready").status_code == 200


def test_http_describes_and_refuses(served):
    with served(Numbered(3)) as client:
        assert client.get("/v2/health/live").json() == {"live": True}
        assert client.get("/v2/models/p3/ready").json() == {"ready": True}
        card = client.get("/v2/models/p3").json()
        assert [i["name"] for i in card["inputs"]] == ["images/cam_high", "state", "prompt"]
        assert card["outputs"][0]["shape"] == [4, 2]
        assert client.get("/v2/models/p9").status_code == 422
        for asked in ({}, {"inputs": [{}]}, {"inputs": 3}, {"inputs": []}):
            assert client.post("/v2/models/p3/infer", json=asked).status_code == 422


@contextlib.contextmanager
def open_grpc(engine, access=None):
    """Serve over gRPC on a loop of its own, and return its port."""
    door = pytest.importorskip("fieldloop.serve.kserve.grpc_door")
    up, down, port = threading.Event(), threading.Event(), []

    async def serve():
        roster = make_roster(engine, SETTINGS)
        await roster.in_force.desk.check_health()
        async with door.serve_grpc(House(roster, SETTINGS, access or Access(), NoControl()), "127.0.0.1", 0) as bound:
            port.append(bound)
            up.set()
            await asyncio.to_thread(down.wait, 60)
        roster.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert up.wait(20)
    yield port[0]
    down.set()
    thread.join(30)


def call(port, method, **fields):
    grpc = pytest.importorskip("grpc")
    kinds = load_messages()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        function = channel.unary_unary(
            f"/inference.GRPCInferenceService/{method}",
            request_serializer=kinds[f"{method}Request"].SerializeToString,
            response_deserializer=kinds[f"{method}Response"].FromString,
        )
        return function(kinds[f"{method}Request"](**fields), timeout=20)


INPUTS = [
    {"name": "images/cam_high", "datatype": "UINT8", "shape": [4, 5, 3]},
    {"name": "state", "datatype": "FP32", "shape": [1, 3]},
    {"name": "prompt", "datatype": "BYTES", "shape": [1]},
]


def test_grpc_answers_tensors():
    pytest.importorskip("grpc")
    with open_grpc(Numbered(3)) as port:
        assert call(port, "ServerLive").live
        assert call(port, "ServerReady").ready
        assert call(port, "ModelReady", name="p3").ready
        assert call(port, "ServerMetadata").name == "fieldloop"
        assert [list(i.shape) for i in call(port, "ModelMetadata", name="p3").inputs] == [[4, 5, 3], [3], [1]]
        raw = [PICTURE.tobytes(), np.arange(3, dtype=np.float32).tobytes(), b"\x04\0\0\0pick"]
        parameters = {"robot": {"string_param": "arm-1"}, "deadline_ms": {"double_param": 5000.0}}
        answer = call(port, "ModelInfer", model_name="p3", inputs=INPUTS, raw_input_contents=raw, parameters=parameters)
        np.testing.assert_array_equal(np.frombuffer(answer.raw_output_contents[0]).reshape(1, 4, 2), 3.0)
        contents = [{"uint_contents": PICTURE.reshape(-1).tolist()}, {"fp32_contents": [0, 1, 2]}]
        contents.append({"bytes_contents": [b"pick"]})
        filled = [tensor | {"contents": values} for tensor, values in zip(INPUTS, contents, strict=True)]
        assert list(call(port, "ModelInfer", inputs=filled).outputs[0].shape) == [1, 4, 2]


def test_grpc_calls_without_a_name_do_not_supersede_each_other():
    grpc = pytest.importorskip("grpc")
    kinds = load_messages()
    raw = [PICTURE.tobytes(), np.arange(3, dtype=np.float32).tobytes(), b"\x04\0\0\0pick"]
    asked = kinds["ModelInferRequest"](inputs=INPUTS, raw_input_contents=raw)
    with open_grpc(Numbered(3, think_s=0.01)) as port, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        infer = channel.unary_unary(
            "/inference.GRPCInferenceService/ModelInfer",
            request_serializer=kinds["ModelInferRequest"].SerializeToString,
            response_deserializer=kinds["ModelInferResponse"].FromString,
        )
        waiting = [infer.future(asked, timeout=20) for _ in range(8)]
        assert all(one.result().model_name == "p3" for one in waiting)


def test_grpc_refuses_with_a_code_and_goes_on():
    grpc = pytest.importorskip("grpc")
    with open_grpc(Numbered(3)) as port:
        for fields, code in (
            ({"model_name": "p9"}, grpc.StatusCode.INVALID_ARGUMENT),
            ({"inputs": INPUTS, "raw_input_contents": [b""]}, grpc.StatusCode.INVALID_ARGUMENT),
            ({"inputs": INPUTS[:1], "raw_input_contents": [PICTURE.tobytes()]}, grpc.StatusCode.INVALID_ARGUMENT),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                call(port, "ModelInfer", **fields)
            assert refused.value.code() is code
        assert call(port, "ServerLive").live
