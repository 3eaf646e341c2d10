"""How heavy is the first page, how soon can it be used, and how soon does the server answer?

A workspace is made by the commands, served by `fieldloop up` and opened in headless Chromium, cold each time: with an
empty cache, by a fresh visitor. Another version of the code is measured by putting it on PYTHONPATH.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.harness import Figure, main, summarise

RUN = [sys.executable, "-c", "import sys; from fieldloop.cli import main; sys.exit(main())"]
STORY = (
    "init .", "audit --example", "audit", "plan --budget 60", "simulate logs --count 8", "ingest logs", "annotate",
    "release r1", "train r1 --name p1", "gate p1 --simulate", "rollout start p1 --override bench",
    "simulate production", "monitor",
)  # fmt: skip
PAGES = ("/", "/deployment", "/protocol", "/plan", "/episodes", "/quality", "/releases", "/policies", "/floor",
         "/settings")  # fmt: skip
USABLE = "performance.getEntriesByName('usable').length > 0"
ANSWERED = "performance.getEntriesByType('navigation')[0].responseStart"
AT = "performance.getEntriesByName('usable')[0].startTime"
COUNTED = "import sys, fieldloop.api.app, fieldloop.ui.mounting; print(len(sys.modules))"
KB = 1_000


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Make a workspace and measure its pages."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "site"
        root.mkdir()
        for line in STORY:
            subprocess.run([*RUN, *line.split()], cwd=root, capture_output=True, check=False)  # a gate may refuse
        return measure_pages(root, runs=5 if short else 15)


def measure_pages(root: Path, runs: int) -> Mapping[str, Figure]:
    """Measure the pages of a workspace that exists."""
    from playwright.sync_api import sync_playwright

    starts = [_start_ms(root) for _ in range(min(runs, 5))]
    with serving(root) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        _visit(browser, address)  # the first visit warms the server, not the visitor
        visits = [_visit(browser, address) for _ in range(runs)]
        heaviest = max(_visit(browser, address + path, until="load")["kb"] for path in PAGES)
        warm = _warm_ms(browser, address, runs)
        browser.close()
    last = visits[-1]
    return {
        "first_page_kb": Figure(last["kb"], unit="kB", aim="at most 150"),
        "first_page_sent_kb": Figure(last["sent_kb"], unit="kB", aim="at most 150"),
        "heaviest_page_kb": Figure(heaviest, unit="kB"),
        "requests": Figure(last["requests"]),
        "usable_ms": summarise([visit["usable_ms"] for visit in visits], "ms", "under 500"),
        "answer_ms": summarise([visit["answer_ms"] for visit in visits], "ms"),
        "usable_warm_ms": summarise(warm, "ms"),
        "up_ms": summarise(starts, "ms"),
        "modules": Figure(
            float(subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, check=True).stdout)
        ),
    }


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """Serve a workspace on a free port; yields its address."""
    command = [*RUN, "up", "--port", "0", "--workspace", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ.copy()) as running:
        assert running.stdout is not None
        found = re.search(r"http://\S+?:\d+", running.stdout.readline())
        assert found, "no server"
        try:
            yield found[0]
        finally:
            running.terminate()


def _start_ms(root: Path) -> float:
    """Time from the command to the first answer."""
    started = time.perf_counter()
    with serving(root) as address:
        urllib.request.urlopen(f"{address}/login").read()
        return 1e3 * (time.perf_counter() - started)


def _visit(browser: Any, address: str, until: str = USABLE) -> dict[str, float]:
    """Open a page as a fresh visitor; count what was fetched until it was usable."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, answers = context.new_page(), []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - a builtin cannot be wrapped
    page.goto(address)
    if until == USABLE:
        _wait(page)
    page.wait_for_timeout(300)  # what comes late counts too
    done = [answer for answer in answers if "text/event-stream" not in answer.headers.get("content-type", "")]
    done = [answer for answer in done if "websocket" not in answer.headers.get("upgrade", "")]
    made = {
        "kb": sum(len(answer.body()) for answer in done) / KB,
        "sent_kb": sum(_sent(answer) for answer in done) / KB,
        "requests": float(len(done)),
        "usable_ms": page.evaluate(AT) if until == USABLE else 0.0,
        "answer_ms": page.evaluate(ANSWERED),
    }
    context.close()
    return made


def _wait(page: Any) -> None:
    """Wait until the page is usable. Playwright's own wait needs `eval`, which the pages' policy forbids."""
    while not page.evaluate(USABLE):
        page.wait_for_timeout(20)


def _sent(answer: Any) -> int:
    sizes = answer.request.sizes()
    return int(sizes["responseBodySize"] + sizes["responseHeadersSize"])


def _warm_ms(browser: Any, address: str, runs: int) -> list[float]:
    """Open the page again and again as one visitor, whose cache is warm."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, taken = context.new_page(), []
    for _ in range(runs + 1):
        page.goto(address)
        _wait(page)
        taken.append(float(page.evaluate(AT)))
    context.close()
    return taken[1:]


if __name__ == "__main__":
    main(measure)
