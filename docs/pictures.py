"""Make the README's pictures from a demo workspace and a simulated case: `python -m docs.pictures demo-workspace`."""

import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from fieldloop.testing.servers import find_chromium

HERE = Path(__file__).parent / "pictures"
PORT = 8731
SIZE = ViewportSize(width=1440, height=900)
CASE = "3"
"""The seed that the README tells of."""


def main(workspace: Path) -> None:
    """Serve the workspace, look at it, and write what was seen."""
    HERE.mkdir(exist_ok=True)
    report = workspace / "report.html"
    logs = next((workspace / "incoming").glob("lab-*"))
    chosen = [str(path) for path in sorted(logs.glob("*.mcap"))[:6]]  # the one that was cut short is among them
    _run("check", *chosen, "--html", str(report))
    command = [sys.executable, "-m", "fieldloop", "up", "--workspace", str(workspace), "--port", str(PORT)]
    server = subprocess.Popen(command)  # noqa: S603 - our own command
    with tempfile.TemporaryDirectory() as folder:
        case, why = Path(folder) / "floor", Path(folder) / "why.html"
        _run("simulate", "case", str(case), "--seed", CASE)
        _run("diagnose", "folder", str(case), "--html", str(why))
        try:
            _look(report, why)
        finally:
            server.terminate()
            server.wait()


def _look(report: Path, why: Path) -> None:
    _wait(f"http://127.0.0.1:{PORT}/")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        _shoot(page, f"http://127.0.0.1:{PORT}/", HERE / "home.png")
        _shoot(page, report.resolve().as_uri(), HERE / "check.png")
        _shoot(page, why.resolve().as_uri(), HERE / "why.png")
        browser.close()


def _run(*words: str) -> None:
    """Run a command; one that finds something says so by how it ends."""
    subprocess.run([sys.executable, "-m", "fieldloop", *words], check=False)  # noqa: S603 - our own command


def _shoot(page: Page, address: str, file: Path) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)


def _wait(address: str, seconds: int = 60) -> None:
    for _ in range(seconds * 2):
        try:
            urllib.request.urlopen(address)  # noqa: S310 - our own server on loopback
        except OSError:
            time.sleep(0.5)
        else:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
