"""The line before a policy: the newest request of each robot, deadlines, and several robots in one pass."""

import asyncio
import json
import threading
import time
import urllib.request

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.running import SETTINGS, Numbered, run_engine, see
from websockets.sync.client import connect

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action
from fieldloop.serve.desk import Desk
from fieldloop.serve.message import Header
from fieldloop.serve.refusals import Busy, Late, PolicyFault, Superseded
from fieldloop.serve.rhythm import Rhythm
from fieldloop_robot import wire


class Held(Numbered):
    """An engine that answers when the test lets it; it answers with the state it saw."""

    def __init__(self):
        super().__init__(1)
        self.let, self.asked = threading.Semaphore(0), threading.Event()

    def act(self, observation):
        self.asked.set()
        assert self.let.acquire(timeout=20)
        self.seen.append(observation)
        return Action(("x", "y"), np.full((4, 2), observation.signals["state"][0]))


def submit(desk, robot, value, **header):
    return desk.submit_message(see(state=np.full(3, float(value))), Header(**header), robot, begins=False)


async def hold_first(desk):
    """Begin an inference and wait until the policy thinks."""
    first = submit(desk, "first", 0)
    assert await asyncio.to_thread(desk.engine.asked.wait, 20)
    return first


def run(scenario, engine, **numbers):
    async def whole():
        desk = Desk(engine, SETTINGS.replace_values(**numbers), time.time_ns)
        try:
            return await scenario(desk)
        finally:
            desk.close()

    return asyncio.run(whole())


def test_the_newest_request_of_a_robot_takes_the_place_of_the_older():
    async def scenario(desk):
        first = await hold_first(desk)
        old, other, new = submit(desk, "a", 1), submit(desk, "b", 2), submit(desk, "a", 3)
        with pytest.raises(Superseded):
            await old.future
        for _ in range(3):
            desk.engine.let.release()
        answers = [(await ticket.future).values[0, 0] for ticket in (first, new, other)]
        return answers, [o.signals["state"][0] for o in desk.engine.seen]

    assert run(scenario, Held()) == ([0.0, 3.0, 2.0], [0.0, 3.0, 2.0])


def test_a_request_past_its_deadline_is_answered_at_once_and_not_computed():
    async def scenario(desk):
        first = await hold_first(desk)
        late, patient = submit(desk, "a", 1, deadline_ms=5.0), submit(desk, "b", 2)
        with pytest.raises(Late):
            await late.future
        for _ in range(2):
            desk.engine.let.release()
        await first.future
        await patient.future
        return [o.signals["state"][0] for o in desk.engine.seen]

    assert run(scenario, Held()) == [0.0, 2.0]


def test_a_robot_more_than_the_line_takes_is_refused():
    async def scenario(desk):
        first = await hold_first(desk)
        second = submit(desk, "a", 1)
        with pytest.raises(Busy, match="2 requests are already waiting"):
            submit(desk, "b", 2)
        third = submit(desk, "a", 3)  # its own place
        for _ in range(2):
            desk.engine.let.release()
        await first.future
        with pytest.raises(Superseded):
            await second.future
        return (await third.future).values[0, 0]

    assert run(scenario, Held(), max_waiting=2) == 3.0


class InOnePass(Held):
    """The same, for several robots in one pass."""

    def __init__(self):
        super().__init__()
        self.passes = []

    def act_together(self, observations):
        self.asked.set()
        assert self.let.acquire(timeout=20)
        self.passes.append(len(observations))
        if any(o.signals["state"][0] == 13.0 for o in observations):
            raise BadInput("Thirteen is refused.")
        return [Action(("x", "y"), np.full((4, 2), o.signals["state"][0])) for o in observations]


