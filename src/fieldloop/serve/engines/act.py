"""Run a LeRobot ACT checkpoint with PyTorch alone: pictures enter as the camera gives them, as uint8 HWC."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.serve import lerobot_folder as lerobot
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.engines.torch_runner import TorchRunner, check_device, choose_dtype
from fieldloop.serve.networks.act import ActShape, predict_chunk, prepare_weights, read_shape
from fieldloop.serve.normaliser import Scaling, make_scaling
from fieldloop.serve.safetensors import read_arrays, require_finite

WHITE = 255
VISUAL, STATE, ENVIRONMENT = "VISUAL", "STATE", "ENV"


def open_act(folder: Path, options: Mapping[str, Any]) -> TorchRunner:
    """Load the weights of an ACT checkpoint; options are torch_mode, device and precision."""
    stated = lerobot.read_lerobot_folder(folder)
    state = read_arrays(folder / lerobot.WEIGHTS)
    require_finite(state, str(folder / lerobot.WEIGHTS))
    function = make_act_function(
        state, read_shape(stated.config), {name: one.kind for name, one in stated.inputs.items()},
        read_scalings(stated), device=str(options.get("device", "cpu")),
        precision=str(options.get("precision", "float32")),
    )  # fmt: skip
    return TorchRunner(function, mode=str(options.get("torch_mode", "eager")), device=str(options.get("device", "cpu")))


def read_scalings(stated: lerobot.LerobotFolder) -> dict[str, Scaling | None]:
    """Return the scaling of each input and of the action; a normaliser without the statistics it needs is refused."""
    before, after = stated.get_normaliser(lerobot.NORMALISE), stated.get_normaliser(lerobot.UNNORMALISE)
    if before is None or after is None:
        raise BadInput(
            f"{stated.folder} has no normaliser ({lerobot.PRE} and {lerobot.POST}), so its numbers could mean "
            "anything. Checkpoints before LeRobot 0.4 are brought up to date by LeRobot's migrate_policy_normalization."
        )
    scalings: dict[str, Scaling | None] = {}
    for step, features in ((before, stated.inputs), (after, stated.outputs)):
        statistics, modes = lerobot.read_statistics(stated.folder, step), step.config.get("norm_map") or stated.modes
        for name, feature in features.items():
            mode = str(modes.get(feature.kind, "IDENTITY")).lower()
            where = f"{stated.folder / (step.state or lerobot.PRE)}: {name}"
            scaling = make_scaling(mode, statistics.get(name, {}), where)
            scalings[name] = scaling and _fit_shape(scaling, feature, where)
    return scalings


def make_act_function(
    state: Mapping[str, NDArray[Any]],
    shape: ActShape,
    kinds: Mapping[str, str],
    scalings: Mapping[str, Scaling | None],
    *,
    device: str = "cpu",
    precision: str = "float32",
) -> Callable[[Mapping[str, Any]], Any]:
    """Make the function from a batch of pictures (uint8, HWC) and vectors to actions in the robot's unit."""
    import torch

    check_device(device)
    dtype, place = choose_dtype(precision), torch.device(device)
    tensors = {name: torch.from_numpy(np.array(array, np.float32)) for name, array in state.items()}
    weights = {name: tensor.to(place, dtype).contiguous() for name, tensor in prepare_weights(tensors).items()}
    fixed = {name: _place_scaling(one, place) for name, one in scalings.items() if one is not None}
    order = sorted((kind != STATE, n) for n, kind in kinds.items() if kind != VISUAL)  # the robot's state first
    pictures, vectors = [n for n, kind in kinds.items() if kind == VISUAL], [name for _, name in order]

    def normalise(name: str, values: Any) -> Any:
        offset, scale = fixed.get(name, (0.0, 1.0))
        return ((values - offset) / scale).to(dtype)

    def answer(feed: Mapping[str, Any]) -> Any:
        seen = [normalise(name, feed[name].permute(0, 3, 1, 2).float() / WHITE) for name in pictures]
        felt = [normalise(name, feed[name].float()) for name in vectors]
        offset, scale = fixed.get(lerobot.ACTION, (0.0, 1.0))
        return predict_chunk(weights, shape, seen, felt).float() * scale + offset

    return answer


def make_blank_batch(bundle: Bundle) -> dict[str, NDArray[Any]]:
    """Return a blank batch of one."""
    return {i.name: np.zeros((1, *i.shape), i.dtype) for i in bundle.inputs}


def _place_scaling(scaling: Scaling, place: Any) -> tuple[Any, Any]:
    import torch

    return tuple(torch.from_numpy(np.array(part, np.float32)).to(place) for part in (scaling.offset, scaling.scale))


def _fit_shape(scaling: Scaling, feature: lerobot.Feature, where: str) -> Scaling:
    """Bring a picture's statistics to [3, 1, 1], and refuse what does not fit the feature."""
    if feature.kind == VISUAL and scaling.offset.ndim == 1:
        scaling = Scaling(scaling.offset.reshape(-1, 1, 1), scaling.scale.reshape(-1, 1, 1))
    try:
        fits = np.broadcast_shapes(scaling.offset.shape, feature.shape) == feature.shape
    except ValueError:
        fits = False
    if not fits:
        raise BadInput(
            f"{where} has statistics of shape {scaling.offset.shape}, the policy has the shape {feature.shape}."
        )
    return scaling
