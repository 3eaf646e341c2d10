"""A small policy whose answers can be worked out by hand."""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from fieldloop_robot.guard import fingerprint_limits

NAMES = ("x", "y", "z", "yaw", "width", "force")
INPUTS = (("camera/overhead", (8, 10, 3), "uint8"), ("depth/overhead", (8, 10), "float32"), ("joints", (6,), "float32"))
WEIGHTS = np.linspace(-1.0, 1.0, 6 * 8).reshape(8, 6).astype(np.float32)
GUARD = {
    "min_confidence": 0.7,
    "max_consecutive_failures": 5,
    "max_joint_step": 0.25,
    "max_force": 40.0,
    "max_stale_ms": 200.0,
}


def expected(camera, depth, joints):
    """Mean brightness, mean depth and the joints through one matrix; the surer, the brighter."""
    brightness = camera.astype(np.float32).mean() / np.float32(255)
    features = np.concatenate([[brightness, depth.mean()], joints]).astype(np.float32)
    return features @ WEIGHTS, 1 / (1 + np.exp(-brightness))


def graph():
    def value(name, kind, shape):
        return helper.make_tensor_value_info(name, kind, ["N", *shape])

    kinds = {"uint8": TensorProto.UINT8, "float32": TensorProto.FLOAT}
    constants = {
        "pixels": np.array([1, 2, 3]),
        "points": np.array([1, 2]),
        "ones": np.array([1]),
        "full": np.float32(255),
        "w": WEIGHTS,
    }
    nodes = [
        helper.make_node("Cast", ["camera/overhead"], ["light"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["light", "pixels"], ["mean"], keepdims=0),
        helper.make_node("Div", ["mean", "full"], ["brightness"]),
        helper.make_node("ReduceMean", ["depth/overhead", "points"], ["far"], keepdims=0),
        helper.make_node("Unsqueeze", ["brightness", "ones"], ["column_a"]),
        helper.make_node("Unsqueeze", ["far", "ones"], ["column_b"]),
        helper.make_node("Concat", ["column_a", "column_b", "joints"], ["features"], axis=1),
        helper.make_node("MatMul", ["features", "w"], ["action"]),
        helper.make_node("Sigmoid", ["brightness"], ["confidence"]),
    ]
    made = helper.make_graph(
        nodes, "policy", [value(name, kinds[dtype], shape) for name, shape, dtype in INPUTS],
        [value("action", TensorProto.FLOAT, [6]), value("confidence", TensorProto.FLOAT, [])],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()],
    )  # fmt: skip
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def write(folder, model=None, **changes):
    card = {
        "schema": "bundle/1", "name": "hand-made", "release": "r1", "trainer": "none", "seed": 0,
        "inputs": [{"name": n, "shape": list(s), "dtype": d} for n, s, d in INPUTS], "action_names": list(NAMES),
        "control_hz": 10.0, "guard": GUARD, "guard_fingerprint": fingerprint_limits(GUARD),
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model or graph(), folder / "policy.onnx")
    (folder / "bundle.json").write_text(json.dumps({k: v for k, v in (card | changes).items() if v is not None}))
    return folder
