"""The explorer in a browser: the frame that is asked for is the frame that is painted, on every camera."""

import contextlib
import random
import shutil
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from playwright.sync_api import Error, sync_playwright

from fieldloop.cli.look import build_look_app
from fieldloop.cli.up import bind_socket
from fieldloop.ingest.pictures.encoded_span import list_encoded_packets
from fieldloop.loop.look.of_path import open_path
from fieldloop.release.writers import write_lerobot
from fieldloop.testing.barcode import Mark
from fieldloop.testing.marked_video import AV1, H264, READ_MARK, encode_again, make_marked_recording, parse_mark

FRAMES, SIZE = 75, (160, 120)
KEY = "for-one-visitor"
LOOK = "document.querySelector('[data-island]').look"
READ = f"() => [...document.querySelectorAll('.pl-row[data-row=\"0\"] canvas')].map({READ_MARK})"
SETTLED = f"{LOOK} && {LOOK}.player.settled"


@pytest.fixture(scope="module", autouse=True)
def check_in_this_process():
    """A process for each page would take longer than the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fieldloop.loop.look.checked.run_apart", lambda work, item: work(item))
        yield


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
    write_lerobot([make_marked_recording(number, FRAMES, size=SIZE) for number in (1, 2)], folder / "h264")
    shutil.copytree(folder / "h264", folder / "av1")
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
        until(page, "document.querySelector('[data-island]').dataset.checked")
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


def test_a_broken_clip_states_so_and_the_rest_goes_on(browser, datasets, tmp_path):
    dataset = tmp_path / "broken"
    shutil.copytree(datasets / "h264", dataset)
    wrist = next((dataset / "videos/observation.images.wrist").rglob("*.mp4"))
    whole = wrist.read_bytes()
    span = list_encoded_packets(open_path(dataset).get_episode("0").recording.streams["camera/wrist"].pictures)
    hole = bytearray(whole)
    for at, size in list(zip(span.positions, span.sizes, strict=True))[3:60]:  # the rest of the first group of frames
        hole[at : at + size] = bytes(size)
    wrist.write_bytes(hole)
    with looking(browser, dataset) as page:
        for frame in (0, 30, 62):
            seek(page, frame)
            front, wrist_mark = marks(page)
            assert front == Mark(0, 1, frame)
            if frame == 30:
                assert "does not decode" in page.locator(".pl-note:visible").inner_text()
            else:
                assert wrist_mark == Mark(1, 1, frame)
        assert not page.locator(".pl-note:visible").count(), "later frames recover"
        assert not page.wrong
    wrist.write_bytes(b"not a video")
    with looking(browser, dataset) as page:
        assert page.locator('.pl-note[data-bad="1"]').count() == 1
        page.keyboard.press("End")
        until(page, SETTLED)
        assert page.evaluate(f"({READ_MARK})(document.querySelector('.pl-cam[data-engine=WebCodecs] canvas'))")[4] == 74


def test_keys_loop_a_segment_change_speed_and_are_listed(browser, datasets):
    with looking(browser, datasets / "h264") as page:
        player = f"{LOOK}.player"
        page.evaluate(f"{LOOK}.view.segments.push({{ label: 'grasp', start_s: 0.5, end_s: 1.0 }})")
        page.keyboard.press("]")
        assert page.evaluate(f"{player}.frame") == 15
        page.keyboard.press("l")
        assert page.evaluate(f"{player}.loop") == [0.5, 1.0]
        page.keyboard.press("=")
        assert page.evaluate(f"{player}.speed") == 1.5
        for _ in range(4):
            page.keyboard.press("=")
        assert page.evaluate(f"{player}.speed") == 4
        page.keyboard.press("Space")
        page.wait_for_timeout(400)  # longer than the segment at this speed
        page.keyboard.press("Space")
        assert 15 <= page.evaluate(f"{player}.frame") <= 30
        page.keyboard.press("5")
        assert page.evaluate(f"{player}.frame") == 37
        page.keyboard.press("?")
        assert page.locator(".lk-keys").is_visible()
        page.keyboard.press("Escape")
        until(page, "location.search.includes('loop=0.500-1.000') && location.search.includes('speed=4')")
        page.reload()
        until(page, SETTLED)
        assert page.evaluate(f"[{player}.loop, {player}.speed, {player}.frame]") == [[0.5, 1.0], 4, 37]


def test_a_measured_lag_shifts_the_pictures(browser, datasets):
    with looking(browser, datasets / "h264") as page:
        until(page, "document.querySelector('[data-island]').dataset.checked")
        lag = {"camera": "camera/wrist", "lag_ms": -100.0, "low_ms": -110.0, "high_ms": -90.0}
        page.evaluate(f"(lag) => {{ {LOOK}.view.lags = [lag]; {LOOK}.player.setLags([lag]); }}", lag)
        seek(page, 30)
        assert marks(page) == [Mark(0, 1, 30), Mark(1, 1, 30)]
        page.keyboard.press("s")
        until(page, SETTLED)
        assert marks(page) == [Mark(0, 1, 30), Mark(1, 1, 33)], "a frame that is 100 ms older shows 3 frames before"


def test_two_episodes_side_by_side_keep_their_distance(browser, datasets):
    with looking(browser, datasets / "h264", "&with=1&offset=-0.2") as page:
        until(page, "document.querySelector('[data-island]').dataset.compared")
        seek(page, 40)
        until(page, SETTLED)
        assert marks(page) == [Mark(0, 1, 40), Mark(1, 1, 40)]
        other = page.evaluate(READ.replace('data-row=\\"0\\"', 'data-row=\\"1\\"').replace('"0"', '"1"'))
        assert [parse_mark(found) for found in other] == [Mark(0, 2, 34), Mark(1, 2, 34)]
        until(page, f"{LOOK}.timeline.plots.some((plot) => plot.lines.some((line) => line.ghost))")


def test_a_long_signal_is_thinned_without_hiding_a_peak(browser, datasets):
    """The lowest and highest value of every pixel column, computed by blocks, are those of the plain values."""
    with looking(browser, datasets / "h264") as page:
        found = page.evaluate(
            """async () => {
            const module = document.querySelector("[data-module]").dataset.module.replace("look.js", "signals.js");
            const { Column, thin } = await import(module), n = 50000;
            const values = Float32Array.from({ length: n }, (_, i) => Math.sin(i / 300) + ((i * 7919) % 1000) / 5000);
            values[31234] = 9; values[12345] = NaN;
            const times = Float64Array.from({ length: n }, (_, i) => i / 1000), column = new Column("x", values);
            const plain = (a, b) => {
              let lo = Infinity, hi = -Infinity;
              for (let i = a; i < b; i++) { if (values[i] < lo) lo = values[i]; if (values[i] > hi) hi = values[i]; }
              return [lo, hi];
            };
            const spans = [[0, n], [1, 2], [5, 5], [17, 4099], [31200, 31300], [49999, 50000], [16, 256], [255, 40001]];
            const wrong = spans.filter(([a, b]) => String(column.extent(a, b)) !== String(plain(a, b)));
            const path = thin(times, column, 0, 50, 800), ys = path.filter((_, k) => k % 2);
            const inside = path.every((x, k) => k % 2 || (x >= -1 && x <= 801));
            return { wrong, points: path.length / 2, highest: Math.max(...ys.filter(Number.isFinite)), inside };
            }"""
        )
        assert found == {"wrong": [], "points": 3200, "highest": 9, "inside": True}
