"""Ask a policy server that speaks openpi's WebSocket protocol, as an engine: its weights stay on the other machine."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action, Observation
from fieldloop.serve.bundle import Bundle, read_bundle
from fieldloop.serve.engines.arrays import check_answers, run_trial_inference, select_inputs
from fieldloop.serve.engines.remote import ServerUnavailable, nest, read_keys, read_timeout, read_url
from fieldloop.serve.message import DELAY, LEFTOVER
from fieldloop_robot import RobotError
from fieldloop_robot.client import PolicyClient, PolicyRefused

SCHEMES = ("ws", "wss")


class OpenpiEngine:
    """A policy on another machine; it may be used by one thread at a time."""

    def __init__(self, bundle: Bundle, url: str, reopen: tuple[Any, ...]) -> None:
        """Take a card and the server's address; nothing is connected before the first call."""
        self._bundle, self._reopen, self._keys = bundle, reopen, read_keys(bundle)
        self._client = PolicyClient(url, read_timeout(bundle))

    def __reduce__(self) -> tuple[Any, ...]:
        opener, *arguments = self._reopen
        return opener, tuple(arguments)

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""
        return self._bundle

    def act(self, observation: Observation) -> Action:
        """Send one observation and return the server's chunk."""
        began = time.perf_counter_ns()
        arrays = select_inputs(self._bundle, observation)
        message = nest({self._keys[name]: array for name, array in arrays.items()})
        if self._bundle.takes_prompt:
            message["prompt"] = observation.prompt
        if observation.leftover is not None:
            message |= {LEFTOVER: observation.leftover, DELAY: observation.delay_steps}
        reply = self._ask(message)
        actions = reply.get("actions")
        if not isinstance(actions, np.ndarray) or actions.dtype.kind not in "fiu":
            raise BadInput(f"The server's reply holds no actions, only {', '.join(map(str, reply)) or 'nothing'}.")
        chunk = check_answers(np.atleast_2d(actions)[np.newaxis], self._bundle, 1)[0]
        latency_ms = (time.perf_counter_ns() - began) / 1e6
        return Action(self._bundle.action_names, chunk if len(chunk) > 1 else chunk[0], None, latency_ms)

    def close(self) -> None:
        """Close the socket; the next call opens another."""
        self._client.close()

    def require_continuation(self) -> None:
        """Refuse a server that says of itself that it does not continue a chunk, where the card says that it does."""
        if self._bundle.max_delay_steps is not None and self._client.metadata().get("supports_rtc") is False:
            raise BadInput(
                f"{self._bundle.name or 'The card'} states max_delay_steps = {self._bundle.max_delay_steps}, and the "
                "server's metadata say that its policy does not continue a chunk. Leave max_delay_steps out."
            )

    def _ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._client.ask(message)
        except PolicyRefused as refused:
            raise BadInput(f"The remote policy refused the observation: {_get_first_line(refused)}") from refused
        except RobotError as gone:
            raise ServerUnavailable(f"The remote policy server does not answer: {gone}") from gone


def load_bundle(
    folder: Path, threads: int = 1, policy: str = "", computing: Mapping[str, Any] | None = None
) -> OpenpiEngine:
    """Open a bundle whose card names a server; the server is asked once."""
    bundle = read_bundle(folder)
    url = read_url(bundle, SCHEMES, folder)
    reopen = (load_bundle, folder, threads, policy, computing)
    try:
        engine = OpenpiEngine(replace(bundle, policy=policy or bundle.policy), url, reopen)
    except RobotError as wrong:
        raise BadInput(f"{folder}: options.url cannot be used: {wrong}") from wrong
    run_trial_inference(engine, folder)
    engine.require_continuation()
    return engine


def _get_first_line(error: Exception) -> str:
    """Return the line that says why: of a traceback, as openpi's servers send it, the last one."""
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return lines[-1] if lines and lines[0].startswith("Traceback") else (lines or ["no reason given"])[0]
