"""Make the README's pictures from a demo workspace: `python -m docs.pictures demo-workspace`."""

import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from fieldloop.testing.servers import chromium

HERE = Path(__file__).parent / "pictures"
PORT = 8731
SIZE = {"width": 1440, "height": 900}


def main(workspace: Path) -> None:
    """Serve the workspace, look at it, and write what was seen."""
    HERE.mkdir(exist_ok=True)
    report = workspace / "report.html"
    logs = next((workspace / "incoming").glob("lab-*"))
    chosen = [str(path) for path in sorted(logs.glob("*.mcap"))[:6]]  # the one that was cut short is among them
    subprocess.run([sys.executable, "-m", "fieldloop", "check", *chosen, "--html", str(report)], check=False)  # noqa: S603 - our own command
    command = [sys.executable, "-m", "fieldloop", "up", "--workspace", str(workspace), "--port", str(PORT)]
    server = subprocess.Popen(command)  # noqa: S603 - our own command
    try:
        _wait(f"http://127.0.0.1:{PORT}/")
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=str(chromium()), args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]  # a plain dict is what it takes
            _shoot(page, f"http://127.0.0.1:{PORT}/", HERE / "home.png")
            _shoot(page, report.resolve().as_uri(), HERE / "check.png")
            browser.close()
    finally:
        server.terminate()
        server.wait()


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
