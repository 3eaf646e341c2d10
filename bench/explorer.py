"""How soon does the explorer paint the frame that is asked for, is it that frame, and how soon does it open?

Frames carry their number in their pixels. In one page and one run, each seek is done by the explorer and by two
`<video>` elements over the same files: two cameras of 640 × 480, at random places and in steps, in three encodings.
A seek lasts from the call until both cameras are painted. The wrong frames are read back from both canvases. Opening is
timed from the navigation to the first painted frame, for episodes of a 50 GB dataset that were not opened before.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.explorer_sets import BIG_EPISODES, FRAMES, make_big_dataset, make_marked_datasets
from bench.harness import Figure, main, summarise
from fieldloop.testing.barcode import Mark
from fieldloop.testing.marked_video import READ_MARK, parse_mark

RUN = [sys.executable, "-c", "import sys; from fieldloop.cli import main; sys.exit(main())"]
SEED = 15
EPISODE = 1
HZ = 30
BIG_FILES = 1000
LOOK = "document.querySelector('[data-island]').look"
SETTLED = f"Boolean({LOOK}?.player.settled)"
CHECKED = "Boolean(document.querySelector('[data-island]').dataset.checked)"
PAINTED = "(performance.getEntriesByName('painted')[0]?.startTime ?? 0)"
SEEK = f"""async (frame) => {{
  const player = {LOOK}.player, done = new Promise((ok) => {{
    const off = player.on("frame", (at) => {{ if (at.frame === frame) {{ off(); ok(); }} }});
  }});
  const from = performance.now();
  player.seek(frame);
  await done;
  const ms = performance.now() - from, read = {READ_MARK};
  return {{ ms, marks: [...document.querySelectorAll(".pl-row canvas")].map(read) }};
}}"""
OPEN_VIDEOS = f"""async () => {{
  window.videos = await Promise.all([0, 1].map(async (n) => {{
    const video = Object.assign(document.createElement("video"), {{ muted: true, preload: "auto" }});
    const ready = new Promise((ok, no) => {{ video.onloadeddata = ok; video.onerror = () => no(video.error); }});
    video.src = {LOOK}.view.address + `/cameras/${{n}}/video`;
    await ready;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, {{ width: video.videoWidth, height: video.videoHeight }});
    return {{ video, canvas, g: canvas.getContext("2d") }};
  }}));
}}"""
SEEK_VIDEOS = f"""async (seconds) => {{
  const from = performance.now();
  await Promise.all(window.videos.map(({{ video }}) => new Promise((ok) => {{
    video.addEventListener("seeked", ok, {{ once: true }}); video.currentTime = seconds;
  }})));
  await new Promise((ok) => requestAnimationFrame(ok));
  for (const {{ video, canvas, g }} of window.videos) g.drawImage(video, 0, 0, canvas.width, canvas.height);
  const ms = performance.now() - from, read = {READ_MARK};
  return {{ ms, marks: window.videos.map(({{ canvas }}) => read(canvas)) }};
}}"""


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Make the datasets, seek in them and open episodes of the large one."""
    from playwright.sync_api import sync_playwright

    figures: dict[str, Figure] = {"load": Figure(os.getloadavg()[0], unit="mean load of the last minute at the start")}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        datasets = make_marked_datasets(Path(folder))
        figures |= _measure_seeks(browser, datasets, jumps=40 if short else 150, steps=20 if short else 75)
        size = make_big_dataset(Path(folder) / "big", BIG_FILES)
        figures |= _measure_opening(browser, Path(folder) / "big", BIG_FILES, size)
        browser.close()
    return figures | {"load_at_end": Figure(os.getloadavg()[0], unit="mean load of the last minute")}


def _measure_seeks(browser: Any, datasets: Mapping[str, Path], *, jumps: int, steps: int) -> dict[str, Figure]:
    ours: list[float] = []
    peers: list[float] = []
    ours_at_random: list[float] = []
    wrong, peer_wrong, read = 0, 0, 0
    figures = {}
    for name, path in datasets.items():
        with serving(path, EPISODE) as address:
            page = _open_page(browser, address)
            first = page.evaluate(f"{LOOK}.player.cameras[0].source.engine") == "WebCodecs"
            assert first, f"{name} is not decoded in the browser"
            page.evaluate(OPEN_VIDEOS)
            own, peer = [], []
            for frame in _choose_frames(jumps, steps):
                seen = page.evaluate(SEEK, frame)
                beside = page.evaluate(SEEK_VIDEOS, (EPISODE * FRAMES + frame + 0.5) / HZ)
                own.append(seen["ms"])
                peer.append(beside["ms"])
                wrong += _count_wrong(seen["marks"], frame)
                peer_wrong += _count_wrong(beside["marks"], frame)
                read += len(seen["marks"])
            ours_at_random += own[:jumps]
            figures[f"seek_ms_p95_{name}"] = _quantile(own, 0.95)
            figures[f"video_seek_ms_p95_{name}"] = _quantile(peer, 0.95)
            figures[f"painted_share_{name}"] = Figure(_play(page), unit="of frames painted in 4 s of playing at 30 Hz")
            ours, peers = ours + own, peers + peer
            page.context.close()
    return {
        "seek_ms_p50": _quantile(ours, 0.5, "under 50"),
        "seek_ms_p95": _quantile(ours, 0.95, "under 100"),
        "wrong_frames": Figure(wrong, unit=f"of {read} frames read back", aim="0"),
        "jump_ms_p50": _quantile(ours_at_random, 0.5),
        "jump_ms_p95": _quantile(ours_at_random, 0.95),
        "video_seek_ms_p50": _quantile(peers, 0.5),
        "video_seek_ms_p95": _quantile(peers, 0.95),
        "video_wrong_frames": Figure(peer_wrong, unit=f"of {read} frames read back"),
        **figures,
    }


