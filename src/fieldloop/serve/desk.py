"""The inference thread of one served version: newest request of each robot, deadlines, and several robots in one pass.

Requests are handed over by a lock and come back by one call into the event loop; no request has a task of its own.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from fieldloop.errors import BadInput, FieldloopError
from fieldloop.model.finding import Status
from fieldloop.model.identity import Clock
from fieldloop.model.policy import Action, Observation
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section
from fieldloop.serve.engine import BatchEngine, Engine, Health, RememberingEngine, probe_engine
from fieldloop.serve.message import Header, read_observation, write_action
from fieldloop.serve.metrics import Metrics
from fieldloop.serve.refusals import Busy, Late, PolicyFault, Superseded
from fieldloop.serve.rhythm import Rhythm

R = TypeVar("R")
MS_PER_S = 1e3


@dataclass(eq=False, slots=True)
class Ticket:
    """One request in the line, and where its answer goes."""

    future: "asyncio.Future[Any]"
    came: float
    robot: str = ""
    observation: Observation | None = None
    task: Callable[[], Any] | None = None
    episode: str | None = None
    due: float | None = None
    began: float = 0.0
    ended: float = 0.0
    together: int = 1
    timer: asyncio.TimerHandle | None = None


class Desk:
    """Engine, thread, line, counters and the last health of one served version."""

    def __init__(self, engine: Engine, settings: Section, clock: Clock) -> None:
        """Take the section `serve` of the operations."""
        self.engine, self._settings, self._clock = engine, settings, clock
        self.metrics = Metrics(int(settings["latency_window"]))
        self._timeout_s = settings.number("answer_timeout_s")
        self._most, self._most_robots = int(settings["max_waiting"]), int(settings["max_http_robots"])
        self._window_s = settings.number("batch_window_ms") / MS_PER_S
        self._remembers = isinstance(engine, RememberingEngine)
        batches = isinstance(engine, BatchEngine) and not self._remembers  # a memory is one robot's
        self._batch = int(settings["max_batch"]) if batches else 1
        self._line: dict[object, Ticket] = {}
        self._working: list[Ticket] = []
        self._rhythm = Rhythm()
        self._previous_ms: dict[str, float] = {}
        self._begun: dict[str, str] = {}
        self._memory_of: str | None = None
        self._change = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._health: Health | None = None
        self._probing = asyncio.Lock()

    @property
    def healthy(self) -> bool | None:
        """The result of the last dummy inference; None before the first."""
        return None if self._health is None else self._health.status is Status.PASSED

    def submit_message(self, message: Mapping[str, Any], header: Header, robot: str, *, begins: bool) -> Ticket:
        """Put an observation in the line; `begins`: it is the first of its episode.

        A request of the same robot that still waits is answered as superseded; the newer one takes its place.
        """
        came = time.perf_counter()
        observation = read_observation(message, self.engine.bundle, self._clock())
        ticket = Ticket(asyncio.get_running_loop().create_future(), came, robot, observation)
        if begins:
            self.note_episode(robot, header.episode)
        ticket.due = None if header.deadline_ms is None else came + header.deadline_ms / MS_PER_S
        self._put_in_line(ticket, robot)
        return ticket

    def note_episode(self, robot: str, episode: str) -> None:
        """Note that a robot begins an episode: its next observation that is answered comes after a reset.

        Noted for the robot and not for a request, because a request may be superseded, come too late or hold no
        observation. What still waits is of the episode before, and must not take the reset.
        """
        if not self._remembers:
            return
        with self._change:
            self._begun[robot] = episode
            waiting = self._line.pop(robot, None)
        if waiting is not None:
            _settle_ticket(waiting, Superseded("The robot began another episode before this one's turn."))

    def write_reply(self, ticket: Ticket, action: Action) -> dict[str, Any]:
        """Write the answer with its timing: infer_ms is the engine's, queue_ms the wait, total_ms all in the server."""
        if not np.isfinite(action.values).all():
            _refuse_torn_observation(ticket.observation)
            raise PolicyFault("The policy answered with numbers that are not finite. Hold the robot.")
        total_ms = (time.perf_counter() - ticket.came) * MS_PER_S
        infer_ms = (ticket.ended - ticket.began) * MS_PER_S if action.latency_ms is None else action.latency_ms
        timing: dict[str, float] = {
            "infer_ms": infer_ms,
            "queue_ms": max(0.0, (ticket.began - ticket.came) * MS_PER_S),
            "total_ms": total_ms,
            "together": ticket.together,
        }
        if ticket.robot in self._previous_ms:
            timing["prev_total_ms"] = self._previous_ms.pop(ticket.robot)
        self._previous_ms[ticket.robot] = total_ms  # the robot answered last stands last
        while len(self._previous_ms) > self._most_robots:  # answers to names that were given up meanwhile
            del self._previous_ms[next(iter(self._previous_ms))]
        self.metrics.record_latency(infer_ms)
        try:
            return write_action(action, self.engine.bundle, timing)
        except BadInput as wrong:
            raise PolicyFault(str(wrong)) from wrong

    def forget_timing(self, robot: str) -> None:
        """Forget when a robot asked and how long it waited: it goes on under another name or with another version."""
        self._previous_ms.pop(robot, None)
        with self._change:
            self._rhythm.forget_robot(robot)

    def forget_robot(self, robot: str) -> None:
        """Forget a robot that left."""
        self.forget_timing(robot)
        with self._change:
            self._begun.pop(robot, None)
            if self._memory_of == robot:
                self._memory_of = None
            waiting = self._line.pop(robot, None)
        if waiting is not None:
            _settle_ticket(waiting, Superseded("The robot left before its turn came."))

    async def check_health(self) -> Health:
        """Return a dummy inference not older than `health_cache_s`; the last one while a robot's episode is remembered.

        A dummy inference would enter the memory of that episode.
        """
        async with self._probing:
            now_ns, keep_ns = self._clock(), self._settings.number("health_cache_s") * NS_PER_S
            if self._health is None or not 0 <= now_ns - self._health.at_ns <= keep_ns:
                try:
                    self._health = await self._run_in_thread(self._probe)
                except (PolicyFault, Busy) as stuck:
                    self._health = Health(Status.ERRORED, None, now_ns, str(stuck))
            return self._health

    def close(self) -> None:
        """Let the thread finish its work and stop."""
        with self._change:
            self._closed = True
            self._change.notify()

    async def _run_in_thread(self, task: Callable[[], R]) -> R:
        ticket = Ticket(asyncio.get_running_loop().create_future(), time.perf_counter(), task=task)
        self._put_in_line(ticket, ticket)
        done: R = await ticket.future
        return done

    def _put_in_line(self, ticket: Ticket, key: object) -> None:
        with self._change:
            older = self._line.get(key)
            waiting = len(self._line) + len(self._working)
            if older is None and waiting >= self._most:
                raise Busy(f"{waiting} requests are already waiting. Hold the robot and ask again.")
            self._line[key] = ticket  # a key that is known keeps its place
            if ticket.robot and self._batch > 1:
                self._rhythm.note_request(ticket.robot, ticket.came)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="policy", daemon=True)
                self._thread.start()
            self._change.notify()
        if older is not None:
            _settle_ticket(older, Superseded("A newer observation of this robot came before this one's turn."))
        wait_s = self._timeout_s if ticket.due is None else min(self._timeout_s, ticket.due - ticket.came)
        ticket.timer = asyncio.get_running_loop().call_later(wait_s, self._give_up, ticket, key)

    def _give_up(self, ticket: Ticket, key: object) -> None:
        if ticket.future.done():
            return
        with self._change:
            if self._line.get(key) is ticket:
                del self._line[key]
        late = ticket.due is not None and time.perf_counter() >= ticket.due
        stuck = PolicyFault(f"The policy did not answer within {self._timeout_s:g} s.")
        _settle_ticket(ticket, Late("The deadline of this request passed before it was answered.") if late else stuck)

    # ── in the thread ──

    def _work(self) -> None:
        while (batch := self._take_batch()) is not None:
            began = time.perf_counter()
            results = self._infer(batch)
            ended = time.perf_counter()
            for ticket in batch:
                ticket.began, ticket.ended, ticket.together = began, ended, len(batch)
            with self._change:
                self._working = []
            try:
                batch[0].future.get_loop().call_soon_threadsafe(_return_answers, batch, results)
            except RuntimeError:  # the loop closed while the policy thought
                return

    def _probe(self) -> Health:
        """Run a dummy inference between episodes, and forget it."""
        if self._memory_of is not None:
            running = f"{self._memory_of or 'A robot'} runs an episode that a dummy inference would disturb."
            return self._health or Health(Status.CANNOT_TELL, None, self._clock(), running)
        found = probe_engine(self.engine, self._clock)
        if isinstance(self.engine, RememberingEngine):
            self.engine.reset("")
        return found

    def _take_batch(self) -> list[Ticket] | None:
        with self._change:
            while not self._line:
                if self._closed:
                    return None
                self._change.wait()
            if self._batch > 1:
                self._wait_for_others()
            keys: list[object] = []
            for key, ticket in self._line.items():
                if ticket.task is not None:
                    keys = keys or [key]  # alone
                    break
                keys.append(key)
                if len(keys) == self._batch:
                    break
            self._working = [self._line.pop(key) for key in keys]
            for ticket in self._working if self._remembers else ():
                self._give_memory(ticket)
            return self._working

    def _give_memory(self, ticket: Ticket) -> None:
        """Let a request begin an episode where its robot said so, or where the memory is another robot's."""
        if ticket.task is None:
            begun = self._begun.pop(ticket.robot, None)
            ticket.episode = "" if begun is None and ticket.robot != self._memory_of else begun
            self._memory_of = ticket.robot

    def _wait_for_others(self) -> None:
        """Wait for robots that are about to ask, at most for the window."""
        until = time.perf_counter() + self._window_s
        while not self._closed and 0 < len(self._line) < self._batch:
            now = time.perf_counter()
            if now >= until or not self._rhythm.expects_another(self._line, now, until - now):
                return
            self._change.wait(until - now)

    def _infer(self, batch: Sequence[Ticket]) -> Sequence[Any]:
        first = batch[0]
        try:
            if first.task is not None:
                return [first.task()]
            if first.episode is not None and isinstance(self.engine, RememberingEngine):
                self.engine.reset(first.episode)
            if len(batch) > 1 and isinstance(self.engine, BatchEngine):
                return self._infer_together(self.engine, batch)
            return [self.engine.act(_get_observation(first))]
        except Exception as wrong:  # noqa: BLE001 - third-party runtime: its failure must not stop the server
            return [_convert_fault(wrong)] * len(batch)

    def _infer_together(self, engine: BatchEngine, batch: Sequence[Ticket]) -> Sequence[Any]:
        """One pass for all; where one observation is refused, each robot gets its own answer."""
        try:
            answers = list(engine.act_together([_get_observation(ticket) for ticket in batch]))
        except FieldloopError:
            answers = []
        return answers if len(answers) == len(batch) else [self._infer([ticket])[0] for ticket in batch]


