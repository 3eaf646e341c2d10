"""Small policies as other makers write them: an ONNX graph that answers a chunk, TorchScript, and an ACT checkpoint."""

import json
import struct
import warnings

import numpy as np
import onnx
from bench.act_weights import draw_act_weights
from onnx import TensorProto, helper, numpy_helper

from fieldloop.serve.adding.settings import read_settings

HORIZON, NAMES = 4, ("x", "y", "z")
SETTINGS = {
    "control_hz": 50,
    "action_names": list(NAMES),
    "units": "rad",
    "normaliser": "inside",
    "layouts": {"image": "CHW"},
    "aliases": {"camera/top": "image"},
}
WEIGHTS = np.linspace(-1, 1, 3 * HORIZON * len(NAMES)).reshape(3, HORIZON * len(NAMES)).astype(np.float32)


def settings(**changes):
    table = {k: v for k, v in (SETTINGS | changes).items() if v is not None}
    return read_settings(table, "mine.toml")


def expected(image, state):
    """Mean of the picture and two values of the state, through one matrix."""
    features = np.concatenate([[image.mean()], state]).astype(np.float32)
    return (features @ WEIGHTS).reshape(HORIZON, len(NAMES))


def write_onnx(path, batch="N", weights=WEIGHTS, horizon=HORIZON):
    nodes = [
        helper.make_node("ReduceMean", ["image", "axes"], ["mean"], keepdims=0),
        helper.make_node("Unsqueeze", ["mean", "one"], ["column"]),
        helper.make_node("Concat", ["column", "state"], ["features"], axis=1),
        helper.make_node("MatMul", ["features", "w"], ["flat"]),
        helper.make_node("Reshape", ["flat", "shape"], ["actions"]),
    ]
    constants = {"axes": np.array([1, 2, 3]), "one": np.array([1]), "w": weights}
    constants["shape"] = np.array([-1, horizon, weights.shape[1] // horizon])

    def value(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    made = helper.make_graph(
        nodes, "theirs", [value("image", [batch, 3, 6, 8]), value("state", [batch, 2])],
        [value("actions", [batch, horizon, weights.shape[1] // horizon])],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    return path


def write_torchscript(path):
    import torch

    class Theirs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("w", torch.from_numpy(WEIGHTS))

        def forward(self, image, state):
            features = torch.cat([image.mean((1, 2, 3))[:, None], state], 1)
            return (features @ self.w).reshape(-1, HORIZON, len(NAMES))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PyTorch would like another form; these files exist
        torch.jit.trace(Theirs(), (torch.zeros(2, 3, 6, 8), torch.zeros(2, 2))).save(str(path))
    return path


def write_safetensors(path, arrays):
    """The format as its specification states it."""
    header, data = {}, b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "float64": "F64", "int64": "I64"}[str(array.dtype)]
        header[name] = {
            "dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes],
        }  # fmt: skip
        data += np.ascontiguousarray(array).tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


CAMERAS = ("observation.images.top", "observation.images.wrist")
STATE, ACTION, CHUNK, SIDE = "observation.state", "action", 8, 32


def statistics(size, low=-1.0, high=1.0):
    mid, half = (low + high) / 2, (high - low) / 2
    row = {"mean": mid, "std": half / 2, "min": low, "max": high, "q01": mid - half * 0.9, "q99": mid + half * 0.9}
    return {key: np.full(size, value, np.float32) for key, value in row.items()}


def write_lerobot(folder, *, state=3, action=3, kind="act", mode="MEAN_STD", weights=None, **changes):
    """A LeRobot policy folder as LeRobot 0.6 lays it out; `changes` replace parts of the configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    features = {STATE: {"type": "STATE", "shape": [state]}}
    features |= {camera: {"type": "VISUAL", "shape": [3, SIDE, SIDE]} for camera in CAMERAS}
    config = {
        "type": kind, "n_obs_steps": 1, "input_features": features,
        "output_features": {ACTION: {"type": "ACTION", "shape": [action]}}, "chunk_size": CHUNK,
        "n_action_steps": CHUNK, "normalization_mapping": dict.fromkeys(("VISUAL", "STATE", "ACTION"), mode),
        "vision_backbone": "resnet18", "pre_norm": False, "dim_model": 16, "n_heads": 2, "dim_feedforward": 24,
        "feedforward_activation": "relu", "n_encoder_layers": 1, "n_decoder_layers": 1, "latent_dim": 32,
        "replace_final_stride_with_dilation": False,
    } | changes  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    found = {STATE: statistics(state), ACTION: statistics(action)}
    found |= {camera: statistics((3, 1, 1), 0.0, 1.0) for camera in CAMERAS}
    write_normaliser(folder, "policy_preprocessor", "normalizer_processor", config, found)
    write_normaliser(folder, "policy_postprocessor", "unnormalizer_processor", config, found)
    drawn = weights or draw_ends(state, action)
    write_safetensors(folder / "model.safetensors", {f"model.{name}": array for name, array in drawn.items()})
    return folder


def draw_ends(state, action):
    """The three weights whose shapes the check compares; the policy cannot run with these alone."""
    sizes = {
        "action_head": (action, 16),
        "encoder_robot_state_input_proj": (16, state),
        "decoder_pos_embed": (CHUNK, 16),
    }
    return {f"{name}.weight": np.zeros(size, np.float32) for name, size in sizes.items()}


def draw_whole_act(action=3):
    """All weights of a small ACT; its ResNet has 11 million numbers, so only tests that run it draw them."""
    return draw_act_weights(16, 24, (1, 1), values=action, chunk=CHUNK)


def write_normaliser(folder, name, step, config, found):
    state_file = f"{name}_step_0_{step}.safetensors"
    features = config["input_features"] | config["output_features"]
    steps = [
        {"registry_name": "rename_observations_processor", "config": {"rename_map": {}}},
        {
            "registry_name": step,
            "config": {"features": features, "norm_map": config["normalization_mapping"]},
            "state_file": state_file,
        },
    ]
    (folder / f"{name}.json").write_text(json.dumps({"name": name, "steps": steps}))
    flat = {f"{key}.{one}": array for key, rows in found.items() for one, array in rows.items()}
    write_safetensors(folder / state_file, flat)