def _measure_opening(browser: Any, path: Path, files: int, size_gb: float) -> dict[str, Figure]:
    chance = random.Random(SEED)
    started = time.perf_counter()
    with serving(path, 0) as address:
        command_s = time.perf_counter() - started
        page = _open_page(browser, address)
        taken, wrong = [], 0
        for key in chance.sample(range(1, files * BIG_EPISODES), 12):
            page.goto(f"{address.partition('?')[0]}?episode={key}")
            _wait(page, f"{SETTLED} && {PAINTED} > 0")
            taken.append(page.evaluate(PAINTED) / 1e3)
            marks = page.evaluate(f"() => [...document.querySelectorAll('.pl-row canvas')].map({READ_MARK})")
            wrong += _count_wrong(marks, 0, key % BIG_EPISODES)
            _wait(page, CHECKED)  # a check that was begun works on the same cores
        page.context.close()
    return {
        "open_s": summarise(taken, "s from navigation to the first painted frame", "under 1"),
        "open_wrong_frames": Figure(wrong, unit="of the first frames", aim="0"),
        "command_s": Figure(command_s, unit="s from the command to its address"),
        "dataset_gb": Figure(size_gb, unit="GB apparent, hard links and holes", aim="50"),
        "dataset_episodes": Figure(files * BIG_EPISODES),
    }


def _choose_frames(jumps: int, steps: int) -> Iterator[int]:
    """Choose random places, then steps forward and back from the middle; no frame follows itself."""
    chance, before = random.Random(SEED), 0
    for _ in range(jumps):
        before = chance.choice([frame for frame in range(FRAMES) if frame != before])
        yield before
    middle = FRAMES // 2
    yield from range(middle, middle + steps)
    yield from range(middle + steps, middle, -1)


def _count_wrong(marks: Sequence[Sequence[int]], frame: int, episode: int = EPISODE) -> int:
    return sum(parse_mark(mark) != Mark(camera, episode, frame) for camera, mark in enumerate(marks))


def _play(page: Any) -> float:
    """Play from the start; which share of the frames that passed was painted?"""
    page.evaluate(f"{LOOK}.player.seek(0)")
    _wait(page, SETTLED)
    page.evaluate(f"() => {{ {LOOK}.player.stats.length = 0; {LOOK}.player.play(); }}")
    page.wait_for_timeout(4000)
    painted, passed = page.evaluate(
        f"() => {{ const p = {LOOK}.player; p.pause(); return [new Set(p.stats.map((s) => s.frame)).size, p.frame]; }}"
    )
    return float(painted / max(1, passed))


def _quantile(values: Sequence[float], share: float, aim: str = "") -> Figure:
    """Return a quantile with its 95 % interval by order statistics."""
    from scipy.stats import binom

    ordered, n = sorted(values), len(values)
    low, high = (int(binom.ppf(end, n, share)) for end in (0.025, 0.975))
    return Figure(
        ordered[min(n - 1, int(share * n))], n, ordered[max(0, low - 1)], ordered[min(n - 1, high)], "ms", aim
    )


@contextmanager
def serving(path: Path, episode: int) -> Iterator[str]:
    """Run `fieldloop look` on a free port; yields its address."""
    command = [*RUN, "look", str(path), "--episode", str(episode), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ.copy()) as running:
        assert running.stdout is not None
        found = re.search(r"http://\S+", running.stdout.readline())
        assert found, "no server"
        try:
            yield found[0]
        finally:
            running.terminate()


def _open_page(browser: Any, address: str) -> Any:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(address)
    _wait(page, SETTLED)
    _wait(page, CHECKED)
    return page


def _wait(page: Any, expression: str) -> None:
    """Wait for something in the page. Playwright's own wait needs `eval`, which the pages' policy forbids."""
    while not page.evaluate(expression):
        page.wait_for_timeout(5)


if __name__ == "__main__":
    main(measure)
