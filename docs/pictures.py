"""Make the pictures of the documents from a demo workspace and a simulated case.

`python -m docs.pictures demo-workspace` writes them all, `… demo-workspace explorer.png` only that one.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize, sync_playwright

from fieldloop.testing.servers import find_chromium

HERE = Path(__file__).parent / "pictures"
PORT = 8731
SERVER = f"http://127.0.0.1:{PORT}"
SIZE = ViewportSize(width=1440, height=900)
CASE = "3"
"""The seed that the README tells of."""
MOMENT = 0.45
"""The share of an episode at which it is shown: the hand holds the item."""


def main(workspace: Path, *wanted: str) -> None:
    """Serve the workspace, look at it, and write what was seen."""
    HERE.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "fieldloop", "up", "--workspace", str(workspace), "--port", str(PORT)]
    server = subprocess.Popen(command)  # noqa: S603 - our own command
    try:
        _wait(f"{SERVER}/favicon.ico")
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
            browser = play.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            for name in wanted or PICTURES:
                PICTURES[name](page, workspace, Path(folder))
                page.screenshot(path=HERE / name)
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _show_home(page: Page, _workspace: Path, _folder: Path) -> None:
    _open(page, f"{SERVER}/")


def _show_check(page: Page, workspace: Path, folder: Path) -> None:
    logs = next((workspace / "incoming").glob("lab-*"))
    chosen = [str(path) for path in sorted(logs.glob("*.mcap"))[:6]]  # the one that was cut short is among them
    _run("check", *chosen, "--html", str(folder / "report.html"))
    _open(page, (folder / "report.html").resolve().as_uri())


def _show_why(page: Page, _workspace: Path, folder: Path) -> None:
    _run("simulate", "case", str(folder / "floor"), "--seed", CASE)
    _run("diagnose", "folder", str(folder / "floor"), "--html", str(folder / "why.html"))
    _open(page, (folder / "why.html").resolve().as_uri())


def _show_explorer(page: Page, _workspace: Path, _folder: Path) -> None:
    """Show an episode that a check holds back, at the moment of its first finding."""
    found = _ask("ingest/find?status=failed&limit=9")["episodes"]
    chosen = next((one for one in found if one["finding"] and one["finding"]["at_s"]), found[0])
    at_s = chosen["finding"]["at_s"] or 0.0
    _open(page, f"{SERVER}/episodes/{chosen['episode']['id']}?at={at_s:.2f}")
    page.wait_for_timeout(SETTLE_MS)
    page.locator("[data-island='look.js']").scroll_into_view_if_needed()


def _show_annotate(page: Page, _workspace: Path, _folder: Path) -> None:
    """Show proposals that were taken over into the own lane, in the middle of an episode."""
    found = _ask("ingest/find?status=passed&limit=1")["episodes"][0]["episode"]
    shown = _ask(f"annotate/labels?episode={found['id']}")
    _open(page, f"{SERVER}/annotate/{found['id']}?kind=phase&at={MOMENT * shown['lasts_s']:.2f}")
    page.wait_for_timeout(SETTLE_MS)
    page.get_by_role("button", name="Accept all").click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(SETTLE_MS)


SETTLE_MS = 4000
"""How long an episode's pictures and signals may take."""
PICTURES: Mapping[str, Callable[[Page, Path, Path], None]] = {
    "home.png": _show_home,
    "check.png": _show_check,
    "why.png": _show_why,
    "explorer.png": _show_explorer,
    "annotate.png": _show_annotate,
}


def _open(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle" if address.startswith("file:") else "load")
    page.wait_for_timeout(500)


def _ask(path: str) -> Any:
    with urllib.request.urlopen(f"{SERVER}/api/{path}") as answer:  # noqa: S310 - our own server on loopback
        return json.load(answer)


def _run(*words: str) -> None:
    """Run a command; one that finds something says so by how it ends."""
    subprocess.run([sys.executable, "-m", "fieldloop", *words], check=False)  # noqa: S603 - our own command


def _wait(address: str, seconds: int = 60) -> None:
    for _ in range(seconds * 2):
        try:
            urllib.request.urlopen(address)  # noqa: S310 - our own server on loopback
        except OSError:
            time.sleep(0.5)
        else:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
