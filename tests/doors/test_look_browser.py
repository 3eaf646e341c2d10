"""The explorer in a browser: the frame that is asked for is the frame that is painted, on every camera."""

import contextlib
import random
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from playwright.sync_api import Error, sync_playwright

from fieldloop.cli.look import build_look_app
from fieldloop.cli.up import bind_socket
from fieldloop.loop.look.of_path import open_path
from fieldloop.release.writers import write_lerobot
from fieldloop.testing.barcode import Mark
from fieldloop.testing.marked_video import AV1, H264, READ_MARK, encode_again, make_marked_recording, parse_mark

FRAMES = 90
KEY = "for-one-visitor"
LOOK = "document.querySelector('[data-island]').look"
READ = f"() => [...document.querySelectorAll('.pl-row[data-row=\"0\"] canvas')].map({READ_MARK})"
SETTLED = f"{LOOK} && {LOOK}.player.settled"


@pytest.fixture(scope="module")
def browser(chromium_path):
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(chromium_path), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    """Two episodes in one file per camera, as LeRobot v3.0 has them; frames reordered in H.264."""
    folder = tmp_path_factory.mktemp("marked")
    write_lerobot([make_marked_recording(number, FRAMES) for number in (1, 2)], folder / "h264")
    write_lerobot([make_marked_recording(number, FRAMES) for number in (1, 2)], folder / "av1")
    for name, encoding in (("h264", H264), ("av1", AV1)):
        for video in (folder / name / "videos").rglob("*.mp4"):
            encode_again(video, encoding)
    return folder


@contextmanager
def serving(path, first="0"):
    episodes = open_path(path)
    listening = bind_socket("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(build_look_app(episodes, first, KEY), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def looking(browser, path, query="", size=(1280, 800)):
    with serving(path) as address:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        page = context.new_page()
        page.wrong = []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.goto(f"{address}/?key={KEY}{query}")
        until(page, "document.querySelector('[data-island]').dataset.ready")
        until(page, SETTLED)
        try:
            yield page
        finally:
            context.close()


def until(page, expression, seconds=20):
    """Wait for something in the page. Playwright's own wait needs `eval`, which the page's policy forbids."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        with contextlib.suppress(Error):
            if page.evaluate(expression):
                return
        page.wait_for_timeout(10)
    pytest.fail(f"never came: {expression}")


def marks(page):
    return [parse_mark(found) for found in page.evaluate(READ)]


def seek(page, frame):
    page.evaluate(f"{LOOK}.player.seek({frame})")
    until(page, SETTLED)


@pytest.mark.parametrize("codec", ["h264", "av1"])
@pytest.mark.parametrize("episode", [0, 1])
def test_every_frame_asked_for_is_the_frame_painted(browser, datasets, codec, episode):
    chance = random.Random(episode)
    jumps = [0, FRAMES - 1, *(chance.randrange(FRAMES) for _ in range(16))]
    with looking(browser, datasets / codec, f"&episode={episode}") as page:
        assert page.evaluate(f"{LOOK}.player.cameras.map((c) => c.source.engine)") == ["WebCodecs", "WebCodecs"]
        for frame in jumps:
            seek(page, frame)
            assert marks(page) == [Mark(camera, episode + 1, frame) for camera in (0, 1)]
        for key, step in ((".", 1), (",", -1), ("ArrowRight", 1), ("Shift+ArrowLeft", -10)):
            for _ in range(4):
                before = page.evaluate(f"{LOOK}.player.frame")
                page.keyboard.press(key)
                until(page, SETTLED)
                frame = max(0, min(FRAMES - 1, before + step))
                assert marks(page) == [Mark(camera, episode + 1, frame) for camera in (0, 1)]
        assert not page.wrong


def test_the_check_would_notice_a_frame_that_is_off_by_one(browser, datasets):
    with looking(browser, datasets / "h264") as page:
        page.evaluate(f"{LOOK}.player.cameras[1].frames.forEach((n, k, all) => {{ all[k] = Math.max(0, n - 1); }})")
        seek(page, 40)
        assert marks(page) == [Mark(0, 1, 40), Mark(1, 1, 39)]


def test_playing_paints_frames_in_order_on_both_cameras(browser, datasets):
    with looking(browser, datasets / "h264") as page:
        page.evaluate(
            f"""() => {{ const read = {READ_MARK}; window.seen = []; window.passed = [];
            {LOOK}.player.on("frame", ({{ frame, passed }}) => {{ window.passed.push(...passed);
              window.seen.push([frame, ...[...document.querySelectorAll(".pl-cam canvas")].map(read)]); }}); }}"""
        )
        page.keyboard.press("=")
        page.keyboard.press("Space")
        until(page, f"{LOOK}.player.frame === {FRAMES - 1} && !{LOOK}.player.playing && {LOOK}.player.settled")
        seen = page.evaluate("window.seen")
        for frame, front, wrist in seen:
            assert [parse_mark(front), parse_mark(wrist)] == [Mark(0, 1, frame), Mark(1, 1, frame)]
        assert sorted(set(page.evaluate("window.passed"))) == list(range(1, FRAMES)), "no frame passes unmentioned"
        assert len(seen) > FRAMES // 4


def test_frames_decoded_by_the_server_are_as_exact(browser, datasets):
    with looking(browser, datasets / "h264", "&episode=1&engine=pictures") as page:
        assert page.evaluate(f"{LOOK}.player.cameras.map((c) => c.source.engine)") == ["pictures", "pictures"]
        for frame in (7, 61, 60, FRAMES - 1):
            seek(page, frame)
            assert marks(page) == [Mark(camera, 2, frame) for camera in (0, 1)]
