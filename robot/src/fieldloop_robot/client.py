"""Ask a policy server for an action, over HTTP or WebSocket; every failure is one of two errors.

`http://host:port` posts each observation to /act; `ws://host:port` keeps one socket open, which is faster (servers of
openpi: `ws://host:port/`). A call that fails leaves no answer behind that the next call could take for its own.
"""

import contextlib
import http.client
import json
import time
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from fieldloop_robot import RobotError, wire
from fieldloop_robot.round_trips import make_blank_message

OK = 200
SOCKETS = ("ws", "wss")


class PolicyUnavailable(RobotError):
    """No answer in time: the robot holds."""


class PolicyRefused(RobotError):
    """The server answered that it cannot act on this observation; the server goes on."""


class Seen(Protocol):
    """An observation: pictures and signals by stream name, at a time."""

    @property
    def at_ns(self) -> int:
        """When it was seen."""

    @property
    def pictures(self) -> Mapping[str, NDArray[Any]]:
        """Pictures by stream name."""

    @property
    def signals(self) -> Mapping[str, NDArray[np.float64]]:
        """Signals by stream name."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What the policy wants done, how sure it is, which policy it was, and how long the round trip took.

    `values` is the next action; `chunk` has one row for each step ahead, the next one first.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    confidence: float | None
    latency_ms: float
    server_ms: float | None
    policy: str
    chunk: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))


class PolicyClient:
    """Client of a policy server. Not thread-safe."""

    def __init__(self, url: str, timeout_s: float = 1.0, *, token: str = "", robot: str = "") -> None:
        """Take http://host:port or ws://host:port, https or wss behind a proxy; the first call connects.

        A server beyond loopback wants a token. `robot` is this robot's name; its newest observation replaces one that
        still waits.
        """
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._who = {"robot": robot} if robot else {}
        self._begins = False
        self._admitted = False
        self._url, self._timeout_s = urllib.parse.urlsplit(url), timeout_s
        if self._url.scheme not in (*SOCKETS, "http", "https") or not self._url.hostname or not _has_port(self._url):
            raise PolicyUnavailable(f"{url!r} is neither http(s)://host:port nor ws(s)://host:port.")
        self._lines = contextlib.ExitStack()
        self._socket: ClientConnection | None = None
        self._http: http.client.HTTPConnection | None = None
        self._metadata: dict[str, Any] | None = None

    def metadata(self) -> dict[str, Any]:
        """Return the server's description of its policy: digest, inputs, action names, control rate."""
        if self._metadata is None:
            self._metadata = self._read_greeting() if self._url.scheme in SOCKETS else self._get("/metadata")
        return self._metadata

    def begin_episode(self, episode: str) -> None:
        """Name the episode that the next observation begins; between episodes the server may change the version."""
        self._who = {**self._who, "episode": episode}
        self._begins = True

    def check_latency(self, calls: int = 300) -> float:
        """Time blank observations over this connection and return the p99 in ms; refuse one above the gate's limit."""
        blank = make_blank_message(self.metadata())
        waits_ms = []
        for _ in range(calls):
            began = time.perf_counter()
            self.ask({**blank, **self._who})
            waits_ms.append((time.perf_counter() - began) * 1e3)
        p99_ms = float(np.percentile(waits_ms, 99, method="inverted_cdf"))
        self._refuse_slow_policy(p99_ms)
        return p99_ms

    def act(self, observation: Seen, *, deadline_ms: float | None = None) -> Answer:
        """Answer one observation with an action; a server that cannot by the deadline says so instead.

        A policy whose p99, as measured at its admission, is above the gate's limit is refused.
        """
        if not self._admitted:
            self._refuse_slow_policy((self.metadata().get("latency") or {}).get("p99_ms"))
            self._admitted = True
        message = {**observation.pictures, **observation.signals, "at_ns": observation.at_ns, **self._who}
        message |= _read_prompt_and_leftover(observation)
        message |= {"reset": True} if self._begins else {}
        message |= {"deadline_ms": deadline_ms} if deadline_ms is not None else {}
        began = time.perf_counter()
        reply = self.ask(message)
        self._begins = False
        return self._read_answer(reply, latency_ms=(time.perf_counter() - began) * 1e3)

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send one message and return the reply as it came; arrays stay arrays."""
        data = wire.pack(message)
        return self._ask_over_socket(data) if self._url.scheme in SOCKETS else self._ask_over_http(data)

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError, WebSocketException):  # closing a dead connection is fine
            self._lines.close()
        self._socket = self._http = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_answer(self, reply: Mapping[str, Any], latency_ms: float) -> Answer:
        actions = np.asarray(reply.get("actions"))
        names = tuple(reply.get("action_names") or self.metadata().get("action_names") or ())
        if actions.ndim not in (1, 2) or not actions.size or not np.issubdtype(actions.dtype, np.number):
            raise PolicyRefused(f"The reply holds no actions, only {', '.join(map(str, reply)) or 'nothing'}.")
        chunk = np.atleast_2d(actions).astype(np.float64, copy=False)
        values = chunk[0]
        if names and len(names) != len(values):
            raise PolicyRefused(f"{len(values)} values came for {len(names)} action names.")
        confidence, timing = reply.get("confidence"), reply.get("server_timing") or {}
        return Answer(
            names, values, None if confidence is None else float(confidence), latency_ms, timing.get("infer_ms"),
            str(reply.get("policy", "")), chunk,
        )  # fmt: skip

    def _refuse_slow_policy(self, p99_ms: float | None) -> None:
        limit_ms = (self.metadata().get("latency") or {}).get("limit_ms")
        if p99_ms is not None and limit_ms is not None and not p99_ms <= limit_ms:
            raise PolicyRefused(
                f"The 99th percentile of this policy's latency is {p99_ms:.1f} ms, above the gate's limit of "
                f"{limit_ms:g} ms. Hold the robot."
            )

    def _ask_over_socket(self, data: bytes) -> dict[str, Any]:
        for again in (True, False):
            was_open = self._socket is not None
            try:
                socket = self._ensure_connected()
                socket.send(data)
                reply = socket.recv(timeout=self._timeout_s)
                break
            except (OSError, TimeoutError, WebSocketException) as wrong:
                self.close()  # an answer that comes late must not be taken for the next one
                if not (again and was_open and not isinstance(wrong, TimeoutError)):
                    raise self._make_unavailable_error(wrong) from wrong
        if isinstance(reply, str):
            raise PolicyRefused(reply)
        return _unpack_reply(reply)

    def _ensure_connected(self) -> ClientConnection:
        if self._socket is None:
            url = self._url._replace(path=self._url.path or "/ws").geturl()
            self._socket = self._lines.enter_context(
                connect(
                    url, open_timeout=self._timeout_s, close_timeout=self._timeout_s, compression=None,
                    max_size=wire.MAX_BYTES, proxy=None, additional_headers=self._headers,
                )
            )  # fmt: skip
            self._admitted = False
            greeting = self._socket.recv(timeout=self._timeout_s)
            self._metadata = _unpack_reply(greeting) if isinstance(greeting, bytes) else {}
        return self._socket

    def _read_greeting(self) -> dict[str, Any]:
        try:
            self._ensure_connected()
        except (OSError, TimeoutError, WebSocketException) as wrong:
            self.close()
            raise self._make_unavailable_error(wrong) from wrong
        return self._metadata or {}

    def _ask_over_http(self, data: bytes) -> dict[str, Any]:
        status, body = self._request("POST", "/act", data)
        if status != OK:
            raise PolicyRefused(_read_error_detail(status, body))
        return _unpack_reply(body)

    def _get(self, path: str) -> dict[str, Any]:
        status, body = self._request("GET", path)
        if status != OK:
            raise PolicyRefused(_read_error_detail(status, body))
        try:
            return dict(json.loads(body))
        except (ValueError, TypeError) as wrong:
            raise PolicyUnavailable(f"{self._url.geturl()}{path} is not a policy server: {wrong}.") from wrong

    def _request(self, method: str, path: str, data: bytes | None = None) -> tuple[int, bytes]:
        kinds = {"Content-Type": "application/msgpack", "Accept": "application/msgpack"} if data is not None else {}
        headers = self._headers | kinds
        for again in (True, False):
            was_open = self._http is not None
            try:
                if self._http is None:
                    self._http = self._lines.enter_context(contextlib.closing(self._open_http_connection()))
                self._http.request(method, self._url.path.rstrip("/") + path, data, headers)
                response = self._http.getresponse()
                return response.status, response.read(wire.MAX_BYTES)
            except (OSError, http.client.HTTPException) as wrong:
                self.close()
                if not (again and was_open and not isinstance(wrong, TimeoutError)):
                    raise self._make_unavailable_error(wrong) from wrong
        raise AssertionError("unreachable")

    def _open_http_connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        return kind(str(self._url.hostname), self._url.port, timeout=self._timeout_s)

    def _make_unavailable_error(self, error: Exception) -> PolicyUnavailable:
        what = "no answer in time" if isinstance(error, TimeoutError) else (str(error) or type(error).__name__)
        return PolicyUnavailable(f"{self._url.geturl()}: {what} (timeout {self._timeout_s:g} s).")


def _has_port(url: urllib.parse.SplitResult) -> bool:
    """Is the port of an address a number from 0 to 65535, or left out?"""
    try:
        return url.port is None or url.port >= 0
    except ValueError:
        return False


def _read_prompt_and_leftover(observation: Seen) -> dict[str, Any]:
    """Return what a task in words and real-time chunking add to a message."""
    prompt, leftover = getattr(observation, "prompt", ""), getattr(observation, "leftover", None)
    message: dict[str, Any] = {"prompt": prompt} if prompt else {}
    if leftover is not None:
        message |= {"prev_chunk_left_over": leftover, "inference_delay": int(getattr(observation, "delay_steps", 0))}
    return message


def _unpack_reply(data: bytes) -> dict[str, Any]:
    try:
        return wire.unpack(data)
    except wire.WireError as wrong:
        raise PolicyRefused(f"The server's reply cannot be read: {wrong}") from wrong


def _read_error_detail(status: int, body: bytes) -> str:
    try:
        return f"{status}: {json.loads(body)['detail']}"
    except (ValueError, TypeError, KeyError):
        return f"The server answered {status}."
