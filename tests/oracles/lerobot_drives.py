"""Run in LeRobot's own venv: find the plug-in as LeRobot does, make its policy, and drive a server of ours with it."""

import json
import sys

import lr_shim  # noqa: F401 - before lerobot
import numpy as np
import torch
from lerobot.configs.policies import PreTrainedConfig
from lerobot.policies.factory import get_policy_class, make_pre_post_processors
from lerobot.rollout.inference.rtc import supports_rtc_inference
from lerobot.utils.import_utils import register_third_party_plugins


def see(step):
    picture = torch.from_numpy(np.full((3, 4, 5), step / 255, np.float32))
    return {"observation.images.cam_high": picture, "observation.state": torch.arange(3.0), "task": "pick the box"}


def main(port, folder):
    register_third_party_plugins()
    config = PreTrainedConfig.get_choice_class("fieldloop")(
        url=f"ws://127.0.0.1:{port}/", robot="arm-1", device="cpu", n_action_steps=2, timeout_s=20
    )
    policy = get_policy_class("fieldloop").from_pretrained(None, config=config)
    before, after = make_pre_post_processors(config)
    found = {"features": {name: list(feature.shape) for name, feature in config.input_features.items()}}
    found["episode"] = [after(policy.select_action(before(see(step)))).tolist() for step in range(6)]
    policy.reset()
    chunk = policy.predict_action_chunk(before(see(7)), inference_delay=1, prev_chunk_left_over=torch.ones(3, 2))
    found["chunk"] = list(chunk.shape)
    found["rtc"] = [policy.supports_rtc(), supports_rtc_inference(policy)]
    policy.save_pretrained(folder)
    again = get_policy_class("fieldloop").from_pretrained(folder)
    found["from a folder"] = [again.config.url == config.url, again.select_action(before(see(1))).tolist()]
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
