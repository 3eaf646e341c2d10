"""The policy itself: tensors to a message, the answered chunk back to a tensor."""

import uuid
from collections import deque
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.pretrained import PreTrainedPolicy
from torch import Tensor

from fieldloop_robot.client import PolicyClient
from lerobot_policy_fieldloop.configuration_fieldloop import FieldloopConfig

ACTION, STATE, PICTURES = "action", "observation.state", "observation.images."
PICTURE_AXES = 3
BRIGHTEST = 255


class FieldloopPolicy(PreTrainedPolicy):
    """A policy on a fieldloop server."""

    config_class = FieldloopConfig
    name = "fieldloop"

    def __init__(self, config: FieldloopConfig, **_: Any) -> None:
        """Connect, and take the features from the server where the configuration states none."""
        super().__init__(config)
        self._client = PolicyClient(config.url, config.timeout_s, token=config.token, robot=config.robot)
        self._card = self._client.metadata()
        self._marker = torch.nn.Parameter(torch.zeros(0), requires_grad=False)  # shows LeRobot the device
        self._queue: deque[Tensor] = deque()
        config.input_features = config.input_features or describe_inputs(self._card)
        actions = PolicyFeature(FeatureType.ACTION, (len(self._card["action_names"]),))
        config.output_features = config.output_features or {ACTION: actions}
        config.action_feature_names = config.action_feature_names or list(self._card["action_names"])
        self.reset()

    @classmethod
    def from_pretrained(cls, pretrained_name_or_path: Any = None, *, config: Any = None, **kwargs: Any) -> Self:
        """Return the policy of a configuration, or of a folder that holds one; the weights are on the server."""
        if config is None:
            config = FieldloopConfig.from_pretrained(pretrained_name_or_path, **kwargs)
        return cls(config).to(config.device).eval()

    def supports_rtc(self) -> bool:
        """Return whether the server's policy continues the last chunk."""
        return bool(self._card.get("supports_rtc"))

    def reset(self) -> None:
        """Begin an episode."""
        self._queue.clear()
        self._client.begin_episode(uuid.uuid4().hex)

    def predict_action_chunk(
        self,
        batch: Mapping[str, Any],
        *,
        inference_delay: int | None = None,
        prev_chunk_left_over: Tensor | None = None,
        **_: Any,
    ) -> Tensor:
        """Ask the server for a chunk; in real-time chunking, with the rest of the last one."""
        first = next(value for value in batch.values() if isinstance(value, Tensor))
        if len(first) != 1:
            raise ValueError(f"A server answers one robot at a time; this batch has {len(first)} observations.")
        seen = _Seen(batch, self._card["inputs"], prev_chunk_left_over, inference_delay or 0)
        answer = self._client.act(seen)
        return torch.from_numpy(np.array(answer.chunk, np.float32))[None].to(self._marker.device)

    @torch.no_grad()
    def select_action(self, batch: Mapping[str, Any], **_: Any) -> Tensor:
        """Return the next action; ask the server when those of the last chunk are used up."""
        if not self._queue:
            chunk = self.predict_action_chunk(batch)
            self._queue.extend(chunk[:, : self.config.n_action_steps or None].unbind(1))
        return self._queue.popleft()

    def get_optim_params(self) -> dict[str, Any]:
        """Return nothing to train."""
        return {}

    def forward(self, batch: dict[str, Tensor]) -> tuple[Tensor, dict[str, Any] | None]:
        """Refuse to train."""
        raise NotImplementedError("A policy on a server is trained elsewhere.")


class _Seen:
    """An observation of LeRobot's, as the client sends it."""

    def __init__(
        self, batch: Mapping[str, Any], inputs: list[dict[str, Any]], leftover: Tensor | None, delay_steps: int
    ) -> None:
        """Keep tensors as arrays without their batch axis; pictures in the type that the policy wants."""
        wanted = {_get_last_part(i["name"]): np.dtype(i["dtype"]) for i in inputs}
        arrays = {key: _to_array(value[0], wanted, key) for key, value in batch.items() if isinstance(value, Tensor)}
        self.at_ns = 0
        self.pictures = {key: array for key, array in arrays.items() if array.ndim > 1}
        self.signals = {key: array for key, array in arrays.items() if array.ndim == 1}
        task = batch.get("task", "")
        self.prompt = task if isinstance(task, str) else next(iter(task), "")
        rows = None if leftover is None else leftover.detach().cpu().numpy()
        self.leftover = rows[0] if rows is not None and rows.ndim > 2 else rows  # noqa: PLR2004 - a batch axis
        self.delay_steps = delay_steps


def describe_inputs(card: Mapping[str, Any]) -> dict[str, PolicyFeature]:
    """Return a server's inputs as LeRobot's features: pictures with channels first, and the state."""
    features = {}
    for declared in card["inputs"]:
        name, shape = _get_last_part(declared["name"]), tuple(declared["shape"])
        if len(shape) == PICTURE_AXES:
            first = shape if shape[0] in (1, 3) else (shape[2], *shape[:2])
            features[f"{PICTURES}{name}"] = PolicyFeature(FeatureType.VISUAL, first)
        else:
            key = STATE if name == _get_last_part(STATE) else f"observation.{name}"
            features[key] = PolicyFeature(FeatureType.STATE, shape)
    return features


def _to_array(value: Tensor, wanted: Mapping[str, Any], key: str) -> Any:
    """LeRobot's pictures are numbers from 0 to 1; a policy of bytes gets bytes."""
    array = value.detach().cpu().numpy()
    if wanted.get(_get_last_part(key)) == np.uint8 and array.dtype.kind == "f":
        return np.round(array.clip(0, 1) * BRIGHTEST).astype(np.uint8)
    return array


def _get_last_part(name: str) -> str:
    return name.replace(".", "/").rsplit("/", 1)[-1]
