"""Run by LeRobot's own Python: write policies as LeRobot does, and let it and our engine answer one observation.

python lerobot_writes_policy.py FOLDER      prints {"act": {...}, "diffusion": {...}} as JSON
"""

import json
import sys
from pathlib import Path

import lr_shim  # noqa: F401 - before lerobot
import numpy as np
import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.factory import make_pre_post_processors

from fieldloop.model.policy import Observation
from fieldloop.serve.adding.lerobot_policy import describe_lerobot_policy
from fieldloop.serve.adding.settings import read_settings
from fieldloop.serve.adding.write import write_bundle_folder
from fieldloop.serve.engines.lerobot import LibraryEngine
from fieldloop.serve.open_engine import open_engine

CAMERAS = ("observation.images.top", "observation.images.wrist")
STATE, ACTION = "observation.state", "action"
JOINTS = [f"joint_{n}" for n in range(6)]


def draw_statistics(draw):
    def vector(size):
        mean, std = torch.randn(size, generator=draw), torch.rand(size, generator=draw) + 0.5
        ends = {"min": mean - 3 * std, "max": mean + 3 * std, "q01": mean - 2.3 * std, "q99": mean + 2.3 * std}
        return {"mean": mean, "std": std, **ends}

    one = torch.ones(3, 1, 1)
    picture = {"mean": one * 0.45, "std": one * 0.22, "min": one * 0, "max": one}
    return {STATE: vector(6), ACTION: vector(6), **dict.fromkeys(CAMERAS, picture)}


def write_act(folder, mode, *, pre_norm):
    torch.manual_seed(0)
    draw = torch.Generator().manual_seed(1)
    inputs = {STATE: PolicyFeature(FeatureType.STATE, (6,))}
    inputs |= {camera: PolicyFeature(FeatureType.VISUAL, (3, 64, 96)) for camera in CAMERAS}
    config = ACTConfig(
        input_features=inputs, output_features={ACTION: PolicyFeature(FeatureType.ACTION, (6,))}, chunk_size=8,
        n_action_steps=8, dim_model=32, n_heads=4, dim_feedforward=48, n_encoder_layers=2, n_decoder_layers=2,
        n_vae_encoder_layers=1, latent_dim=8, pretrained_backbone_weights=None, device="cpu", push_to_hub=False,
        pre_norm=pre_norm, feedforward_activation="gelu" if pre_norm else "relu",
    )  # fmt: skip
    config.normalization_mapping = {
        key: type(config.normalization_mapping["STATE"])(value)
        for key, value in {"VISUAL": "MEAN_STD", "STATE": mode, "ACTION": mode}.items()
    }
    policy = ACTPolicy(config).eval()
    for name, value in policy.named_buffers():  # frozen batch norms of a trained backbone are not 0 and 1
        if name.endswith(("running_mean", "bn1.bias", "bn2.bias")):
            value.copy_(torch.randn(value.shape, generator=draw) * 0.1)
        if name.endswith("running_var"):
            value.copy_(torch.rand(value.shape, generator=draw) + 0.5)
    before, after = make_pre_post_processors(config, dataset_stats=draw_statistics(draw))
    for part in (policy, before, after):
        part.save_pretrained(folder)
    return policy, before, after


def compare(folder, mode, *, pre_norm):
    policy, before, after = write_act(folder, mode, pre_norm=pre_norm)
    rng = np.random.default_rng(2)
    pictures = {camera: rng.integers(0, 256, (64, 96, 3), np.uint8) for camera in CAMERAS}
    state = rng.normal(size=6).astype(np.float32)
    batch = {name: torch.from_numpy(array).permute(2, 0, 1).float() / 255 for name, array in pictures.items()}
    theirs = after(policy.predict_action_chunk(before(batch | {STATE: torch.from_numpy(state)}))).numpy()[0]
    settings = read_settings({"control_hz": 30, "action_names": JOINTS}, "settings")
    made = describe_lerobot_policy(folder, "act", settings)
    write_bundle_folder(folder.with_name(folder.name + "-bundle"), *made, {}, "")
    engine = open_engine(folder.with_name(folder.name + "-bundle"))
    seen = Observation(0, pictures, {STATE: state.astype(float)})
    library = LibraryEngine(engine.bundle, folder, "cpu", ())  # how every type but ACT is run
    answers = {"ours": engine.act(seen).chunk, "library": library.act(seen).chunk}
    found = {name: float(np.abs(answer - theirs).max()) for name, answer in answers.items()}
    return found | {"largest": float(np.abs(theirs).max())}


if __name__ == "__main__":
    root = Path(sys.argv[1])
    found = {
        "mean_std": compare(root / "mean_std", "MEAN_STD", pre_norm=False),
        "quantiles": compare(root / "quantiles", "QUANTILES", pre_norm=True),
        "min_max": compare(root / "min_max", "MIN_MAX", pre_norm=False),
    }
    sys.stdout.write(json.dumps(found) + "\n")