def _refuse_torn_observation(seen: Observation | None) -> None:
    """Refuse an observation that holds numbers that are not finite: the answer's come from there."""
    arrays = {**seen.pictures, **seen.signals} if seen else {}
    wrong = [name for name, array in arrays.items() if array.dtype.kind == "f" and not np.isfinite(array).all()]
    if wrong:
        raise BadInput(
            f"{', '.join(wrong)} of the observation holds numbers that are not finite, and so does the answer. "
            "Hold the robot."
        )


def _get_observation(ticket: Ticket) -> Observation:
    if ticket.observation is None:
        raise PolicyFault("A request came without an observation.")
    return ticket.observation


def _convert_fault(error: Exception) -> Exception:
    """Keep our own refusals; of any other error only its kind leaves the server."""
    if isinstance(error, FieldloopError):
        return error
    return PolicyFault(f"The policy raised an error: {type(error).__name__}.")


def _return_answers(batch: Sequence[Ticket], results: Sequence[Any]) -> None:
    for ticket, result in zip(batch, results, strict=True):
        _settle_ticket(ticket, result)


def _settle_ticket(ticket: Ticket, result: Any) -> None:
    if ticket.timer is not None:
        ticket.timer.cancel()
    if ticket.future.done():
        return
    if isinstance(result, Exception):
        ticket.future.set_exception(result)
        ticket.future.exception()  # marks it as seen: a robot that left asks no more
    else:
        ticket.future.set_result(result)
