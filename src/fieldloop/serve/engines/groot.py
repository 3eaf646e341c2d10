"""Ask a GR00T policy server over ZeroMQ, as an engine: its weights stay on the other machine.

The card's options state `url`, `keys` (input → 'video.<camera>' or 'state.<part>'), `actions` (parts of the answer in
order, each with its number of values), `language` (the key of the task), `encoding`, `remembers` (the server keeps
something within an episode) and, where the server wants one, `token_from`: the name of the environment variable that
holds its token.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput, MissingExtra
from fieldloop.model.policy import Action, Observation
from fieldloop.serve.bundle import Bundle, read_bundle
from fieldloop.serve.engines import groot_wire
from fieldloop.serve.engines.arrays import check_answers, refuse_promised_delay, run_trial_inference, select_inputs
from fieldloop.serve.engines.remote import ServerUnavailable, read_keys, read_timeout, read_url

VIDEO, STATE = "video", "state"


class GrootEngine:
    """A policy on a GR00T server; it may be used by one thread at a time."""

    def __init__(self, bundle: Bundle, url: str, reopen: tuple[Any, ...]) -> None:
        """Take a card and the server's address; nothing is connected before the first call."""
        self._bundle, self._url, self._reopen = bundle, url, reopen
        refuse_promised_delay(bundle)
        self._keys, self._timeout_ms = _read_groot_keys(bundle), int(read_timeout(bundle) * 1e3)
        self._parts = _read_parts(bundle)
        self._socket: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        opener, *arguments = self._reopen
        return opener, tuple(arguments)

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""
        return self._bundle

    def act(self, observation: Observation) -> Action:
        """Send one observation and return the server's chunk."""
        return self.act_together((observation,))[0]

    def act_together(self, observations: Sequence[Observation]) -> tuple[Action, ...]:
        """Send several robots' observations as one batch."""
        began = time.perf_counter_ns()
        rows = [select_inputs(self._bundle, one) for one in observations]
        sent: dict[str, Any] = {VIDEO: {}, STATE: {}}
        for declared in self._bundle.inputs:
            side, key = self._keys[declared.name]
            stacked = np.stack([row[declared.name] for row in rows])[:, np.newaxis]  # batch, then time
            sent[side][key] = stacked if side == VIDEO else stacked.astype(np.float32)
        if self._bundle.takes_prompt:
            sent["language"] = {str(self._bundle.options.get("language", "task")): [[o.prompt] for o in observations]}
        answer = self._call("get_action", {"observation": sent, "options": None})
        chunks = check_answers(self._join_parts(answer, len(rows)), self._bundle, len(rows))
        latency_ms = (time.perf_counter_ns() - began) / 1e6
        names = self._bundle.action_names
        return tuple(Action(names, chunk if len(chunk) > 1 else chunk[0], None, latency_ms) for chunk in chunks)

    def _join_parts(self, answer: Any, size: int) -> NDArray[Any]:
        """Put the parts of an answer side by side, in the order of the card."""
        actions = answer[0] if isinstance(answer, list | tuple) and answer else answer
        if not isinstance(actions, Mapping):
            raise BadInput(f"The server answered a {type(actions).__name__}, not a map of actions.")
        found = {str(key).removeprefix("action."): value for key, value in actions.items()}
        joined = []
        for part, count in self._parts.items():
            values = np.asarray(found[part]) if part in found else None
            if values is None or values.ndim != 3 or values.shape[0] != size or values.shape[2] != count:  # noqa: PLR2004 - batch, time, values
                shape = None if values is None else values.shape
                raise BadInput(
                    f"The server's action {part!r} has the shape {shape}, not ({size}, steps, {count}); "
                    f"it sent {', '.join(sorted(found))}."
                )
            joined.append(values)
        return np.concatenate(joined, axis=2)

    def _call(self, endpoint: str, data: Mapping[str, Any]) -> Any:
        request: dict[str, Any] = {"endpoint": endpoint, "data": data}
        if variable := self._bundle.options.get("token_from"):
            request["api_token"] = os.environ.get(str(variable), "")
        encoding = str(self._bundle.options.get("encoding", "nd"))
        reply = groot_wire.unpack(self._exchange(groot_wire.pack(request, encoding)))
        if isinstance(reply, Mapping) and "error" in reply:
            raise BadInput(f"The remote policy refused: {(str(reply['error']).splitlines() or ['no reason given'])[0]}")
        return reply

    def _exchange(self, data: bytes) -> bytes:
        """Send and wait; after a failure the socket is made anew, so that a late answer is not taken for the next."""
        zmq = require_zmq()
        if self._socket is None:
            self._socket = zmq.Context.instance().socket(zmq.REQ)
            self._socket.setsockopt(zmq.LINGER, 0)
            self._socket.setsockopt(zmq.RCVTIMEO, self._timeout_ms)
            self._socket.setsockopt(zmq.SNDTIMEO, self._timeout_ms)
            self._socket.connect(self._url)
        try:
            self._socket.send(data)
            received: bytes = self._socket.recv()
        except zmq.ZMQError as gone:
            self.close()
            raise ServerUnavailable(
                f"{self._url} does not answer within {self._timeout_ms / 1e3:g} s. Is the GR00T server running?"
            ) from gone
        return received

    def close(self) -> None:
        """Close the socket; the next call opens another."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class RememberingGrootEngine(GrootEngine):
    """A policy whose server keeps something within an episode; it serves one robot, as no request names its own."""

    def reset(self, episode: str) -> None:  # noqa: ARG002 - the protocol names no episode
        """Let the server forget the episode."""
        self._call("reset", {"options": None})


def load_bundle(
    folder: Path, threads: int = 1, policy: str = "", computing: Mapping[str, Any] | None = None
) -> GrootEngine:
    """Open a bundle whose card names a server; the server is asked once."""
    require_zmq()
    bundle = read_bundle(folder)
    url = read_url(bundle, ("tcp",), folder)
    reopen = (load_bundle, folder, threads, policy, computing)
    kind = RememberingGrootEngine if bundle.options.get("remembers") else GrootEngine
    engine = kind(replace(bundle, policy=policy or bundle.policy), url, reopen)
    run_trial_inference(engine, folder)
    return engine


def require_zmq() -> Any:
    """Return pyzmq; where it is missing, state what to install."""
    try:
        import zmq
    except ImportError as missing:
        raise MissingExtra("pyzmq", "groot") from missing
    return zmq


def _read_groot_keys(bundle: Bundle) -> dict[str, tuple[str, str]]:
    keys = {}
    for name, key in read_keys(bundle).items():
        side, _, part = key.partition(".")
        if side not in (VIDEO, STATE) or not part:
            raise BadInput(f"options.keys: {name!r} goes to {key!r}; GR00T's keys are video.<camera> and state.<part>.")
        keys[name] = (side, part)
    return keys


def _read_parts(bundle: Bundle) -> dict[str, int]:
    stated = bundle.options.get("actions")
    whole = isinstance(stated, Mapping) and all(isinstance(n, int) and n > 0 for n in stated.values())
    if not whole or sum(stated.values()) != len(bundle.action_names):  # type: ignore[union-attr]
        raise BadInput(
            f"options.actions = {stated!r} must give each part of the answer and how many values it has, "
            f"{len(bundle.action_names)} together."
        )
    return {str(part): int(count) for part, count in stated.items()}  # type: ignore[union-attr]
