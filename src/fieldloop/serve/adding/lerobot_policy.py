"""Make a bundle of a LeRobot policy folder: inputs, outputs and the chunk are read from its configuration."""

import re
from dataclasses import replace
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.model.policy import Input
from fieldloop.serve import lerobot_folder as lerobot
from fieldloop.serve.adding.settings import PolicySettings
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.digests import require_inside
from fieldloop.serve.engines.act import VISUAL, read_scalings
from fieldloop.serve.safetensors import read_arrays, read_header, require_finite

PICTURES = "observation.images."
TAKES_PROMPT = ("smolvla", "pi0", "pi05", "pi0_fast", "groot", "xvla", "wall_x")
PICTURE_AXES = 3


def describe_lerobot_policy(folder: Path, name: str, settings: PolicySettings) -> tuple[Bundle, dict[str, Path]]:
    """Return the card and the files of a bundle for a LeRobot policy."""
    stated = lerobot.read_lerobot_folder(folder)
    settings.require(str(folder), "control_hz", "action_names")
    if not (folder / lerobot.WEIGHTS).is_file():
        raise BadInput(f"{folder} has no {lerobot.WEIGHTS}, so it has no weights.")
    read_scalings(stated)  # a normaliser that is missing or lacks statistics is refused
    for tensor in read_header(folder / lerobot.WEIGHTS):  # one at a time: a large model need not fit twice
        require_finite(read_arrays(folder / lerobot.WEIGHTS, (tensor,)), str(folder / lerobot.WEIGHTS))
    action = stated.outputs.get(lerobot.ACTION)
    if action is None or len(action.shape) != 1:
        raise BadInput(f"{folder}: the configuration has no output 'action' of one axis.")
    if action.shape[0] != len(settings.action_names):
        names = settings.action_names
        raise BadInput(f"{folder} answers {action.shape[0]} values; {len(names)} names are stated: {', '.join(names)}.")
    settings = replace(settings, replan_steps=settings.replan_steps or find_replan_steps(stated))
    inputs = tuple(_make_input(key, feature) for key, feature in stated.inputs.items())
    bundle = settings.make_bundle(
        name, "lerobot", inputs, find_horizon(stated), normaliser="inside",
        takes_prompt=settings.prompt or stated.kind in TAKES_PROMPT,
        layouts={i.name: "HWC" for i in inputs if len(i.shape) == PICTURE_AXES} | dict(settings.layouts),
        aliases=name_short_forms(inputs) | dict(settings.aliases),
    )  # fmt: skip
    return bundle, {path.relative_to(folder).as_posix(): path for path in list_policy_files(stated)}


def list_policy_files(stated: lerobot.LerobotFolder) -> list[Path]:
    """List the files that a policy consists of: not its README, its logs, or the state of its optimiser."""
    states = [step.state for step in (*(stated.before or ()), *(stated.after or ())) if step.state]
    names = (lerobot.CONFIG, lerobot.WEIGHTS, lerobot.PRE, lerobot.POST, *states)
    return [path for name in names if (path := require_inside(stated.folder, name)).is_file()]


def find_horizon(stated: lerobot.LerobotFolder) -> int:
    """Return how many rows of actions one answer has; a diffusion policy keeps those that it executes."""
    key = "n_action_steps" if stated.kind == "diffusion" else "chunk_size"
    found = stated.config.get(key, stated.horizon)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise BadInput(f"{stated.folder}: the configuration states no {key}, so the length of a chunk is not known.")
    return found


def find_replan_steps(stated: lerobot.LerobotFolder) -> int | None:
    """Return how many rows of a chunk LeRobot executes before it asks again; None where it is not stated."""
    found = stated.config.get("n_action_steps")
    if not isinstance(found, int) or isinstance(found, bool):
        return None
    return found if 1 <= found <= find_horizon(stated) else None


def name_short_forms(inputs: tuple[Input, ...]) -> dict[str, str]:
    """Name the inputs as clients also write them.

    >>> name_short_forms((Input("observation.state", (6,), "float32"),))
    {'state': 'observation.state'}
    """
    short = {re.sub(r"^observation\.(images\.)?", "", i.name): i.name for i in inputs}
    pictures = {i.name.replace(PICTURES, "images/"): i.name for i in inputs if i.name.startswith(PICTURES)}
    known = {i.name for i in inputs}
    return {alias: name for alias, name in (short | pictures).items() if alias not in known}


def _make_input(key: str, feature: lerobot.Feature) -> Input:
    if feature.kind != VISUAL:
        return Input(key, feature.shape, "float32")
    if len(feature.shape) != PICTURE_AXES:
        raise BadInput(f"The picture {key!r} has the shape {feature.shape}, not channels, height and width.")
    channels, height, width = feature.shape
    return Input(key, (height, width, channels), "uint8")
