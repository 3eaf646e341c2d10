"""Several versions on one server: a robot keeps its version for an episode, and no change drops a request."""

import contextlib
import http.client
import json
import threading
import time

import pytest
from tests.serve.running import SETTINGS, Loads, Numbered, run_engine, see
from websockets.sync.client import connect

from fieldloop.errors import Refused, UnknownName
from fieldloop.serve.message import Header
from fieldloop.serve.refusals import Claimed, Suspended
from fieldloop.serve.versions import Roster, Seat
from fieldloop_robot import wire


@pytest.fixture
def roster():
    opened = Roster(SETTINGS, lambda: 0)
    for number in (1, 2):
        opened.add(Numbered(number))
    return opened


def take(seat, **header):
    version, begins = seat.take(Header(**header))
    return version.name, begins


def test_a_robot_keeps_its_version_until_its_episode_ends(roster):
    seat = Seat(roster, "a")
    assert take(seat, episode="e1") == ("p1", True)
    roster.activate("p2")
    assert take(seat, episode="e1") == ("p1", False)
    assert take(Seat(roster, "b"), episode="e2") == ("p2", True)
    assert take(seat, episode="e3") == ("p2", True)
    roster.roll_back()
    assert take(seat, episode="e3") == ("p2", False)
    assert take(seat, resets=True) == ("p1", True)


def test_a_client_that_states_no_episode_keeps_what_it_was_greeted_with(roster):
    seat = Seat(roster, "a")
    assert seat.version.name == "p1"
    roster.activate("p2")
    assert [take(seat) for _ in range(2)] == [("p1", True), ("p1", False)]


def test_a_rollback_at_once_changes_running_episodes_and_suspends_the_version(roster):
    roster.activate("p2")
    following, named = Seat(roster, "a"), Seat(roster, "b", "p2")
    assert take(following, episode="e1") == take(named, episode="e2") == ("p2", True)
    assert roster.roll_back(at_once="it crushes boxes").name == "p1"
    assert take(following, episode="e1") == ("p1", True), "p1 begins, so that it remembers nothing older"
    assert take(following, episode="e1") == ("p1", False)
    with pytest.raises(Suspended, match="p2 was rolled back: it crushes boxes"):
        take(named, episode="e2")
    with pytest.raises(Refused, match="suspended"):
        roster.activate("p2")
    roster.add(Numbered(2))
    assert take(named, episode="e2") == ("p2", False)


def test_without_a_version_before_there_is_no_way_back(roster):
    with pytest.raises(Refused, match="No version was in force before p1"):
        roster.roll_back()
    roster.activate("p2")
    assert roster.roll_back().name == "p1"
    with pytest.raises(Refused, match="No version was in force before p1"):
        roster.roll_back()


def test_a_version_that_robots_address_differently_is_activated_only_with_a_reason(roster):
    roster.add(Numbered(3, action_names=("x", "y", "z"), control_hz=20.0))
    with pytest.raises(Refused, match="p3 differs from p1 in action names, control rate"):
        roster.activate("p3")
    assert roster.activate("p3", override="all robots were changed").name == "p3"


def test_a_version_that_is_used_or_in_force_is_not_removed(roster):
    seat = Seat(roster, "a", "p2")
    take(seat)
    for name, reason in (("p1", "in force"), ("p2", "still has 1 robots")):
        with pytest.raises(Refused, match=reason):
            roster.remove(name)
    seat.close()
    assert roster.remove("p2").name == "p2"
    with pytest.raises(UnknownName, match="Known: p1"):
        roster.find("p2")


def test_a_rollout_routes_robots_between_episodes(roster):
    seat = Seat(roster, "a")
    assert take(seat, robot="arm-1", episode="e1") == ("p1", True)
    roster.route = {"arm-1": "2" * 64}.get
    assert take(seat, robot="arm-1", episode="e1") == ("p1", False)
    assert take(seat, robot="arm-1", episode="e2") == ("p2", True)
    assert take(Seat(roster, "b"), robot="arm-2", episode="e3") == ("p1", True)


def test_two_clients_cannot_run_one_episode(roster):
    first, second, again = Seat(roster, "a"), Seat(roster, "b"), Seat(roster, "c")
    take(first, robot="arm-1", episode="e1")
    with pytest.raises(Claimed, match="'e1' is run by arm-1"):
        take(second, robot="arm-2", episode="e1")
    take(again, robot="arm-1", episode="e1")  # the same robot, which lost its connection
    with pytest.raises(Claimed, match="taken over by another connection of arm-1"):
        take(first, robot="arm-1", episode="e1")
    again.close()
    take(second, robot="arm-2", episode="e1")


