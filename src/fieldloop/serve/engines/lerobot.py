"""Run a LeRobot policy folder: ACT with PyTorch alone, every other type with LeRobot itself where it is installed."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput, Refused
from fieldloop.model.policy import Action, Observation
from fieldloop.serve import lerobot_folder as stated_by
from fieldloop.serve.bundle import Bundle, read_bundle
from fieldloop.serve.engine import Engine
from fieldloop.serve.engines.act import WHITE, make_blank_batch, open_act
from fieldloop.serve.engines.arrays import (
    ChunkEngine,
    check_answers,
    get_first_line,
    refuse_promised_delay,
    run_trial_inference,
    select_inputs,
)
from fieldloop.serve.engines.torch_runner import require_torch

SEED = 0
"""Of the noise that diffusion and flow policies start from: the same observation gets the same answer."""


def load_bundle(folder: Path, threads: int = 1, policy: str = "", computing: Mapping[str, Any] | None = None) -> Engine:
    """Open a bundle that holds a LeRobot policy folder."""
    torch = require_torch()
    torch.set_num_threads(threads)
    card = read_bundle(folder)
    bundle, asked = replace(card, policy=policy or card.policy), dict(computing or {})
    reopen = (load_bundle, folder, threads, policy, computing)
    if stated_by.read_lerobot_folder(folder).kind == "act":
        runner = open_act(folder, asked)
        runner.prepare(make_blank_batch(bundle), int(asked.get("max_batch", 1)))
        engine: Engine = ChunkEngine(bundle, runner.run, reopen)
    else:
        engine = LibraryEngine(bundle, folder, str(asked.get("device", "cpu")), reopen)
    run_trial_inference(engine, folder)
    if isinstance(engine, LibraryEngine):
        engine.reset("")
    return engine


class LibraryEngine:
    """A policy run by the installed LeRobot, with its own processors; it remembers what it saw within an episode."""

    def __init__(self, bundle: Bundle, folder: Path, device: str, reopen: tuple[Any, ...]) -> None:
        """Load weights and processors from a folder."""
        self._bundle, self._device, self._reopen = bundle, device, reopen
        self._kinds = {name: one.kind for name, one in stated_by.read_lerobot_folder(folder).inputs.items()}
        try:
            self._policy, self._before, self._after = _load_with_lerobot(folder, device)
            if bundle.max_delay_steps is not None:
                _prepare_continuation(self._policy, bundle)
        except ImportError as missing:
            raise Refused(
                f"{folder} holds a policy that LeRobot itself must run, and it cannot be imported ({missing}). "
                "Install it beside fieldloop: pip install lerobot, with the extra that this policy needs."
            ) from missing

    def __reduce__(self) -> tuple[Any, ...]:
        opener, *arguments = self._reopen
        return opener, tuple(arguments)

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""
        return self._bundle

    def reset(self, episode: str) -> None:  # noqa: ARG002 - it remembers one episode, whatever its name
        """Forget what was seen before."""
        self._policy.reset()

    def act(self, observation: Observation) -> Action:
        """Answer one observation with a chunk."""
        torch = require_torch()
        began = time.perf_counter_ns()
        feed = select_inputs(self._bundle, observation)
        batch: dict[str, Any] = {name: self._make_tensor(name, array) for name, array in feed.items()}
        if self._bundle.takes_prompt:
            batch["task"] = observation.prompt
        torch.manual_seed(SEED)
        with torch.no_grad():  # not inference_mode: continuing a chunk follows a gradient
            answered = self._predict(*self._prepare(batch, observation))
            values = self._after(answered).float().cpu().numpy()
        chunk = check_answers(np.asarray(values), self._bundle, 1)[0]
        latency_ms = (time.perf_counter_ns() - began) / 1e6
        return Action(self._bundle.action_names, chunk if len(chunk) > 1 else chunk[0], None, latency_ms)

    def _prepare(self, batch: dict[str, Any], observation: Observation) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the network takes; the rest of the last chunk becomes the network's numbers, as actions do."""
        if observation.leftover is None:
            return self._before(batch), {}
        rows = require_torch().from_numpy(np.array(observation.leftover, np.float32))[None]
        ready = dict(self._before(batch | {stated_by.ACTION: rows}))
        leftover = ready.pop(stated_by.ACTION)[0]
        return ready, {"inference_delay": observation.delay_steps, "prev_chunk_left_over": leftover}

    def _predict(self, batch: Mapping[str, Any], continued: Mapping[str, Any]) -> Any:
        """Ask for a chunk; a policy that looks at several observations gets this one queued first."""
        if hasattr(self._policy, "diffusion"):
            from lerobot.policies.utils import populate_queues

            batch = {name: value for name, value in batch.items() if name != stated_by.ACTION}
            pictures = [name for name, kind in self._kinds.items() if kind == "VISUAL"]
            if pictures:
                batch["observation.images"] = require_torch().stack([batch[name] for name in pictures], dim=-4)
            queues = self._policy._queues  # noqa: SLF001 - as its own select_action does
            self._policy._queues = populate_queues(queues, batch)  # noqa: SLF001
        return self._policy.predict_action_chunk(batch, **continued)

    def _make_tensor(self, name: str, array: Any) -> Any:
        tensor = require_torch().from_numpy(np.array(array))
        return tensor.permute(2, 0, 1).float() / WHITE if self._kinds.get(name) == "VISUAL" else tensor.float()


def _prepare_continuation(policy: Any, bundle: Bundle) -> None:
    """Switch a policy's real-time chunking on, by LeRobot's defaults where its configuration states none."""
    supports = getattr(policy, "supports_rtc", None)
    if not callable(supports) or not supports():
        refuse_promised_delay(bundle)
    if policy.config.rtc_config is None or not policy.config.rtc_config.enabled:
        from lerobot.policies.rtc import RTCConfig

        policy.config.rtc_config = RTCConfig(enabled=True)
        policy.init_rtc_processor()


def _load_with_lerobot(folder: Path, device: str) -> tuple[Any, Any, Any]:
    from lerobot.configs.policies import PreTrainedConfig
    from lerobot.policies.factory import get_policy_class, make_pre_post_processors

    config = PreTrainedConfig.from_pretrained(folder)
    config.device = device
    try:
        policy = get_policy_class(config.type).from_pretrained(folder, config=config)
        before, after = make_pre_post_processors(
            config, str(folder), preprocessor_overrides={"device_processor": {"device": device}}
        )
    except ImportError:
        raise
    except Exception as wrong:
        raise BadInput(f"{folder}: LeRobot cannot load this policy: {get_first_line(wrong)}") from wrong
    policy.eval()
    policy.reset()
    return policy, before, after
