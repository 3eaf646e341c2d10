"""What is exported is read back: the graph answers as the engine does, the forms parse as their servers read them."""

import io
import json
import re
import types
import zipfile

import numpy as np
import onnxruntime
import pytest
from tests.loop.test_loop_policy import here  # noqa: F401 - a fixture
from tests.serve import foreign_policies as theirs
from tests.serve.hand_made_policy import write as write_own

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.run.policies import load_engine
from fieldloop.loop.ship.policy import add_policy
from fieldloop.loop.ship.policy_export import export_policy
from fieldloop.model.policy import Observation
from fieldloop.serve.export import torchserve_handler
from fieldloop.serve.open_engine import open_engine

SETTINGS = """
control_hz = 50
action_names = ["x", "y", "z"]
units = "rad"
[layouts]
image = "CHW"
[normaliser.inputs.state]
mode = "mean_std"
mean = [1.0, 2.0]
std = [2.0, 4.0]
[normaliser.action]
mode = "min_max"
min = [0.0, 0.0, 0.0]
max = [10.0, 20.0, 30.0]
"""
RNG = np.random.default_rng(3)
PICTURE, STATE = RNG.random((3, 6, 8)).astype(np.float32), RNG.random(2)


@pytest.fixture
def added(here, tmp_path):  # noqa: F811
    (tmp_path / "mine.toml").write_text(SETTINGS)
    path = theirs.write_onnx(tmp_path / "theirs.onnx")
    return add_policy(here, "theirs", path, settings=tmp_path / "mine.toml")


def answer(engine):
    return engine.act(Observation(0, {"image": PICTURE}, {"state": STATE})).chunk


def run_graph(data):
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return session.run(None, {"image": PICTURE[np.newaxis], "state": STATE[np.newaxis].astype(np.float32)})[0][0]


