"""The inference thread of a served policy, with a short queue; requests that cannot be served in time are refused."""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from fieldloop.errors import FieldloopError
from fieldloop.model.finding import Status
from fieldloop.model.identity import Clock
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section
from fieldloop.serve.engine import Engine, Health, probe_engine
from fieldloop.serve.message import read_observation, write_action
from fieldloop.serve.metrics import Metrics

R = TypeVar("R")


class Busy(FieldloopError):
    """Too many requests are waiting to be answered in time."""


class PolicyFault(FieldloopError):
    """The policy failed, hung, or answered with numbers that are not finite."""


class Desk:
    """Engine, thread, counters and the last health of one served policy."""

    def __init__(self, engine: Engine, settings: Section, clock: Clock) -> None:
        """Take the section `serve` of the operations."""
        self.engine, self._settings, self._clock = engine, settings, clock
        self.metrics = Metrics(int(settings["latency_window"]))
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="policy")
        self._asked: list[Future[Any]] = []
        self._health: Health | None = None
        self._probing = asyncio.Lock()

    @property
    def healthy(self) -> bool | None:
        """The result of the last dummy inference; None before the first."""
        return None if self._health is None else self._health.status is Status.PASSED

    async def answer_observation(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one observation; infer_ms is the engine's time, queue_ms the time in the queue."""
        bundle, came = self.engine.bundle, time.perf_counter()
        observation = read_observation(message, bundle.inputs, self._clock())
        action = await self._run_in_thread(lambda: self.engine.act(observation))
        total_ms = (time.perf_counter() - came) * 1e3
        infer_ms = total_ms if action.latency_ms is None else action.latency_ms
        self.metrics.record_latency(infer_ms)
        if not np.isfinite(action.values).all():
            raise PolicyFault("The policy answered with numbers that are not finite. Hold the robot.")
        return write_action(action, bundle, {"infer_ms": infer_ms, "queue_ms": max(0.0, total_ms - infer_ms)})

    async def check_health(self) -> Health:
        """Return a dummy inference not older than `health_cache_s`."""
        async with self._probing:
            now_ns, keep_ns = self._clock(), self._settings.number("health_cache_s") * NS_PER_S
            if self._health is None or not 0 <= now_ns - self._health.at_ns <= keep_ns:
                try:
                    self._health = await self._run_in_thread(lambda: probe_engine(self.engine, self._clock))
                except PolicyFault as stuck:
                    self._health = Health(Status.ERRORED, None, now_ns, str(stuck))
            return self._health

    def close(self) -> None:
        """Let the thread finish its work and stop."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _run_in_thread(self, task: Callable[[], R]) -> R:
        self._asked = [asked for asked in self._asked if not asked.done()]
        if len(self._asked) >= int(self._settings["max_waiting"]):
            raise Busy(f"{len(self._asked)} requests are already waiting. Hold the robot and ask again.")
        timeout_s = self._settings.number("answer_timeout_s")
        future = self._thread.submit(task)
        self._asked.append(future)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), timeout_s)
        except TimeoutError as stuck:
            raise PolicyFault(f"The policy did not answer within {timeout_s:g} s.") from stuck
