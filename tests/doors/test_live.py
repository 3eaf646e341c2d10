"""Live numbers: pushed as they change, read once for all pages, and guarded like every other request."""

import asyncio
import json

import pytest
from tests.doors.story import story_workspace
from tests.doors.visitor import AWAY, LOCAL, Visitor

from fieldloop.api import live as following
from fieldloop.api.app import build_app
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Operator
from fieldloop.model.person_event import OperatorEnrolled


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "FOLLOW_S", 0.01)
    monkeypatch.setattr(following, "READING_SHARE", 1.0)
    opened = story_workspace(tmp_path / "w")
    yield opened
    opened.close()


def news(event):
    line = next(line for line in event.splitlines() if line.startswith("data: "))
    return json.loads(line.removeprefix("data: "))


async def following_pages(live, count, after, do):
    """Open so many streams, do something, and return what each hears first."""
    streams = [live.listen(after, numbers=True) for _ in range(count)]
    opened = [news(await anext(stream)) for stream in streams]
    waiting = [asyncio.ensure_future(anext(stream)) for stream in streams]
    await asyncio.sleep(0.05)
    do()
    heard = [news(event) for event in await asyncio.wait_for(asyncio.gather(*waiting), 10)]
    for stream in streams:
        await stream.aclose()
    return opened, heard


def test_a_change_is_read_once_and_pushed_to_every_page(workspace: Workspace, monkeypatch):
    reads = []
    home = following.show_home
    monkeypatch.setattr(following, "show_home", lambda opened: reads.append(1) or home(opened))
    live = following.Live(lambda: workspace)
    before = workspace.store.get_last_seq()
    opened, heard = asyncio.run(
        following_pages(live, 5, before, lambda: workspace.write(OperatorEnrolled(Operator("op-8"))))
    )
    assert len({hello["instance"] for hello in opened}) == 1
    assert [numbers["seq"] for numbers in heard] == [before + 1] * 5
    assert {stage["key"]: stage["count"] for stage in heard[0]["stages"]}["check"] == "36"
    assert heard[0]["success"]["points"]
    assert len(reads) <= 2, "once when the first page came, once for the change: never once a page"


def test_nothing_is_read_while_no_page_is_open(workspace, monkeypatch):
    live = following.Live(lambda: workspace)
    asyncio.run(following_pages(live, 1, 0, lambda: None))
    monkeypatch.setattr(type(workspace.store), "get_last_seq", lambda _: pytest.fail("the ledger was read"))
    asyncio.run(asyncio.sleep(0.05))
    assert live._follower is None


def test_streams_end_when_the_server_stops(workspace):
    live = following.Live(lambda: workspace)

    async def listen():
        heard = []
        async for event in live.listen(workspace.store.get_last_seq()):
            heard.append(event)
            live.close()
        return heard

    assert len(asyncio.run(asyncio.wait_for(listen(), 10))) == 1


def test_a_silent_stream_sends_a_beat(workspace, monkeypatch):
    monkeypatch.setattr(following, "BEAT_S", 0.02)

    async def listen():
        stream = following.Live(lambda: workspace).listen(workspace.store.get_last_seq())
        heard = [await anext(stream), await anext(stream)]
        await stream.aclose()
        return heard

    assert asyncio.run(listen())[1] == ": no news\n\n"


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        (LOCAL, {}, 200),
        (AWAY, {}, 401),
        (LOCAL, {"Origin": "https://evil.example"}, 403),
        (LOCAL, {"Sec-Fetch-Site": "cross-site"}, 403),
        (LOCAL, {"Authorization": "Bearer made-up"}, 401),
    ],
)
def test_the_stream_is_guarded(workspace, address, headers, status):
    app = build_app(lambda: workspace, ())
    answer, body = Visitor(app, address, **headers).stream("/api/live", b"instance")
    assert answer["status"] == status
    if status == 200:
        given = dict(answer["headers"])
        assert given[b"content-type"].startswith(b"text/event-stream")
        assert b"content-encoding" not in given, "a compressed stream would be held back"
        assert b"instance" in body


def test_one_actor_cannot_take_all_streams_and_a_page_still_answers(workspace, monkeypatch):
    monkeypatch.setattr(following, "MOST_STREAMS_EACH", 2)
    live = following.Live(lambda: workspace)

    async def open_three():
        streams = [live.listen(actor="arm-1") for _ in range(2)]
        for stream in streams:
            await anext(stream)
        room = live.has_room_for("arm-1"), live.has_room_for("arm-2")
        for stream in streams:
            await stream.aclose()
        return room, live.has_room_for("arm-1")

    assert asyncio.run(open_three()) == ((False, True), True)


def test_a_stream_beyond_the_bound_is_refused(workspace, monkeypatch):
    monkeypatch.setattr(following, "MOST_STREAMS", 0)
    visitor = Visitor(build_app(lambda: workspace), LOCAL)
    assert visitor.get("/api/live").status_code == 429
    assert visitor.get("/api/home").status_code == 200