class Remembering(Numbered):
    """An engine that keeps something between observations."""

    def __init__(self, number, **more):
        super().__init__(number, **more)
        self.resets = []

    def reset(self, episode):
        self.resets.append((episode, len(self.seen)))


def test_a_policy_that_remembers_runs_one_episode_at_a_time():
    roster = Roster(SETTINGS, lambda: 0)
    roster.add(Remembering(1))
    first, second = Seat(roster, "a"), Seat(roster, "b")
    take(first, episode="e1")
    with pytest.raises(Claimed, match="p1 remembers its episode, and a runs one"):
        take(second, episode="e2")
    first.close()
    take(second, episode="e2")


def test_a_policy_that_remembers_is_reset_when_an_episode_begins():
    engine = Remembering(1)
    with run_engine(engine) as port, connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None) as line:
        line.recv()
        for episode in ("e1", "e1", "e2"):
            line.send(wire.pack(see(episode=episode)))
            line.recv()
    assert engine.resets == [("", 1), ("e1", 1), ("e2", 3)]  # the dummy inference is forgotten


def test_a_reset_is_not_lost_with_the_request_that_brought_it():
    engine = Remembering(1, think_s=0.3)
    with run_engine(engine) as port, connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None) as line:
        line.recv()
        line.send(wire.pack({"reset": True, "episode": "e1"}))  # no observation
        assert wire.unpack(line.recv())["reset"] is True
        line.send(wire.pack(see(episode="e1")))
        until = time.monotonic() + 20
        while len(engine.seen) < 2 and time.monotonic() < until:
            time.sleep(0.005)
        for _ in range(2):  # the first of them waits, and the second takes its place
            line.send(wire.pack(see(episode="e2")))
        assert [isinstance(line.recv(), bytes) for _ in range(3)].count(True) == 2
        line.send(wire.pack({"reset": True, "episode": "e2"}))
        line.recv()
        line.send(wire.pack(see(episode="e2")))
        line.recv()
    assert engine.resets == [("", 1), ("e1", 1), ("e2", 2), ("e2", 3)]


def test_the_dummy_inference_never_enters_an_episode():
    engine, settings = Remembering(1), SETTINGS.replace_values(health_cache_s=0.0)
    with run_engine(engine, settings) as port:
        with connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None) as line:
            line.recv()
            line.send(wire.pack(see(episode="e1")))
            line.recv()
            asked = len(engine.seen)
            assert request(port, "GET", "/health")[1]["status"] == "passed"
            assert len(engine.seen) == asked, "the last answer stands while a robot runs its episode"
        until = time.monotonic() + 20
        while len(engine.seen) == asked and time.monotonic() < until:
            assert request(port, "GET", "/health")[1]["status"] == "passed"
    assert len(engine.seen) > asked, "after the robot left, it is asked again"
    assert engine.resets[-1] == ("", len(engine.seen)), "and that is forgotten"


def test_a_robot_that_lost_its_connection_takes_the_memory_back():
    roster = Roster(SETTINGS, lambda: 0)
    roster.add(Remembering(1))
    first, again, other = Seat(roster, "a"), Seat(roster, "b"), Seat(roster, "c")
    take(first, robot="arm-1", episode="e1")
    assert take(again, robot="arm-1", episode="e1") == ("p1", True)
    with pytest.raises(Claimed, match="taken over by another connection of arm-1"):
        take(first, robot="arm-1", episode="e1")
    with pytest.raises(Claimed, match=r"arm-1 runs one\. Wait until it closes its connection"):
        take(other, robot="arm-2", episode="e2")


def ask(port, method, path, body=None):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as line:
        line.request(method, path, json.dumps(body) if body is not None else None, {"content-type": "application/json"})
        response = line.getresponse()
        return response.status, response.read().decode()


def request(port, method, path, body=None):
    status, text = ask(port, method, path, body)
    return status, json.loads(text)


class Robots:
    """Three robots that ask as fast as they are answered, each over one socket, seven observations an episode."""

    def __init__(self, port):
        self.port, self.stop, self.wrong = port, threading.Event(), []
        self.answers = {n: [] for n in range(3)}
        self.threads = [threading.Thread(target=self.drive, args=(n,)) for n in self.answers]
        for thread in self.threads:
            thread.start()

    def drive(self, robot):
        try:
            self.ask_until_stopped(robot)
        except Exception as closed:  # noqa: BLE001 - whatever it was, the test reports it
            self.wrong.append(repr(closed))

    def ask_until_stopped(self, robot):
        with connect(f"ws://127.0.0.1:{self.port}/", compression=None, proxy=None) as line:
            line.recv()
            while not self.stop.is_set() and not self.wrong:
                episode = f"{robot}-{len(self.answers[robot]) // 7}"
                line.send(wire.pack(see(robot=f"arm-{robot}", episode=episode)))
                reply = line.recv(timeout=20)
                if isinstance(reply, str):
                    self.wrong.append(reply)
                else:
                    self.answers[robot].append((episode, wire.unpack(reply)["actions"][0, 0]))

    def wait_for_more(self):
        counts = {robot: len(found) for robot, found in self.answers.items()}
        while not self.wrong and any(len(self.answers[robot]) < counts[robot] + 16 for robot in counts):
            self.stop.wait(0.005)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(30)