def test_the_exported_graph_holds_the_normaliser_and_is_a_bundle_again(here, added, tmp_path):  # noqa: F811
    wanted = answer(load_engine(here, added))
    made = export_policy(here, "theirs", tmp_path / "out")
    assert made.files == ("policy.onnx", "bundle.json")
    np.testing.assert_allclose(run_graph((tmp_path / "out/policy.onnx").read_bytes()), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(answer(open_engine(tmp_path / "out")), wanted, rtol=1e-5, atol=1e-5)
    with pytest.raises(BadInput, match="exists already"):
        export_policy(here, "theirs", tmp_path / "out")


def parse_pbtxt(text):
    """Parse the part of protobuf's text form that a config uses: names, values, lists and messages."""
    tokens = re.findall(r'"[^"]*"|[\[\]{}:,]|[^\s\[\]{}:,]+', text)

    def value(at):
        if tokens[at] == "[":
            items, at = [], at + 1
            while tokens[at] != "]":
                item, at = value(at)
                items.append(item)
                at += tokens[at] == ","
            return items, at + 1
        if tokens[at] == "{":
            return message(at + 1, "}")
        word = tokens[at]
        return (word[1:-1] if word[0] == '"' else int(word) if re.fullmatch(r"-?\d+", word) else word), at + 1

    def message(at, end):
        found = {}
        while at < len(tokens) and tokens[at] != end:
            name, at = tokens[at], at + 1
            at += tokens[at] == ":"
            found[name], at = value(at)
        return found, at + 1

    return message(0, None)[0]


def test_a_repository_of_triton_says_what_its_graph_takes(here, added, tmp_path):  # noqa: F811
    wanted = answer(load_engine(here, added))
    made = export_policy(here, "theirs", tmp_path / "repository", to="triton")
    assert made.files == ("theirs/config.pbtxt", "theirs/1/model.onnx")
    config = parse_pbtxt((tmp_path / "repository/theirs/config.pbtxt").read_text())
    assert (config["name"], config["backend"], config["max_batch_size"]) == ("theirs", "onnxruntime", 32)
    assert config["input"] == [
        {"name": "image", "data_type": "TYPE_FP32", "dims": [3, 6, 8]},
        {"name": "state", "data_type": "TYPE_FP32", "dims": [2]},
    ]
    assert config["output"] == [{"name": "actions", "data_type": "TYPE_FP32", "dims": [4, 3]}]
    graph = (tmp_path / "repository/theirs/1/model.onnx").read_bytes()
    np.testing.assert_allclose(run_graph(graph), wanted, rtol=1e-5, atol=1e-5)


def test_an_archive_of_torchserve_answers_by_its_own_handler(here, added, tmp_path):  # noqa: F811
    wanted = answer(load_engine(here, added))
    export_policy(here, "theirs", tmp_path / "store", to="torchserve")
    data = (tmp_path / "store/theirs.mar").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        zipped.extractall(tmp_path / "unpacked")
    manifest = json.loads((tmp_path / "unpacked/MAR-INF/MANIFEST.json").read_text())
    assert manifest["model"]["handler"] == "fieldloop_handler.py"
    source = (tmp_path / "unpacked/fieldloop_handler.py").read_text()
    assert "import fieldloop" not in source
    assert "from fieldloop" not in source
    handler = torchserve_handler.PolicyHandler()
    handler.initialize(types.SimpleNamespace(system_properties={"model_dir": tmp_path / "unpacked"}, manifest=manifest))
    body = {"image": PICTURE.tolist(), "state": STATE.tolist()}
    found = handler.handle([{"body": json.dumps(body).encode()}, {"data": body}], None)
    for one in found:
        np.testing.assert_allclose(one["actions"], wanted, rtol=1e-5, atol=1e-5)
        assert one["action_names"] == list(theirs.NAMES)
    export_policy(here, "theirs", tmp_path / "again", to="torchserve")
    assert (tmp_path / "again/theirs.mar").read_bytes() == data, "the same policy gives the same bytes"


@pytest.mark.usefixtures("added")
def test_the_line_for_trtexec_states_every_shape(here, tmp_path):  # noqa: F811
    made = export_policy(here, "theirs", tmp_path / "trt", to="trtexec")
    assert made.command.startswith(f"trtexec --onnx={tmp_path}/trt/policy.onnx --fp16 --saveEngine=")
    assert "--optShapes=image:1x3x6x8,state:1x2" in made.command


def test_our_own_policy_is_exported_with_both_outputs(here, tmp_path):  # noqa: F811
    add_policy(here, "own", write_own(tmp_path / "bundle"))
    export_policy(here, "own", tmp_path / "repository", to="triton")
    config = parse_pbtxt((tmp_path / "repository/own/config.pbtxt").read_text())
    assert [row["name"] for row in config["output"]] == ["action", "confidence"]


def test_an_act_checkpoint_becomes_one_graph(here, tmp_path):  # noqa: F811
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
    (tmp_path / "mine.toml").write_text('control_hz = 30\naction_names = ["a", "b", "c"]')
    folder = theirs.write_lerobot(tmp_path / "act", weights=theirs.draw_whole_act())
    version = add_policy(here, "act", folder, settings=tmp_path / "mine.toml")
    export_policy(here, "act", tmp_path / "out")
    pictures = {c: RNG.integers(0, 256, (theirs.SIDE, theirs.SIDE, 3), np.uint8) for c in theirs.CAMERAS}
    seen = Observation(0, pictures, {theirs.STATE: RNG.random(3)})
    engines = load_engine(here, version), open_engine(tmp_path / "out")
    one, other = (engine.act(seen).chunk for engine in engines)
    np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    together = engines[1].act_together([seen, seen])
    np.testing.assert_allclose(together[1].chunk, one, rtol=1e-3, atol=1e-4)


def test_a_policy_elsewhere_has_nothing_to_export(here, tmp_path):  # noqa: F811
    add_policy(here, "far", "https://example.org/act")
    with pytest.raises(Refused, match="not stored here"):
        export_policy(here, "far", tmp_path / "out")