def test_robots_that_wait_are_answered_in_one_pass():
    async def scenario(desk):
        first = await hold_first(desk)
        tickets = [submit(desk, f"arm-{n}", n) for n in range(1, 6)]
        for _ in range(9):
            desk.engine.let.release()
        await first.future
        answers = [(await ticket.future).values[0, 0] for ticket in tickets]
        return answers, desk.engine.passes, [ticket.together for ticket in tickets]

    assert run(scenario, InOnePass(), max_batch=4) == ([1.0, 2.0, 3.0, 4.0, 5.0], [4], [4, 4, 4, 4, 1])


def test_in_one_pass_a_refused_observation_costs_the_others_nothing():
    class Picky(InOnePass):
        def act(self, observation):
            if observation.signals["state"][0] == 13.0:
                raise BadInput("Thirteen is refused.")
            return super().act(observation)

    async def scenario(desk):
        first = await hold_first(desk)
        good, bad = submit(desk, "a", 1), submit(desk, "b", 13)
        for _ in range(9):
            desk.engine.let.release()
        await first.future
        with pytest.raises(BadInput, match="Thirteen"):
            await bad.future
        return (await good.future).values[0, 0]

    assert run(scenario, Picky()) == 1.0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.001, 1.0)), max_size=20), st.floats(0.0001, 0.1))
def test_a_pass_waits_only_for_a_robot_whose_time_has_come(steps, window):
    rhythm, now, asked = Rhythm(), 0.0, {}
    for robot, pause in steps:
        now += pause
        rhythm.note_request(robot, now)
        asked.setdefault(robot, []).append(now)
    expected = {robot: 2 * at[-1] - at[-2] for robot, at in asked.items() if len(at) > 1}
    assert rhythm.expects_another("a", now, window) == any(
        abs(due - now) <= window for robot, due in expected.items() if robot != "a"
    )


def test_robots_of_one_rhythm_are_answered_in_one_pass():
    async def scenario(desk):
        desk.engine.let = threading.Semaphore(100)
        for _ in range(4):
            pair = [submit(desk, robot, 1) for robot in "ab"]
            for ticket in pair:
                await ticket.future
            await asyncio.sleep(0.02)
        return max(desk.engine.passes)

    assert run(scenario, InOnePass(), batch_window_ms=500.0) == 2


def test_a_policy_that_answers_too_short_a_chunk_is_at_fault():
    async def scenario(desk):
        ticket = submit(desk, "a", 1)
        with pytest.raises(PolicyFault, match="card promises 9"):
            desk.write_reply(ticket, await ticket.future)

    run(scenario, Numbered(1, horizon=9))


def test_a_client_that_reads_no_answers_and_leaves_frees_its_seat():
    engine = Numbered(1)
    with run_engine(engine) as port:
        with connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None) as line:
            line.recv()
            for _ in range(100):
                line.send(wire.pack(see()))
            line.socket.shutdown(2)
        until = time.monotonic() + 20
        while list_robots(port):
            assert time.monotonic() < until


def list_robots(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/policies") as answer:
        return json.load(answer)["versions"][0]["robots"]


def test_a_socket_that_sends_faster_than_it_is_answered_gets_an_answer_to_each_in_order():
    engine = Held()
    engine.let.release()  # for the dummy inference
    with run_engine(engine) as port, connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None) as line:
        line.recv()
        engine.asked.clear()
        line.send(wire.pack(see(state=np.full(3, 0.0))))
        assert engine.asked.wait(20)
        for value in (1.0, 2.0, 3.0):
            line.send(wire.pack(see(state=np.full(3, value))))
        assert line.ping().wait(20), "pings are answered while the policy thinks"
        for _ in range(3):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/livez").close()  # by then all frames were read
        for _ in range(2):
            engine.let.release()
        replies = [line.recv(timeout=20) for _ in range(4)]
    kinds = ["refused" if isinstance(reply, str) else wire.unpack(reply)["actions"][0, 0] for reply in replies]
    assert kinds == [0.0, "refused", "refused", 3.0]
    assert "newer observation" in replies[1]