def list_changes_of_version(answers):
    """Return the versions that a robot had, in order; an episode has one."""
    by_episode = {}
    for episode, number in answers:
        by_episode.setdefault(episode, set()).add(number)
    assert all(len(numbers) == 1 for numbers in by_episode.values()), "a version changed within an episode"
    order = [next(iter(numbers)) for numbers in by_episode.values()]
    return [number for n, number in enumerate(order) if n == 0 or order[n - 1] != number]


def test_versions_are_loaded_activated_and_rolled_back_under_load_and_no_request_is_lost():
    control = Loads(Numbered(2, think_s=0.0005))
    with run_engine(Numbered(1, think_s=0.0005), control=control) as port:
        robots = Robots(port)
        robots.wait_for_more()
        assert request(port, "POST", "/v1/policies", {"policy": "p9"})[0] == 403
        status, listed = request(port, "POST", "/v1/policies", {"policy": "p2", "override": "on the bench"})
        assert (status, [v["name"] for v in listed["versions"]]) == (200, ["p1", "p2"])
        assert request(port, "POST", "/v1/policies/p2/activate", {"reason": "new"})[1]["in_force"] == "2" * 64
        robots.wait_for_more()
        assert request(port, "POST", "/v1/back", {})[1]["in_force"] == "1" * 64
        robots.wait_for_more()
        robots.end()
        text = ask(port, "GET", "/metrics")[1]
    assert not robots.wrong
    assert all(list_changes_of_version(found) == [1.0, 2.0, 1.0] for found in robots.answers.values())
    assert [change[:2] for change in control.changes] == [("loaded", "p2"), ("activated", "p2"), ("rolled back", "p1")]
    assert control.changes[0][2:] == ("local", "", "on the bench")
    for number in (1, 2):
        assert f'fieldloop_policy_requests_total{{policy="{str(number) * 64}",door="ws",result="answered"}}' in text
    assert f'fieldloop_policy_in_force{{policy="{"1" * 64}"}} 1' in text


def test_each_version_has_a_path_of_its_own():
    roster_of_two = Loads(Numbered(2))
    with run_engine(Numbered(1), control=roster_of_two) as port:
        request(port, "POST", "/v1/policies", {"policy": "p2"})
        for path, number in (("/", 1), ("/v1/policies/p1", 1), ("/v1/policies/p2", 2)):
            with connect(f"ws://127.0.0.1:{port}{path}", compression=None, proxy=None) as line:
                assert wire.unpack(line.recv())["policy"] == str(number) * 64
                line.send(wire.pack(see()))
                assert wire.unpack(line.recv())["actions"][0, 0] == number
        assert request(port, "GET", "/v1/policies/p2")[1]["name"] == "p2"
        assert request(port, "GET", "/v1/policies/p2/health")[1]["status"] == "passed"
        assert request(port, "GET", "/v1/policies/p7")[0] == 422
        assert request(port, "DELETE", "/v1/policies/p2")[1]["versions"][0]["name"] == "p1"


class Slow(Loads):
    """Loads when a test lets it."""

    def __init__(self, *engines):
        super().__init__(*engines)
        self.began, self.go = threading.Event(), threading.Event()

    def load(self, roster, policy, override, actor):
        self.began.set()
        assert self.go.wait(30)
        return super().load(roster, policy, override, actor)


def test_a_rollback_does_not_wait_for_a_version_that_loads_and_its_suspension_stays():
    control = Slow(Numbered(2))
    control.go.set()
    with run_engine(Numbered(1), control=control) as port:
        assert request(port, "POST", "/v1/policies", {"policy": "p2"})[0] == 200
        assert request(port, "POST", "/v1/policies/p2/activate", {})[0] == 200
        control.go.clear()
        control.began.clear()
        answers = []
        loading = threading.Thread(
            target=lambda: answers.append(request(port, "POST", "/v1/policies", {"policy": "p2"}))
        )
        loading.start()
        assert control.began.wait(30)
        status, listed = request(port, "POST", "/v1/back", {"override": "it crushes boxes"})
        assert (status, listed["in_force"], answers) == (200, "1" * 64, [])
        control.go.set()
        loading.join(30)
        assert answers[0][0] == 403
        assert "was suspended while it was loaded" in answers[0][1]["detail"]
        listed = request(port, "GET", "/v1/policies")[1]
        assert [v["suspended"] for v in listed["versions"]] == ["", "it crushes boxes"]


class Forgetful(Loads):
    """Records nothing while `broken`."""

    broken = False

    def record(self, roster, change):
        if self.broken:
            raise OSError("no space left")
        super().record(roster, change)


def test_a_change_without_its_record_is_undone_and_a_rollback_stays_and_is_recorded_later():
    control = Forgetful(Numbered(2), Numbered(3))
    settings = SETTINGS.replace_values(record_retry_s=0.01)
    with run_engine(Numbered(1), settings, control=control) as port:
        for path, body in (("", {"policy": "p2"}), ("/p2/activate", {})):
            assert request(port, "POST", f"/v1/policies{path}", body)[0] == 200
        before = request(port, "GET", "/v1/policies")[1]
        control.broken = True
        for method, path, body in (
            ("POST", "/v1/policies", {"policy": "p3"}),
            ("POST", "/v1/policies/p1/activate", {}),
            ("DELETE", "/v1/policies/p1", None),
        ):
            status, answer = request(port, method, path, body)
            assert (status, "could not be written" in answer["detail"]) == (500, True)
            after = request(port, "GET", "/v1/policies")[1]
            assert [after["in_force"], *(v["policy"] for v in after["versions"])] == [
                before["in_force"], *(v["policy"] for v in before["versions"])
            ]  # fmt: skip
        status, answer = request(port, "POST", "/v1/back", {"reason": "it crushes boxes"})
        assert (status, answer["in_force"]) == (200, "1" * 64)
        assert "not on record yet: rolled back to p1" in answer["not_recorded"]
        assert len(control.changes) == 2
        control.broken = False
        while request(port, "GET", "/v1/policies")[1]["not_recorded"]:
            pass
        assert [change[:2] for change in control.changes[2:]] == [("rolled back", "p1")]
        assert request(port, "POST", "/act", {**SEEN, "robot": "arm-1"})[0] == 200


SEEN = {"state": [0.0, 0.0, 0.0], "images": {"cam_high": [[[0] * 3] * 5] * 4}, "prompt": "pick"}


def test_a_robot_takes_its_policy_that_remembers_along_to_a_new_connection():
    roster = Roster(SETTINGS, lambda: 0)
    roster.add(Remembering(1))
    dead, again, other = Seat(roster, "a"), Seat(roster, "b"), Seat(roster, "c")
    take(dead, robot="arm-1", episode="e1")
    take(again, robot="arm-1", episode="e2")
    with pytest.raises(Claimed, match="taken over"):
        take(dead, robot="arm-1", episode="e1")
    with pytest.raises(Claimed, match="arm-1 runs one"):
        take(other, robot="arm-2", episode="e3")
    again.close()
    take(other, robot="arm-2", episode="e3")


def test_a_seat_without_a_connection_yields_after_a_while_and_not_before():
    now = [0]
    roster = Roster(SETTINGS, lambda: now[0])
    roster.add(Numbered(1))
    roster.add(Remembering(2))
    silent, other = Seat(roster, "arm-1", "p2", 60.0), Seat(roster, "arm-2", "p2", 60.0)
    take(silent, robot="arm-1", episode="e1")
    now[0] = 60 * 10**9
    with pytest.raises(Claimed, match="arm-1 runs one"):
        take(other, robot="arm-2", episode="e2")
    other.close()
    now[0] += 1
    take(other, robot="arm-2", episode="e1")
    with pytest.raises(Claimed, match="is run by arm-2"):
        take(silent, robot="arm-1", episode="e1")
    now[0] += 61 * 10**9
    assert roster.remove("p2").name == "p2"


def test_a_socket_that_changes_its_name_leaves_no_name_behind():
    engine = Numbered(1)
    roster = Roster(SETTINGS.replace_values(max_http_robots=2), lambda: 0)
    desk = roster.add(engine).desk
    desk._batch = 2  # as an engine that answers several, whose rhythm is kept
    seat = Seat(roster, "a")
    for number in range(5):
        take(seat, robot=f"arm-{number}")
        desk._rhythm.note_request(seat.robot, number)
        desk._previous_ms[seat.robot] = 1.0
    assert (list(desk._rhythm._last), list(desk._previous_ms)) == (["arm-4"], ["arm-4"])
    seat.close()
    assert not desk._rhythm._last
    assert not desk._previous_ms
